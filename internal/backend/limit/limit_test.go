package limit

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"recallbench/internal/backend/interrupt"
	"recallbench/internal/door/fault"
	"recallbench/internal/testkit/try"
)

// fail returns a try that fails so often with a fault and then succeeds.
func fail(times int, e *fault.Error) func(context.Context) (int, error) {
	return func(context.Context) (int, error) {
		if times == 0 {
			return 0, nil
		}
		times--
		return 0, e
	}
}

func TestRetries(t *testing.T) {
	for _, tt := range []struct {
		name     string
		fault    *fault.Error
		times    int
		attempts int
		err      string
	}{
		{"none", nil, 0, 1, ""},
		{"server", fault.New(fault.Server, "busy"), 3, 4, ""},
		{"rate limit", fault.New(fault.RateLimit, "slow down"), 6, 7, ""},
		{"bad reply", fault.New(fault.BadReply, "no JSON"), 1, 2, ""},
		{"no more retries", fault.New(fault.Connection, "reset"), 7, 7, "connection: reset; tried 7 times"},
		{"rejected", fault.New(fault.Rejected, "no such parameter"), 9, 1, "rejected: no such parameter"},
		{"auth", fault.New(fault.Auth, "no key"), 9, 1, "auth: no key"},
		{"quota", fault.New(fault.Quota, "nothing left"), 9, 1, "quota: nothing left"},
		{
			"long Retry-After",
			&fault.Error{Kind: fault.RateLimit, Status: 429, Message: "slow down", RetryAfter: time.Hour},
			9, 1, "rate-limit (HTTP 429): slow down; the server asks to wait 1h0m0s, which exceeds the rest of the call's 10m0s",
		},
		{
			"endless Retry-After",
			&fault.Error{Kind: fault.Server, RetryAfter: 1<<63 - 1},
			9, 1, "server: the server asks to wait 2562047h47m16.854775807s, which exceeds the rest of the call's 10m0s",
		},
		{
			"Retry-After to the end", &fault.Error{Kind: fault.Server, Status: 503, RetryAfter: 4 * time.Minute},
			9, 3, "server (HTTP 503): the server asks to wait 4m0s, which exceeds the rest of the call's 10m0s; tried 3 times",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := account(t, nil)
				attempts, err := a.Do(t.Context(), 0, fail(tt.times, tt.fault))
				got := ""
				if err != nil {
					got = err.Error()
				}
				if attempts != tt.attempts || got != tt.err {
					t.Errorf("%d attempts, error %q\nwant %d, %q", attempts, got, tt.attempts, tt.err)
				}
				if e, ok := errors.AsType[*fault.Error](err); ok && (e == tt.fault || e.Attempts != attempts || tt.fault.Attempts != 0) {
					t.Errorf("the error has %d attempts, want %d on a copy", e.Attempts, attempts)
				}
				idle(t, a)
			})
		})
	}
}

// The first waits are drawn from half a second, doubling, and a Retry-After is
// waited for to the moment.
func TestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := account(t, nil)
		start := time.Now()
		try.Get(a.Do(t.Context(), 0, fail(2, &fault.Error{Kind: fault.Server, RetryAfter: 7 * time.Second})))(t)
		if got := time.Since(start); got != 14*time.Second {
			t.Errorf("waited %s, want 14s", got)
		}
		longest := make([]time.Duration, 7)
		for range 2000 {
			var c call
			c.last = fault.New(fault.Server, "")
			for i := range longest {
				c.attempts = i + 1
				longest[i] = max(longest[i], a.backoff(&c))
			}
		}
		for i, got := range longest {
			most := min(500*time.Millisecond<<i, 30*time.Second)
			if got > most || got < most*9/10 {
				t.Errorf("wait %d is up to %s, want up to %s", i, got, most)
			}
		}
	})
}

