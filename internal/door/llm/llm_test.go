package llm

import (
	"testing"

	"recallbench/internal/testkit/try"
)

func TestUsage(t *testing.T) {
	got := Usage{Calls: 1, Input: 10, Cached: 4, Output: 2, Reasoning: 1}.Add(Usage{Calls: 2, Input: 5, Output: 3, Counted: true})
	want := Usage{Calls: 3, Input: 15, Cached: 4, Output: 5, Reasoning: 1, Counted: true}
	try.Equal(t, "sum", want, got)
	if got.Total() != 20 {
		t.Errorf("Total() = %d, want 20", got.Total())
	}
}

func TestEcho(t *testing.T) {
	for _, tt := range []struct {
		messages []Message
		want     string
	}{
		{nil, ""},
		{[]Message{{System, "be brief"}, {User, "hello"}}, "hello"},
	} {
		reply, err := Echo().Generate(t.Context(), Request{Messages: tt.messages})
		if err != nil || reply.Text != tt.want {
			t.Errorf("Echo of %v = %q, %v; want %q", tt.messages, reply.Text, err, tt.want)
		}
	}
}
