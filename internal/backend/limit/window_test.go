package limit

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"
)

// send is an attempt as a provider sees it.
type send struct {
	at     time.Duration
	tokens int
}

// most returns the largest sum of tokens, or number of sends, of any minute.
func most(sends []send, of func(send) int) int {
	largest := 0
	for i, first := range sends {
		sum := 0
		for _, s := range sends[i:] {
			if s.at-first.at < time.Minute {
				sum += of(s)
			}
		}
		largest = max(largest, sum)
	}
	return largest
}

func TestMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := account(t, func(s *Settings) { s.RPM, s.TPM = 100, 5000 })
		s := &server{capacity: 64, latency: 3 * time.Second}
		start := time.Now()
		var sends []send
		tokens := 0
		took, errs := drive(t, a, 64, 1000, func(ctx context.Context) (int, error) {
			s.mu.Lock()
			sends = append(sends, send{time.Since(start), 1})
			s.mu.Unlock()
			return s.call(ctx)
		})
		if n := most(sends, func(s send) int { return s.tokens }); n > 100 || len(errs) > 0 {
			t.Errorf("%d requests in a minute and %d errors, want at most 100 and none", n, len(errs))
		}
		if took > 9*span+6*time.Second { // 64 and 3 seconds later 36 a minute
			t.Errorf("took %s, want 9m15s", took)
		}

		start, sends = time.Now(), nil
		for i := range 200 {
			tokens = 100 + 37*i%400
			if _, err := a.Do(t.Context(), tokens, func(context.Context) (int, error) {
				sends = append(sends, send{time.Since(start), tokens})
				return 0, nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		if n := most(sends, func(s send) int { return s.tokens }); n > 5000 || n < 4500 {
			t.Errorf("%d tokens in a minute, want close to 5000", n)
		}
	})
}

// What a call took takes the place of the estimate, and a call larger than a
// minute waits for an empty one.
func TestTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := account(t, func(s *Settings) { s.TPM = 1000 })
		start := time.Now()
		do := func(estimate, took int, want time.Duration) {
			t.Helper()
			_, err := a.Do(t.Context(), estimate, func(context.Context) (int, error) {
				if got := time.Since(start); got != want {
					t.Errorf("sent after %s, want %s", got, want)
				}
				return took, nil
			})
			if err != nil {
				t.Error(err)
			}
		}
		do(900, 100, 0)
		do(900, 950, 0) // 800 were given back
		do(1, 0, span)
		do(999, 0, span)
		do(5000, 0, 2*span)
		do(1000, 0, 3*span)
		do(-5, 0, 3*span)
		do(math.MaxInt, math.MaxInt, 4*span)
		do(1, 1, 5*span)
	})
}

// Calls that wait for the minute hold no slot and keep their order.
func TestMinuteHoldsNoSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := account(t, func(s *Settings) { s.RPM = 2 })
		for range 4 {
			go a.Do(t.Context(), 0, func(context.Context) (int, error) { time.Sleep(time.Second); return 0, nil }) //nolint:errcheck // it cannot fail
		}
		time.Sleep(30 * time.Second)
		a.mu.Lock()
		inFlight, waiting := a.inFlight, len(a.queue)
		a.mu.Unlock()
		if inFlight != 0 || waiting != 2 {
			t.Errorf("%d in flight and %d wait, want 0 and 2", inFlight, waiting)
		}
		time.Sleep(span - 28*time.Second)
		idle(t, a)
	})
}
