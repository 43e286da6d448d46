package meter

import (
	"testing"
	"time"

	"recallbench/internal/door/llm"
	"recallbench/internal/testkit/try"
)

// A tally has what its meters have, while their contexts are still in use.
func TestTally(t *testing.T) {
	tally := NewTally()
	ctx := Count(t.Context(), tally)
	_, m := With(ctx, time.Now, Limits{})
	m.add("reader", llm.Usage{Calls: 1, Input: 10, Output: 2}, 0.5, true, false)
	m.add("reader", llm.Usage{Calls: 1, Input: 10, Output: 2}, 0.5, true, true)
	_, other := With(ctx, time.Now, Limits{})
	other.add(EmbedRole, llm.Usage{Calls: 1, Input: 5}, 0.25, true, false)
	want := Spent{Calls: 3, Tokens: 29, Paid: Paid{Calls: 1, Reused: 1, Tokens: 17, USD: new(0.75)}}
	try.Equal(t, "spent", want, tally.Spent())
	other.add("reader", llm.Usage{Calls: 1}, 0, false, false)
	if tally.Spent().USD != nil {
		t.Error("the price is known though that of a call is not")
	}
}
