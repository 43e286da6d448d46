package httpfault

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"recallbench/internal/testkit/try"
)

func newBudget(n int) *budget { return &budget{size: n, free: n} }

// Holders that each need more and more never wait for each other for ever, and
// what they take beyond the budget is at most what one takes.
func TestBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBudget(1000)
		var wg sync.WaitGroup
		for i := range 200 {
			wg.Go(func() {
				rng := rand.New(rand.NewPCG(1, uint64(i)))
				h := &hold{budget: b}
				for range 10 { // up to 300
					if err := h.take(t.Context(), rng.IntN(31)); err != nil {
						t.Error(err)
					}
					time.Sleep(time.Duration(rng.IntN(1000)) * time.Millisecond)
				}
				h.release()
			})
		}
		wg.Wait()
		if b.free != b.size || b.excess != nil || len(b.waiting) > 0 {
			t.Errorf("%d of %d free, %d wait", b.free, b.size, len(b.waiting))
		}
		if b.most > 1300 || b.most < 1000 {
			t.Errorf("%d taken at a time, want 1000 to 1300", b.most)
		}
	})
}

// Who waits can be canceled, and those behind go on.
func TestBudgetCanceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBudget(100)
		first, second, third, fourth := &hold{budget: b}, &hold{budget: b}, &hold{budget: b}, &hold{budget: b}
		take := func(h *hold, n int) {
			t.Helper()
			try.Do(t, h.take(t.Context(), n))
		}
		take(first, 90)
		take(second, 50) // beyond the budget
		ctx, cancel := context.WithCancelCause(t.Context())
		failed, done := make(chan error, 1), make(chan error, 1)
		go func() { failed <- third.take(ctx, 60) }()
		synctest.Wait()
		go func() { done <- fourth.take(t.Context(), 10) }()
		synctest.Wait()
		why := errors.New("interrupted")
		cancel(why)
		if err := <-failed; !errors.Is(err, why) {
			t.Errorf("error %v, want %v", err, why)
		}
		synctest.Wait()
		first.release()
		if err := <-done; err != nil {
			t.Error(err)
		}
		third.release()
		second.release()
		fourth.release()
		if b.free != 100 || b.excess != nil {
			t.Errorf("%d free, want 100", b.free)
		}
	})
}