func TestTimeouts(t *testing.T) {
	hang := func(ctx context.Context) (int, error) { <-ctx.Done(); return 0, ctx.Err() }
	for _, tt := range []struct {
		name     string
		settings func(*Settings)
		try      func(context.Context) (int, error)
		attempts int
		took     time.Duration // at most 1s less
		err      string
	}{
		{
			"attempt", func(s *Settings) { s.Attempt, s.Retries = time.Minute, 0 }, hang,
			1, time.Minute, "timeout: no complete reply in 1m0s, the time limit of an attempt",
		},
		{
			"attempt, as the client says it", func(s *Settings) { s.Attempt, s.Retries = time.Minute, 0 },
			func(ctx context.Context) (int, error) {
				<-ctx.Done()
				return 0, &fault.Error{Kind: fault.Connection, Err: ctx.Err()}
			},
			1, time.Minute, "timeout: no complete reply in 1m0s, the time limit of an attempt",
		},
		{
			"total", func(s *Settings) { s.Attempt, s.Total = time.Minute, 90*time.Second }, hang,
			2, 90 * time.Second, "timeout: no complete reply in 1m30s, the time limit of a call with all its attempts; no time is left of the call's 1m30s; tried 2 times",
		},
		{
			"attempt beyond total", func(s *Settings) { s.Attempt, s.Total = time.Minute, time.Second }, hang,
			1, time.Second, "timeout: no complete reply in 1s, the time limit of a call with all its attempts; no time is left of the call's 1s",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := account(t, tt.settings)
				start := time.Now()
				attempts, err := a.Do(t.Context(), 0, tt.try)
				if err == nil || err.Error() != tt.err || attempts != tt.attempts {
					t.Errorf("%d attempts, error %v\nwant %d, %s", attempts, err, tt.attempts, tt.err)
				}
				if took := time.Since(start); took > tt.took || took < tt.took-time.Second {
					t.Errorf("took %s, want %s", took, tt.took)
				}
				idle(t, a)
			})
		})
	}
}

// A call waits for its slot without its time running.
func TestTotalCountsFromSending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := account(t, func(s *Settings) { s.Max, s.Total, s.Attempt = 1, time.Minute, time.Minute })
		s := &server{capacity: 1, latency: 50 * time.Second}
		if _, errs := drive(t, a, 5, 5, s.call); len(errs) > 0 {
			t.Error(errs)
		}
	})
}

// A context that ends gives its cause at once, whatever the call waits for, and
// its slot to the next.
func TestCancel(t *testing.T) {
	cause := errors.New("stopped")
	hang := func(ctx context.Context) (int, error) { <-ctx.Done(); return 0, ctx.Err() }
	for _, tt := range []struct {
		name     string
		settings func(*Settings)
		before   func(context.Context, *Account) // what else happens on the account
		try      func(context.Context) (int, error)
		attempts int
	}{
		{"in an attempt", nil, nil, hang, 1},
		{
			"while it waits for a slot", func(s *Settings) { s.Max = 1 },
			func(ctx context.Context, a *Account) {
				go a.Do(ctx, 0, hang) //nolint:errcheck // it ends with the test
			}, hang, 0,
		},
		{
			"while it waits for the minute", func(s *Settings) { s.RPM = 1 },
			func(ctx context.Context, a *Account) { _, _ = a.Do(ctx, 0, fail(0, nil)) }, hang, 0,
		},
		{"in a back-off", nil, nil, fail(9, &fault.Error{Kind: fault.Server, RetryAfter: time.Minute}), 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := account(t, tt.settings)
				if tt.before != nil {
					tt.before(t.Context(), a)
					synctest.Wait()
				}
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(time.Second, func() { cancel(cause) })
				start := time.Now()
				attempts, err := a.Do(ctx, 0, tt.try)
				if !errors.Is(err, cause) || attempts != tt.attempts || time.Since(start) != time.Second {
					t.Errorf("%d attempts, %v after %s; want %d, %v after 1s", attempts, err, time.Since(start), tt.attempts, cause)
				}
				if attempts, err := a.Do(ctx, 0, hang); !errors.Is(err, cause) || attempts != 0 {
					t.Errorf("%d attempts, %v with a context that is over", attempts, err)
				}
				if len(a.queue) != 0 {
					t.Errorf("%d calls still wait", len(a.queue))
				}
			})
		})
	}
}

