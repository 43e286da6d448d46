package provider

import (
	"context"
	"fmt"
	"strings"

	"recallbench/internal/backend/tokenclassifier"
	"recallbench/internal/door/compress"
)

// prunedText is a sentence of which a classifier should rather keep the names
// and numbers than the words between them.
const prunedText = "So, you know, it was the case that Anna moved to Lisbon in 2019."

// checkPrune tries the classifier of tokens.
func (c *checkup) checkPrune(ctx context.Context) {
	if c.Prune.Use != "http" {
		return
	}
	t := &trial{checkup: c, door: "prune", Server: c.Prune.Server, model: c.Prune.name()}
	if !t.findKey() {
		return
	}
	config := c.Prune.config()
	config.Key = t.key
	classifier, err := tokenclassifier.New(config)
	if err != nil {
		c.missing("prune options", inLine(err.Error()), "")
		return
	}
	var tokens [][]compress.Token
	err = try(ctx, min(replyTime, t.Limits.Attempt), func(ctx context.Context) (err error) {
		tokens, err = classifier.ClassifyBatch(ctx, []string{prunedText})
		return err
	})
	if t.judge(err) {
		c.reportTokens(tokens[0])
	}
}

// reportTokens says whether names were told from words between them.
func (c *checkup) reportTokens(tokens []compress.Token) {
	const what = "prune tokens"
	var kept, other float64
	for _, t := range tokens {
		switch strings.TrimSpace(prunedText[t.Start:t.End]) {
		case "Anna", "Lisbon":
			kept = max(kept, t.Keep)
		case "the", "it":
			other = max(other, t.Keep)
		}
	}
	detail := fmt.Sprintf("%.2f for a name, %.2f for a word such as the", kept, other)
	if kept <= other {
		c.warn(what, detail, "look whether the server gives the probability of the label that keeps a token")
		return
	}
	c.good(what, detail)
}
