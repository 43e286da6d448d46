package openai

import (
	"regexp"

	"recallbench/internal/door/llm"
	"recallbench/internal/text/redact"
)

// masked is a key whose ends alone a server shows, such as sk-ab***yz.
var masked = regexp.MustCompile(`[^\s"'\x60]*\*{3,}[^\s"'\x60.]*`)

// cleanTokens removes secrets from tokens, also those that several tokens
// spell: the sampled ones, and the likeliest ones of each rank.
func cleanTokens(r *redact.Redactor, list []llm.Logprob) {
	ranks := 0
	for _, lp := range list {
		ranks = max(ranks, len(lp.Top))
	}
	for rank := -1; rank < ranks; rank++ {
		var at []*string
		for i := range list {
			switch {
			case rank < 0:
				at = append(at, &list[i].Token)
			case rank < len(list[i].Top):
				at = append(at, &list[i].Top[rank].Token)
			}
		}
		texts := make([]string, len(at))
		for i, p := range at {
			texts[i] = *p
		}
		for i, text := range r.Pieces(texts) {
			*at[i] = text
		}
	}
}
