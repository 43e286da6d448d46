package limit

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"recallbench/internal/door/fault"
)

// Whatever happens, there are never more calls in flight than the limit, at
// most so many a minute, every call ends, and all slots come back.
func TestRandomSchedules(t *testing.T) {
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 0))
			a := account(t, func(s *Settings) {
				s.Max = 1 + rng.IntN(20)
				s.RPM = rng.IntN(2) * (50 + rng.IntN(500))
				s.TPM = rng.IntN(2) * (1000 + rng.IntN(100_000))
				s.Attempt = time.Duration(1+rng.IntN(20)) * time.Second
				s.Total = time.Duration(1+rng.IntN(90)) * time.Second
				s.Retries = rng.IntN(5)
			})
			faults := rng.Float64()
			var mu sync.Mutex
			start, inFlight := time.Now(), 0
			var sends []send
			try := func(rng *rand.Rand) func(context.Context) (int, error) {
				return func(ctx context.Context) (int, error) {
					mu.Lock()
					inFlight++
					a.mu.Lock()
					counted, limit := a.inFlight, a.adaptive.limit
					a.mu.Unlock()
					if inFlight > counted || counted > limit || limit < 1 || limit > a.settings.Max {
						t.Errorf("seed %d: %d calls in flight, %d counted, limit %d of %d", seed, inFlight, counted, limit, a.settings.Max)
					}
					sends = append(sends, send{time.Since(start), 1})
					mu.Unlock()
					defer func() {
						mu.Lock()
						inFlight--
						mu.Unlock()
					}()
					time.Sleep(time.Duration(rng.IntN(2000)) * time.Millisecond)
					if rng.Float64() > faults {
						return rng.IntN(2000), nil
					}
					wait := time.Duration(rng.IntN(2)*rng.IntN(20)) * time.Second
					switch rng.IntN(8) {
					case 0:
						<-ctx.Done()
						return 0, ctx.Err()
					case 1:
						panic("boom")
					case 2:
						return 0, errors.New("no fault")
					case 3:
						return 0, fault.New(fault.Refused, "")
					case 4:
						return 0, &fault.Error{Kind: fault.Server, RetryAfter: wait}
					default:
						return 0, &fault.Error{Kind: fault.RateLimit, RetryAfter: wait}
					}
				}
			}
			var wg sync.WaitGroup
			for range 150 {
				local := rand.New(rand.NewPCG(rng.Uint64(), 0))
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(10+rng.IntN(3600))*time.Second)
				wg.Go(func() {
					defer cancel()
					defer func() { _ = recover() }()
					time.Sleep(time.Duration(local.IntN(60)) * time.Second)
					attempts, err := a.Do(ctx, local.IntN(3000), try(local))
					if attempts > a.settings.Retries+1 {
						t.Errorf("seed %d: %d attempts with %d retries", seed, attempts, a.settings.Retries)
					}
					if e, ok := errors.AsType[*fault.Error](err); ok && e.Attempts != attempts {
						t.Errorf("seed %d: the error says %d attempts of %d: %v", seed, e.Attempts, attempts, err)
					}
				})
			}
			wg.Wait()
			idle(t, a)
			if n := most(sends, func(s send) int { return s.tokens }); a.settings.RPM > 0 && n > a.settings.RPM {
				t.Errorf("seed %d: %d requests in a minute, want at most %d", seed, n, a.settings.RPM)
			}
		})
	}
}