// Calls are sent in the order of their arrival, and one that comes back stands
// before those that were never sent.
func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := account(t, func(s *Settings) { s.Max = 1 })
		var order strings.Builder
		done := make(chan struct{})
		for i, name := range "abcdef" {
			failures := 0
			if i == 1 {
				failures = 1
			}
			go func() {
				_, _ = a.Do(t.Context(), 0, func(context.Context) (int, error) {
					order.WriteRune(name)
					time.Sleep(time.Second)
					if failures > 0 {
						failures--
						return 0, &fault.Error{Kind: fault.Server, RetryAfter: 1500 * time.Millisecond}
					}
					return 0, nil
				})
				done <- struct{}{}
			}()
			synctest.Wait()
		}
		for range "abcdef" {
			<-done
		}
		try.Equal(t, "order", "abcdbef", order.String())
	})
}

// An interrupt lets attempts in flight end, starts none that wait or failed, and
// cuts off what takes too long.
func TestInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := account(t, func(s *Settings) { s.Max = 3 })
		ctx, period := interrupt.With(t.Context())
		var mu sync.Mutex
		ends := make(map[string]error)
		done := make(chan struct{})
		sent := 0
		for _, tt := range []struct {
			name string
			took time.Duration
			err  error
		}{
			{"in time", 5 * time.Second, nil},
			{"fails", 5 * time.Second, fault.New(fault.Server, "")},
			{"too late", time.Minute, nil},
			{"in the queue", 0, nil},
		} {
			go func() {
				_, err := a.Do(ctx, 0, func(ctx context.Context) (int, error) {
					sent++
					select {
					case <-time.After(tt.took):
						return 0, tt.err
					case <-ctx.Done():
						return 0, context.Cause(ctx)
					}
				})
				mu.Lock()
				ends[tt.name] = err
				mu.Unlock()
				done <- struct{}{}
			}()
			synctest.Wait()
		}
		if n := period.Interrupt(); n != 3 {
			t.Errorf("%d calls in flight, want 3", n)
		}
		for range 3 {
			<-done
		}
		if n := period.Cut(); n != 1 {
			t.Errorf("%d calls cut off, want 1", n)
		}
		<-done
		for name, err := range ends {
			if ok := err == nil; ok != (name == "in time") || !ok && !errors.Is(err, context.Canceled) {
				t.Errorf("%s: error %v", name, err)
			}
		}
		if sent != 3 {
			t.Errorf("%d attempts, want 3", sent)
		}
	})
}

func TestAccount(t *testing.T) {
	r := NewRegistry()
	first, err := r.Account("openai", Defaults())
	try.Do(t, err)
	if again, err := r.Account("openai", Defaults()); err != nil || again != first {
		t.Errorf("account %p, %v; want the same %p", again, err, first)
	}
	if other, err := r.Account("gemini", Defaults()); err != nil || other == first {
		t.Errorf("account %p, %v; want another one than %p", other, err, first)
	}
	s := Defaults()
	s.Max, s.Attempt = 8, time.Minute
	_, err = r.Account("openai", s)
	if err == nil || !strings.Contains(err.Error(), "Max:8") || !strings.Contains(err.Error(), "Max:256") {
		t.Errorf("error %v does not say both", err)
	}
	if _, err = r.Account("local", Settings{Max: 1, Attempt: -1}); err == nil || !strings.Contains(err.Error(), "attempt is -1ns, want more than 0\ntotal is 0s") {
		t.Errorf("error %v", err)
	}
}
