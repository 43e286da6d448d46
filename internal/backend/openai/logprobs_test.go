package openai

import (
	"net/http"
	"strings"
	"testing"

	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/testkit/try"
)

// A server without log-probabilities is a fault where they were asked for, in
// either interface and in whatever way it says so; else it is none.
func TestNoLogprobs(t *testing.T) {
	for _, tt := range []struct {
		status int
		body   string
		want   fault.Kind
	}{
		{http.StatusOK, `{"choices":[{"message":{"content":"yes"},"logprobs":null}]}`, fault.NoLogprobs},
		{http.StatusOK, `{"choices":[{"message":{"content":"yes"},"logprobs":{"content":[]}}]}`, fault.NoLogprobs},
		{http.StatusOK, `{"choices":[{"text":"yes","logprobs":{"tokens":["yes"],"token_logprobs":[null]}}]}`, fault.NoLogprobs},
		{http.StatusOK, `{"choices":[{"message":{"content":""},"finish_reason":"stop","logprobs":null}]}`, fault.Empty},
		{http.StatusForbidden, `{"error":{"message":"You are not allowed to request logprobs from this model","type":"invalid_request_error","param":null,"code":null}}`, fault.NoLogprobs},
		{http.StatusBadRequest, `{"error":{"message":"Unsupported parameter: 'logprobs'","param":"logprobs","code":"unsupported_parameter"}}`, fault.NoLogprobs},
		{http.StatusBadRequest, `{"error":{"message":"Unsupported parameter: 'top_logprobs'","param":"top_logprobs","code":"unsupported_parameter"}}`, fault.Rejected},
		{http.StatusBadRequest, `{"error":{"message":"top_logprobs must be at most 20","param":"top_logprobs"}}`, fault.Rejected},
		{http.StatusForbidden, `{"error":{"message":"no such project"}}`, fault.Auth},
	} {
		c := mustChat(t, Config{BaseURL: canned(t, tt.status, nil, tt.body), Model: "m"})
		r := ask("hi")
		if _, err := c.Generate(t.Context(), r); (err == nil) != (tt.status == http.StatusOK && tt.want == fault.NoLogprobs) {
			t.Errorf("%d %s, not asked for: %v", tt.status, tt.body, err)
		}
		r.Params.Logprobs = true
		if _, err := c.Generate(t.Context(), r); fault.KindOf(err) != tt.want || !strings.Contains(err.Error(), `model "m" at `) {
			t.Errorf("%d %s: %v, want the kind %s and the model's name", tt.status, tt.body, err, tt.want)
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
		{"white space that was asked for", `{"choices":[{"text":"\n","logprobs":{"tokens":["\n"],"token_logprobs":[-0.5]}}]}`, []llm.Logprob{lp("\n", -0.5)}},
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
		try.Equal(t, tt.name, tt.want, got.Logprobs)
	}
}
