package limit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"recallbench/internal/door/fault"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/try"
)

// A server plays a provider that takes so many calls at once.
type server struct {
	capacity   int
	latency    time.Duration
	refusal    time.Duration // how long a refusal takes
	retryAfter time.Duration

	mu                      sync.Mutex
	inside, served, refused int
}

func (s *server) call(ctx context.Context) (int, error) {
	s.mu.Lock()
	if s.inside >= s.capacity {
		s.refused++
		s.mu.Unlock()
		time.Sleep(s.refusal)
		return 0, &fault.Error{Kind: fault.RateLimit, Status: 429, RetryAfter: s.retryAfter}
	}
	s.inside++
	s.mu.Unlock()
	select {
	case <-time.After(s.latency):
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inside--
	s.served++
	return 0, ctx.Err()
}

// drive makes calls from so many workers and returns how long that took and
// the errors.
func drive(t *testing.T, a *Account, workers, calls int, try func(context.Context) (int, error)) (time.Duration, []error) {
	t.Helper()
	start := time.Now()
	var wg sync.WaitGroup
	var mu sync.Mutex
	var errs []error
	for range min(workers, calls) {
		wg.Go(func() {
			for {
				mu.Lock()
				if calls == 0 {
					mu.Unlock()
					return
				}
				calls--
				mu.Unlock()
				if _, err := a.Do(t.Context(), 0, try); err != nil {
					mu.Lock()
					errs = append(errs, err)
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	idle(t, a)
	return time.Since(start), errs
}

// idle fails t unless nothing is in flight or waits.
func idle(t *testing.T, a *Account) {
	t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.inFlight != 0 || len(a.queue) != 0 {
		t.Errorf("%d calls are in flight and %d wait", a.inFlight, len(a.queue))
	}
}

func account(t *testing.T, change func(*Settings)) *Account {
	t.Helper()
	s := Defaults()
	s.Max = 64
	if change != nil {
		change(&s)
	}
	a := try.Get(NewRegistry().Account("test", s))(t)
	// The same waits in every run of the test.
	a.random = rand.New(rand.NewPCG(1, 2))
	return a
}

// A server that takes fewer calls than the account sends at first is kept at
// 90 % of its capacity with few refusals, and no call fails.
func TestCapacity(t *testing.T) {
	const ms = time.Millisecond
	for _, capacity := range []int{1, 7, 40} {
		for _, latency := range []time.Duration{20 * ms, 200 * ms} {
			for _, refusal := range []time.Duration{0, ms, latency} {
				for _, retryAfter := range []time.Duration{0, time.Second} {
					for _, workers := range []int{64, 700}[:longtest.N(1, 2)] {
						{
							name := fmt.Sprintf("capacity %d, latency %s, refusal %s, Retry-After %s, %d workers", capacity, latency, refusal, retryAfter, workers)
							synctest.Test(t, func(t *testing.T) {
								a := account(t, nil)
								s := &server{capacity: capacity, latency: latency, refusal: refusal, retryAfter: retryAfter}
								// With fewer calls than that the wait of those
								// refused at first would be most of the time.
								calls := 100*capacity + 64
								took, errs := drive(t, a, workers, calls, s.call)
								if len(errs) > 0 {
									t.Errorf("%s: %d calls failed, the first with: %v", name, len(errs), errs[0])
								}
								if share := float64(calls) / float64(capacity) * latency.Seconds() / took.Seconds(); share < 0.9 || s.served != calls {
									t.Errorf("%s: %d calls at %.3f of the capacity, want 0.9", name, s.served, share)
								}
								if most := 64 + 8 + calls/50; s.refused > most {
									t.Errorf("%s: %d refusals of %d calls, want at most %d", name, s.refused, calls, most)
								}
							})
						}
					}
				}
			}
		}
	}
}

// Where the server takes what the account sends nothing is lost.
func TestIdeal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := account(t, func(s *Settings) { s.Max = 256 })
		s := &server{capacity: 256, latency: 200 * time.Millisecond}
		took, errs := drive(t, a, 1000, 5000, s.call)
		ideal := 20 * s.latency // ceil(5000/256), and the first calls are sent one after the other
		if took > ideal+ideal/100 || len(errs) > 0 {
			t.Errorf("took %s with %d errors, want %s", took, len(errs), ideal)
		}
	})
}

// A server that refuses and fails now and then, whatever is in flight, is not
// taken for a small one: nothing is lost, and the limit stays above what each
// refusal for itself would leave. The last calls are not timed: one that fails seven
// times in a row waits half a minute by itself.
func TestFaultsAtRandom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := account(t, func(s *Settings) { s.Attempt, s.Retries = time.Second, 10 })
		rng := rand.New(rand.NewPCG(3, 4))
		var mu sync.Mutex
		draw := func() (float64, time.Duration) {
			mu.Lock()
			defer mu.Unlock()
			return rng.Float64(), time.Duration(10+rng.IntN(20)) * time.Millisecond
		}
		tries, answers := 0, 0
		start, took := time.Now(), time.Duration(0)
		_, errs := drive(t, a, 64, 2000, func(ctx context.Context) (int, error) {
			x, latency := draw()
			time.Sleep(latency)
			mu.Lock()
			defer mu.Unlock()
			tries++
			switch {
			case x < 0.05:
				return 0, fault.New(fault.RateLimit, "slow down")
			case x < 0.15:
				return 0, fault.New(fault.Server, "no")
			case x < 0.28:
				return 0, fault.New(fault.Connection, "reset")
			case x < 0.29:
				return 0, fault.New(fault.BadReply, "no JSON")
			case x < 0.3:
				mu.Unlock()
				<-ctx.Done()
				mu.Lock()
				return 0, ctx.Err()
			}
			if answers++; answers == 1900 {
				took = time.Since(start)
			}
			return 0, nil
		})
		if len(errs) > 0 || answers != 2000 {
			t.Errorf("%d answers and the errors %v, want 2000 answers", answers, errs)
		}
		if took > 8*time.Second {
			t.Errorf("1900 answers took %s, want at most 8s", took)
		}
		t.Logf("1900 answers of %d tries in %s", tries, took)
	})
}
