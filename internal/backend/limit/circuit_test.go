package limit

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"recallbench/internal/door/fault"
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
				if !strings.Contains(last, " calls in a row failed without a success in between, the last with: "+string(kind)+": no answer") {
					t.Errorf("error %q", last)
				}
			})
		})
	}
}

// What waits, in the queue or in a back-off, ends with the account.
func TestUnavailableEndsWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := account(t, func(s *Settings) { s.Max, s.Retries, s.RPM = row+2, 1, row+1 })
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
		for range row - 1 {
			do(fail(9, dead))
			if err := <-errs; fault.KindOf(err) != fault.Connection {
				t.Errorf("error %v", err)
			}
		}
		last := make(chan struct{})
		do(func(context.Context) (int, error) { <-last; return 0, dead })
		do(fail(0, nil)) // in the queue, for the minute
		start := time.Now()
		close(last)
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

// An account is not given up while calls come through, or are rejected.
func TestStillAvailable(t *testing.T) {
	for name, share := range map[fault.Kind]int{fault.Server: 3, fault.Rejected: 1000} {
		synctest.Test(t, func(t *testing.T) {
			a := account(t, func(s *Settings) { s.Retries = 0 })
			var n atomic.Int64
			_, errs := drive(t, a, 64, 3000, func(context.Context) (int, error) {
				i := n.Add(1)
				time.Sleep(time.Duration(i%50) * time.Millisecond)
				if i%int64(share) == 0 {
					return 0, nil
				}
				return 0, fault.New(name, "")
			})
			for _, err := range errs {
				if fault.KindOf(err) == fault.Unavailable {
					t.Fatal(err)
				}
			}
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
		if !a.circuit.down {
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

// A server that answers, but with garbage, costs a bounded number of calls,
// whatever is in flight and however long some replies take.
func TestGarbled(t *testing.T) {
	for _, kind := range []fault.Kind{fault.BadReply, fault.TooLong} {
		for _, parallel := range []int{1, 64, 256} {
			for name, reply := range map[string]func(n int64) time.Duration{
				"alike":        func(int64) time.Duration { return time.Millisecond },
				"some late":    func(n int64) time.Duration { return time.Duration(n%7) * 10 * time.Second },
				"late in time": func(n int64) time.Duration { return time.Duration(n) * time.Second },
			} {
				t.Run(fmt.Sprintf("%s, %d, %s", kind, parallel, name), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						a := account(t, func(s *Settings) { s.Max = 256 })
						var tries atomic.Int64
						most := int64(row + parallel) // all are sent before the first fails
						_, errs := drive(t, a, parallel, 800, func(ctx context.Context) (int, error) {
							n := tries.Add(1)
							select {
							case <-time.After(reply(n)):
								return 0, fault.New(kind, "it begins: <html>")
							case <-ctx.Done():
								return 0, ctx.Err()
							}
						})
						if n := tries.Load(); n > most {
							t.Errorf("%d tries, want at most %d", n, most)
						}
						last := errs[len(errs)-1]
						if fault.KindOf(last) != fault.Unavailable {
							t.Errorf("error %v", last)
						}
						idle(t, a)
					})
				})
			}
		}
	}
}
