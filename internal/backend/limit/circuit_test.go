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
				if kind != fault.RateLimit && a.adaptive.limit != 64 {
					t.Errorf("the limit is %d, want 64", a.adaptive.limit)
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

// An account whose answers take long beside failures that are quick is not given up, nor
// one that refuses requests.
func TestStillAvailable(t *testing.T) {
	for name, try := range map[string]func(n int64) (int, error){
		"slow answers": func(n int64) (int, error) {
			if n%10 == 0 {
				time.Sleep(time.Minute)
				return 0, nil
			}
			return 0, fault.New(fault.Connection, "")
		},
		"refusals": func(int64) (int, error) {
			return 0, fault.New(fault.Rejected, "")
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := account(t, func(s *Settings) { s.Retries = 0 })
				var tries atomic.Int64
				drive(t, a, 64, 3000, func(context.Context) (int, error) { return try(tries.Add(1)) })
				if a.circuit.down {
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
// whatever is in flight and however long some replies take. It is given up
// while older calls are tried again, too.
func TestGarbled(t *testing.T) {
	for _, kind := range []fault.Kind{fault.BadReply, fault.TooLong} {
		for _, parallel := range []int{1, 8, 64, 256} {
			for name, reply := range map[string]func(n int64) time.Duration{
				"at once":      func(int64) time.Duration { return 0 },
				"alike":        func(int64) time.Duration { return time.Millisecond },
				"some late":    func(n int64) time.Duration { return time.Duration(n%7) * 10 * time.Second },
				"the first":    func(n int64) time.Duration { return time.Duration(max(0, 2-n)) * time.Minute },
				"late in time": func(n int64) time.Duration { return time.Duration(n) * time.Second },
			} {
				t.Run(fmt.Sprintf("%s, %d, %s", kind, parallel, name), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						a := account(t, func(s *Settings) { s.Max = 256 })
						var tries atomic.Int64
						most, said := int64(100), "it begins: <html>"
						if parallel == a.settings.Max && name == "late in time" {
							most, said = most+int64(parallel), "" // all were sent before the first failed, and the last are too late
						}
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
						if fault.KindOf(last) != fault.Unavailable || !strings.Contains(last.Error(), said) {
							t.Errorf("error %v", last)
						}
						idle(t, a)
					})
				})
			}
		}
	}
}

// Before anything came through the calls in flight grow with time.
func TestUnproven(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := account(t, func(s *Settings) { s.Max = 256 })
		var now atomic.Int64
		var after [100]int64 // milliseconds
		go func() {
			for i := range after {
				after[i] = now.Load()
				time.Sleep(time.Millisecond)
			}
		}()
		drive(t, a, 256, 2000, func(context.Context) (int, error) {
			now.Add(1)
			defer now.Add(-1)
			time.Sleep(time.Second)
			return 0, nil
		})
		synctest.Wait()
		for ms, want := range map[int]int64{1: 64, 10: 100, 50: 256} {
			if got := after[ms]; got < want || got > want+8 {
				t.Errorf("%d calls in flight after %d ms, want %d", got, ms, want)
			}
		}
	})
}
