package provider

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"recallbench/internal/backend/budget"
	"recallbench/internal/backend/limit"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/token"
	"recallbench/internal/testkit/try"
)

// The budget sets tokens aside for a reply that a program outside does not bound,
// and counts what its request has beside messages.
func TestUnbound(t *testing.T) {
	tokens := try.Get(token.Open("o200k_base", ""))(t)
	account := try.Get(limit.NewRegistry().Account("unbound", limit.Defaults()))(t)
	rest := []byte(`{"tools":[{"type":"function"}]}`)
	model := llm.GeneratorFunc(func(context.Context, llm.Request) (llm.Reply, error) {
		return llm.Reply{Wire: []byte(`[{"message":{"tool_calls":[]}}]`)}, nil
	})
	for _, tt := range []struct {
		budget, max int
		fits        bool
	}{
		{unboundTokens, 0, false},
		{unboundTokens + tokens.Count(string(rest)), 0, true},
		{100, 50, true},
	} {
		b := budget.New(tt.budget, 0)
		chat := limitedChat{model, gate{account: account, budget: b, tokens: tokens}}
		_, err := chat.Generate(t.Context(), llm.Request{Params: llm.Params{MaxTokens: tt.max}, Wire: &llm.Wire{Rest: rest}})
		if (err == nil) != tt.fits {
			t.Errorf("a budget of %d: %v", tt.budget, err)
		}
		if spent, _ := b.Spent(); tt.fits && spent <= tokens.Count(string(rest)) {
			t.Errorf("%d tokens spent, want those of the tool's call too", spent)
		}
	}
}

// A call that is tried again after a reply that was paid does not keep its slot while it
// waits for what another call, which waits for the slot, has set aside.
func TestBudgetAndSlot(t *testing.T) {
	tokens := try.Get(token.Open("o200k_base", ""))(t)
	synctest.Test(t, func(t *testing.T) {
		settings := limit.Defaults()
		settings.Max = 1
		account := try.Get(limit.NewRegistry().Account("one at a time", settings))(t)
		b := budget.New(100, 0)
		b.Keep(func(budget.Entry) error { // who waits takes what was set free before the slot is
			time.Sleep(time.Millisecond)
			return nil
		})
		g := gate{account: account, budget: b, tokens: tokens}
		most, tries, start := llm.Usage{Output: 40}, 0, time.Now()
		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() {
				_, err := g.pass(t.Context(), most, func(context.Context) (llm.Usage, error) {
					time.Sleep(time.Second)
					if tries++; tries == 1 {
						return llm.Usage{Output: 10, Calls: 1}, fault.New(fault.BadReply, "garbled")
					}
					return llm.Usage{Output: 1, Calls: 1}, nil
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		if spent, _ := b.Spent(); spent != 14 {
			t.Errorf("%d tokens spent, want 10 and 4 of 1", spent)
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("took %s for five attempts of a second", took)
		}
	})
}
