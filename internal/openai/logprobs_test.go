package openai

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/llm"
	"recallbench/internal/modelserver"
)

func TestLogprobs(t *testing.T) {
	answer := modelserver.Answer("hi")
	want := func(top int) []llm.Logprob {
		var list []llm.Logprob
		for i, p := range modelserver.Pieces(answer) {
			lp := llm.Logprob{Token: p, Logprob: modelserver.Logprob(answer, i, 0)}
			for rank := range top {
				token := p
				if rank > 0 {
					token = " other" + string(rune('0'+rank))
				}
				lp.Top = append(lp.Top, llm.Logprob{Token: token, Logprob: modelserver.Logprob(answer, i, rank)})
			}
			list = append(list, lp)
		}
		return list
	}
	for _, q := range []Quirks{{}, {API: "completions"}} {
		c, _ := newChat(t, modelserver.Options{}, q)
		for _, top := range []int{0, 1, 3} {
			r := ask("hi")
			r.Params = llm.Params{Logprobs: true, TopLogprobs: top}
			got, err := c.Generate(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want(top), got.Logprobs); diff != "" {
				t.Errorf("%s, top %d (-want +got):\n%s", q.API, top, diff)
			}
		}
	}
}

func TestLogprobLayouts(t *testing.T) {
	chat := func(logprobs string) string {
		return `{"choices":[{"message":{"content":"<think>a b</think>\n\nyes no"},"logprobs":` + logprobs + `}]}`
	}
	lp := func(token string, p float64, top ...llm.Logprob) llm.Logprob {
		return llm.Logprob{Token: token, Logprob: p, Top: top}
	}
	for _, tt := range []struct {
		name, body string
		want       []llm.Logprob
	}{
		{"none", chat(`null`), nil},
		{"the thought is left out", chat(`{"content":[{"token":"<think>","logprob":-1},{"token":"a b","logprob":-2},{"token":"</think>\n\n","logprob":-3},{"token":"yes","logprob":-4},{"token":" no","logprob":-5}]}`), []llm.Logprob{lp("yes", -4), lp(" no", -5)}},
		{"tokens of other text stay", chat(`{"content":[{"token":"yes","logprob":-4}]}`), []llm.Logprob{lp("yes", -4)}},
		{
			"the likeliest first, then by token, no more than asked for", chat(`{"content":[{"token":"yes","logprob":-4,"top_logprobs":[{"token":"d","logprob":-9},{"token":"c","logprob":-1},{"token":"b","logprob":-1}]}]}`),
			[]llm.Logprob{lp("yes", -4, lp("b", -1), lp("c", -1))},
		},
		{
			"plain completions", `{"choices":[{"text":"ab","logprobs":{"tokens":["x","a","b"],"token_logprobs":[null,-1,-2],"top_logprobs":[null,{"b":-3,"a":-1,"c":-3},null]}}]}`,
			[]llm.Logprob{lp("a", -1, lp("a", -1), lp("b", -3)), lp("b", -2)},
		},
		{
			"plain completions of llama.cpp", `{"choices":[{"text":"ab","logprobs":{"content":[{"id":5,"token":"ab","bytes":[97,98],"logprob":-1,"top_logprobs":[{"id":5,"token":"ab","logprob":-1}]}]}}]}`,
			[]llm.Logprob{lp("ab", -1, lp("ab", -1))},
		},
		{"lists of unequal length", `{"choices":[{"text":"ab","logprobs":{"tokens":["a","b"],"token_logprobs":[-1]}}]}`, []llm.Logprob{lp("a", -1)}},
	} {
		c := mustChat(t, Config{BaseURL: canned(t, http.StatusOK, nil, tt.body), Model: "m"})
		r := ask("hi")
		r.Params = llm.Params{Logprobs: true, TopLogprobs: 2}
		got, err := c.Generate(t.Context(), r)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if diff := cmp.Diff(tt.want, got.Logprobs); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestPiecesWithSecrets(t *testing.T) {
	c := newCleaner(Config{Key: "sk-secret", Headers: map[string]string{"X-Other": "hush-hush-1"}})
	for _, tt := range []struct{ in, want string }{
		{"no|thing", "no|thing"},
		{"a|sk-secret|b", "a|[key]|b"},
		{"a|sk-|sec|ret|b", "a|[key]|||b"},
		{"x sk|-secret y", "x [key]| y"},
		{"sk-secretsk-|secret", "[key][key]|"},
		{"s|k|-|s|e|c|r|e|t|s", "[key]|||||||||s"},
		{"hush-|hush-1 sk|-secret", "[key]| [key]|"},
		{"sk-secre|x", "sk-secre|x"},
	} {
		if got := strings.Join(c.pieces(strings.Split(tt.in, "|")), "|"); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.in, got, tt.want)
		}
	}
}
