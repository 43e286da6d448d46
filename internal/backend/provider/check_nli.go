package provider

import (
	"context"
	"fmt"

	"recallbench/internal/backend/onnx"
	"recallbench/internal/backend/tei"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/nli"
)

// pairs are one pair of which the premise entails the hypothesis, and one of
// which it does not.
var pairs = []nli.Pair{
	{Premise: "Anna plays the guitar on the stage.", Hypothesis: "Anna plays the guitar."},
	{Premise: "Anna plays the guitar on the stage.", Hypothesis: "Nobody makes any music here."},
}

// checkNLI tries the model of entailment.
func (c *checkup) checkNLI(ctx context.Context) {
	switch c.NLI.Use {
	case "tei":
		c.checkTEI(ctx)
	case "onnx":
		c.checkClassifier(ctx)
	case "chat":
		if c.chat == nil {
			return // its fault is reported
		}
		scorer := nli.FromChat(llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
			return c.chat.ask(ctx, c.chat.now, r)
		}), nli.ChatOptions{})
		scores, err := scorer.Entail(ctx, pairs)
		if err != nil {
			c.missing("nli scores", inLine(err.Error()), "take another model of entailment, such as options.nli.use: onnx")
			return
		}
		c.reportScores(scores)
	}
}

func (c *checkup) checkTEI(ctx context.Context) {
	t := &trial{checkup: c, door: "nli", Server: c.NLI.Server, model: c.NLI.Model}
	if t.model == "" {
		t.model = t.provider()
	}
	if !t.findKey() {
		return
	}
	config := c.NLI.config()
	config.Key = t.key
	s, err := tei.New(config)
	if err != nil {
		c.missing("nli options", inLine(err.Error()), "")
		return
	}
	var info tei.Info
	err = try(ctx, min(listTime, t.Limits.Attempt), func(ctx context.Context) (err error) {
		info, err = s.Check(ctx)
		return err
	})
	switch kind := fault.KindOf(err); {
	case err == nil:
		c.good("nli server", fmt.Sprintf("%s serves %s", t.BaseURL, info.Model))
	case kind == fault.Connection, kind == fault.Timeout:
		t.unreached("nli server", err)
		return
	case info.Model != "": // it was reached, and is not what is wanted
		c.missing("nli model", t.said(err), "correct options.nli, or serve a classifier of entailment")
		return
	default:
		c.good("nli server", t.BaseURL+" was reached; it does not say what it serves")
	}
	var scores []float64
	err = try(ctx, min(replyTime, t.Limits.Attempt), func(ctx context.Context) (err error) {
		scores, err = s.EntailBatch(ctx, pairs)
		return err
	})
	if t.judge(err) {
		c.reportScores(scores)
	}
}

func (c *checkup) checkClassifier(ctx context.Context) {
	s, err := onnx.OpenClassifier(c.NLI.local(c.env)) //nolint:contextcheck // nothing to cancel: it reads files
	if err != nil {
		c.missingModel("nli", err)
		return
	}
	defer func() { _ = s.Close() }() // nothing was written
	c.good("nli model", localName(c.NLI.Dir, s.SHA256()))
	scores, err := s.Entail(ctx, pairs)
	if err != nil {
		c.missing("nli scores", inLine(err.Error()), "")
		return
	}
	c.reportScores(scores)
}

// reportScores says whether the pairs were told apart.
func (c *checkup) reportScores(scores []float64) {
	const what = "nli scores"
	detail := fmt.Sprintf("%.2f for a text that entails another, %.2f for one that does not", scores[0], scores[1])
	if scores[0] <= scores[1] {
		c.warn(what, detail, "look whether options.nli.entailment and contradiction name the right labels, and whether the model is one of entailment")
		return
	}
	c.good(what, detail)
}
