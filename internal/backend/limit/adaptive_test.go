package limit

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"recallbench/internal/door/fault"
)

// A server whose capacity changes is followed in both directions.
func TestCapacityChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := account(t, nil)
		s := &server{capacity: 40, latency: 100 * time.Millisecond, refusal: 10 * time.Millisecond}
		for _, capacity := range []int{40, 5, 30, 64} {
			s.mu.Lock()
			s.capacity = capacity
			s.mu.Unlock()
			drive(t, a, 100, 60*capacity, s.call)
			refused := s.refused
			calls := 40 * capacity
			took, errs := drive(t, a, 100, calls, s.call)
			if share := float64(calls) / float64(capacity) * s.latency.Seconds() / took.Seconds(); share < 0.9 || len(errs) > 0 {
				t.Errorf("capacity %d: at %.3f of it with %d errors; limit %d", capacity, share, len(errs), a.adaptive.limit)
			}
			if n := s.refused - refused; n > calls/20 {
				t.Errorf("capacity %d: %d refusals of %d calls", capacity, n, calls)
			}
		}
	})
}

// A call that is refused although it is alone stops the account for what the
// server asks for, or ever longer; then it starts slowly.
func TestLone(t *testing.T) {
	for _, c := range []struct{ retryAfter, latency time.Duration }{
		{0, 0}, {0, time.Second}, {20 * time.Second, 0}, {20 * time.Second, time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			retryAfter, latency := c.retryAfter, c.latency
			a := account(t, nil)
			start := time.Now()
			closed := time.Minute // until then everything is refused
			var refused atomic.Int64
			took, errs := drive(t, a, 64, 640, func(context.Context) (int, error) {
				if time.Since(start) < closed {
					time.Sleep(latency)
					refused.Add(1)
					return 0, &fault.Error{Kind: fault.RateLimit, RetryAfter: retryAfter}
				}
				time.Sleep(time.Second)
				return 0, nil
			})
			if len(errs) > 1 { // the oldest call may have used all its retries
				t.Errorf("Retry-After %s: %d calls failed, the first with: %v", retryAfter, len(errs), errs[0])
			}
			if n := refused.Load(); n > 64+10 {
				t.Errorf("Retry-After %s: %d refusals, want few beyond the first of each worker", retryAfter, n)
			}
			if took > closed+50*time.Second {
				t.Errorf("Retry-After %s: took %s", retryAfter, took)
			}
		})
	}
}
