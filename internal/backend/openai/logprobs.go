package openai

import (
	"cmp"
	"slices"
	"strings"

	"recallbench/internal/door/llm"
)

// A logprobs holds log-probabilities in either layout: that of chats, which
// llama.cpp uses for plain completions too, or that of plain completions.
type logprobs struct {
	Content []chatLogprob `json:"content"`

	Tokens []string             `json:"tokens"`
	Values []*float64           `json:"token_logprobs"` // nil for the first token of a text
	Tops   []map[string]float64 `json:"top_logprobs"`
}

type chatLogprob struct {
	Token   string        `json:"token"`
	Logprob *float64      `json:"logprob"`
	Top     []chatLogprob `json:"top_logprobs"`
}

// list returns the log-probabilities of the tokens that have one, with top of
// the likeliest in the place of each.
func (l *logprobs) list(top int) []llm.Logprob {
	var all []llm.Logprob
	for _, t := range l.Content {
		if t.Logprob == nil {
			continue
		}
		lp := llm.Logprob{Token: t.Token, Logprob: *t.Logprob}
		for _, alt := range t.Top {
			if alt.Logprob != nil {
				lp.Top = append(lp.Top, llm.Logprob{Token: alt.Token, Logprob: *alt.Logprob})
			}
		}
		all = append(all, lp)
	}
	for i := range min(len(l.Tokens), len(l.Values)) {
		if l.Values[i] == nil {
			continue
		}
		lp := llm.Logprob{Token: l.Tokens[i], Logprob: *l.Values[i]}
		if i < len(l.Tops) {
			for token, value := range l.Tops[i] {
				lp.Top = append(lp.Top, llm.Logprob{Token: token, Logprob: value})
			}
		}
		all = append(all, lp)
	}
	for i := range all {
		likeliest := all[i].Top
		slices.SortFunc(likeliest, func(a, b llm.Logprob) int {
			return cmp.Or(cmp.Compare(b.Logprob, a.Logprob), strings.Compare(a.Token, b.Token))
		})
		// Some servers add the sampled token where it is not among the
		// likeliest.
		all[i].Top = likeliest[:min(top, len(likeliest))]
		if len(all[i].Top) == 0 {
			all[i].Top = nil
		}
	}
	return all
}

// after returns the log-probabilities of the tokens behind the first n bytes of
// a text, where the tokens spell it.
func after(list []llm.Logprob, text string, n int) []llm.Logprob {
	at := 0
	for i, lp := range list {
		if at >= n {
			return list[i:]
		}
		if !strings.HasPrefix(text[at:], lp.Token) {
			break
		}
		at += len(lp.Token)
	}
	if at >= n {
		return nil
	}
	return list
}
