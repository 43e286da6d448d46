package openai

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestExtract(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{`{"a":1}`, `{"a":1}`},
		{"  {\"a\": {\"b\": \"}\"}}\n", `{"a": {"b": "}"}}`},
		{"```json\n{\"a\":1}\n```", `{"a":1}`},
		{"Sure, {helpful} as I am:\n{\"a\":1}\nBye {}", `{"a":1}`},
		{`from {"a":1} to {"a":2}`, `{"a":2}`},
		{`{"a":1`, `{"a":1`},
		{"no object", "no object"},
		{"", ""},
		{strings.Repeat("{", 1000) + `"a":1}`, strings.Repeat("{", 1000) + `"a":1}`},
	} {
		if got := extract(tt.in); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestAnswer(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"yes", "yes"},
		{"<think>a\nb</think>\n\nyes", "yes"},
		{" \n<think></think>yes\n", "yes\n"},
		{"a thought whose tag the prompt holds\n</think>\n\nyes", "yes"},
		{"<think>cut off", ""},
		{"the tag <think> is a tag", "the tag <think> is a tag"},
		{"write <think>x</think> here", "write <think>x</think> here"},
		{"<think>a</think>b</think>c", "b</think>c"},
		{"", ""},
	} {
		if got := answer(tt.in); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.in, got, tt.want)
		}
	}
}

func FuzzExtract(f *testing.F) {
	f.Add("```json\n{\"a\": [1, {}]}\n```")
	f.Add("{{{}")
	f.Add(`{"a":"\ud800"}{`)
	f.Fuzz(func(t *testing.T, text string) {
		got := extract(text)
		if !strings.Contains(text, got) {
			t.Errorf("%q is not in %q", got, text)
		}
		if got != text && (!json.Valid([]byte(got)) || got[0] != '{') {
			t.Errorf("%q of %q is no object", got, text)
		}
	})
}
