package runners

import (
	"context"
	"testing"
	"time"

	"recallbench/internal/backend/limit"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/try"
)

// TestLedger estimates the calls of a run from those of what is finished in each row.
func TestLedger(t *testing.T) {
	l := newLedger(func() limit.Counts { return limit.Counts{Retries: 7} })
	ctx := meter.Count(t.Context(), l.tally)
	calls := func(n int) map[string]llm.Usage {
		ctx, m := meter.With(ctx, time.Now, meter.Limits{})
		door := meter.Generator(llm.GeneratorFunc(func(context.Context, llm.Request) (llm.Reply, error) { return llm.Reply{}, nil }), counter{}, meter.Free)
		for range n {
			try.Get(door.Generate(ctx, llm.Request{Role: "reader"}))(t)
		}
		return m.Seen().Usage
	}
	l.plan("a", 4, 20)
	check := func(step, steps float64) {
		t.Helper()
		s := l.state()
		if s.Step != step || s.Steps != steps || s.Retries != 7 {
			t.Errorf("%v of %v steps, %d retries, want %v of %v and 7", s.Step, s.Steps, s.Retries, step, steps)
		}
	}
	check(0, 0)
	l.memory("a", calls(0))
	check(1, 24) // no call yet: memories and requests count
	l.request("a", calls(1), record.OK)
	check(1, 20) // none for a memory, a call for a request
	l.memory("a", calls(50))
	check(51, 120) // 4 * 25 + 20 * 1
	calls(7)       // under way
	check(58, 120)
	l.request("a", calls(3), record.Error)
	check(61, 140) // 4 * 25 + 20 * 2
	l.plan("b", 1, 5)
	check(61, 0) // nobody knows what the memory of this row takes
	l.memory("b", calls(100))
	check(161, 250) // 100 + 5 * 2, those of the first row
	calls(90)       // a memory takes more than those before it
	check(251, 0)
	if s := l.state(); s.Memories != 3 || s.Requests != 2 || s.Failed != 1 {
		t.Errorf("%+v", s)
	}
}

type counter struct{}

func (counter) Count(string) int { return 1 }
func (counter) Name() string     { return "ones" }
