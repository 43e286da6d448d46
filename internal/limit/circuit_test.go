package limit

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"recallbench/internal/fault"
)

// A dead server costs a few calls and not a whole run.
func TestUnavailable(t *testing.T) {
	for _, kind := range []fault.Kind{fault.Connection, fault.Timeout, fault.Server, fault.RateLimit} {
		t.Run(string(kind), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := account(t, func(s *Settings) { s.Retries = 2 })
				var tries atomic.Int64
				took, errs := drive(t, a, 200, 2000, func(context.Context) (int, error) {
					tries.Add(1)
					time.Sleep(time.Millisecond)
					return 0, fault.New(kind, "no answer")
				})
				counts := map[fault.Kind]int{}
				for _, err := range errs {
					counts[fault.KindOf(err)]++
				}
				if counts[kind] != row-1 || counts[fault.Unavailable] != 2000-row+1 {
					t.Errorf("kinds %v, want %d of %s and the rest unavailable", counts, row-1, kind)
				}
				longest := time.Minute
				if kind == fault.RateLimit { // tried ever more rarely, until the time of the calls is over
					longest = a.settings.Total
				}
				if n := tries.Load(); n > 700 || took > longest {
					t.Errorf("%d tries in %s", n, took)
				}
				last := errs[len(errs)-1].Error()
				if !strings.Contains(last, " calls in a row failed and none came through, the last with: "+string(kind)+": no answer") {
					t.Errorf("error %q", last)
				}
			})
		})
	}
}

// What waits, in the queue or in a back-off, ends with the account.
func TestUnavailableEndsWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := account(t, func(s *Settings) { s.Max, s.Retries, s.RPM = row+2, 1, row+2 })
		dead := fault.New(fault.Connection, "refused")
		errs := make(chan error)
		do := func(try func(context.Context) (int, error)) {
			go func() {
				_, err := a.Do(t.Context(), 0, try)
				errs <- err
			}()
			synctest.Wait()
		}
		do(fail(9, &fault.Error{Kind: fault.Server, RetryAfter: 9 * time.Minute})) // in a back-off
		a.settings.Retries = 0
		hanging := make(chan struct{})
		do(func(context.Context) (int, error) { <-hanging; return 0, dead })
		for range row {
			do(fail(9, dead))
			if err := <-errs; fault.KindOf(err) != fault.Connection {
				t.Errorf("error %v while an older call is in flight", err)
			}
		}
		do(fail(0, nil)) // in the queue, for the minute
		start := time.Now()
		close(hanging)
		for range 3 {
			if err := <-errs; fault.KindOf(err) != fault.Unavailable {
				t.Errorf("error %v, want one of an unavailable account", err)
			}
		}
		if took := time.Since(start); took != 0 {
			t.Errorf("waiting calls ended after %s", took)
		}
		idle(t, a)
		if attempts, err := a.Do(t.Context(), 0, fail(0, nil)); attempts != 0 || fault.KindOf(err) != fault.Unavailable {
			t.Errorf("%d attempts, error %v of a new call", attempts, err)
		}
	})
}

// An account that answers now and then is never given up: neither one of
// whose calls a few come through, nor one whose answers take long beside
// failures that are quick.
func TestStillAvailable(t *testing.T) {
	for name, try := range map[string]func(rng *rand.Rand) (int, error){
		"one in 30": func(rng *rand.Rand) (int, error) {
			time.Sleep(time.Duration(rng.IntN(50)) * time.Millisecond)
			if rng.IntN(30) == 0 {
				return 0, nil
			}
			return 0, fault.New(fault.Server, "")
		},
		"slow answers": func(rng *rand.Rand) (int, error) {
			if rng.IntN(10) == 0 {
				time.Sleep(time.Minute)
				return 0, nil
			}
			return 0, fault.New(fault.Connection, "")
		},
		"refusals": func(*rand.Rand) (int, error) {
			return 0, fault.New(fault.Rejected, "")
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := account(t, func(s *Settings) { s.Retries = 0 })
				rng := rand.New(rand.NewPCG(5, 6))
				most, inARow := 0, 0
				_, errs := drive(t, a, 64, 3000, func(context.Context) (int, error) {
					a.mu.Lock()
					local := rand.New(rand.NewPCG(rng.Uint64(), 0))
					a.mu.Unlock()
					tokens, err := try(local)
					a.mu.Lock()
					defer a.mu.Unlock()
					if inARow++; err == nil {
						inARow = 0
					}
					most = max(most, inARow)
					return tokens, err
				})
				for _, err := range errs {
					if fault.KindOf(err) == fault.Unavailable && most < row {
						t.Fatalf("given up with %d failures in a row", most)
					}
				}
				if name != "one in 30" && a.circuit.givenUp() {
					t.Error("the account is given up")
				}
			})
		})
	}
}

// An answer of a call that was in flight makes the account available again.
func TestAvailableAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := account(t, func(s *Settings) { s.Retries = 0 })
		dead := fault.New(fault.Connection, "refused")
		_, _ = a.Do(t.Context(), 0, fail(1, dead))
		answer := make(chan struct{})
		done := make(chan error)
		go func() {
			_, err := a.Do(t.Context(), 0, func(context.Context) (int, error) { <-answer; return 0, nil })
			done <- err
		}()
		synctest.Wait()
		for range row {
			_, _ = a.Do(t.Context(), 0, fail(1, dead))
		}
		if !a.circuit.givenUp() {
			t.Fatal("the account is not given up")
		}
		close(answer)
		if err := errors.Join(<-done); err != nil {
			t.Error(err)
		}
		if _, err := a.Do(t.Context(), 0, fail(0, nil)); err != nil {
			t.Error(err)
		}
	})
}
