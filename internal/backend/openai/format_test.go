package openai

import "testing"

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
