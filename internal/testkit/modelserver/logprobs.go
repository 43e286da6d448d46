package modelserver

import (
	"strconv"
	"strings"
)

// tokens returns the tokens of a reply. An echoed key is cut into parts of
// three bytes, as tokenizers cut what is no word.
func tokens(text string, r request) []string {
	pieces := Pieces(text)
	if r.fault != EchoKey || r.key == "" {
		return pieces
	}
	var all []string
	for _, p := range pieces {
		for strings.Contains(p, r.key) && len(p) > 3 {
			all = append(all, p[:3])
			p = p[3:]
		}
		for len(p) > 3 && strings.HasSuffix(r.key, p) {
			all = append(all, p[:3])
			p = p[3:]
		}
		all = append(all, p)
	}
	return all
}

// alternative returns the token of a rank in the place of another token.
func alternative(token string, rank int) string {
	if rank == 0 {
		return token
	}
	return " other" + strconv.Itoa(rank)
}

type chatLogprob struct {
	Token       string        `json:"token"`
	Logprob     float64       `json:"logprob"`
	Bytes       []int         `json:"bytes"`
	TopLogprobs []chatLogprob `json:"top_logprobs,omitempty"`
}

// chatLogprobs returns log-probabilities in the layout of chat completions.
func chatLogprobs(tokens []string, top int) []chatLogprob {
	text := strings.Join(tokens, "")
	list := make([]chatLogprob, len(tokens))
	for i, token := range tokens {
		list[i] = chatLogprob{Token: token, Logprob: Logprob(text, i, 0)}
		for rank := range top {
			list[i].TopLogprobs = append(list[i].TopLogprobs, chatLogprob{Token: alternative(token, rank), Logprob: Logprob(text, i, rank)})
		}
	}
	return list
}

// plainLogprobs returns log-probabilities in the layout of plain completions.
// The first token of a text has none where a server echoes the prompt, so a
// place without them stands before all others.
func plainLogprobs(tokens []string, top int) map[string]any {
	text := strings.Join(tokens, "")
	names := []string{""}
	values := []any{nil}
	tops := []any{nil}
	for i, token := range tokens {
		names = append(names, token)
		values = append(values, Logprob(text, i, 0))
		likeliest := make(map[string]float64)
		for rank := range top {
			likeliest[alternative(token, rank)] = Logprob(text, i, rank)
		}
		tops = append(tops, likeliest)
	}
	return map[string]any{"tokens": names, "token_logprobs": values, "top_logprobs": tops}
}
