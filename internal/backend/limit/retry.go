package limit

import (
	"context"
	"time"

	"github.com/cenkalti/backoff/v5"

	"recallbench/internal/door/fault"
)

// Back-off doubles from a first interval to the largest. A refused call waits
// about a round trip at first, after which a slot of the server is likely
// free: what paces such calls is the limit.
const (
	firstInterval    = 500 * time.Millisecond
	refusedInterval  = 100 * time.Millisecond // where the round trip is unknown
	shortestInterval = 10 * time.Millisecond
	largestInterval  = 30 * time.Second
)

// pause waits before the next attempt of a call that failed. It returns an
// error where there is none.
func (a *Account) pause(ctx context.Context, c *call) error {
	if c.attempts > a.settings.Retries || c.garbled > garbledRetries {
		return a.fail(c, c.last, c.attempts > 1)
	}
	now := time.Now()
	left := c.deadline.Sub(now)
	wait := c.last.RetryAfter
	if wait > 0 && wait >= left {
		return a.fail(c, c.stopped("the server asks to wait %s, which is not left of the call's %s", wait, a.settings.Total), true)
	}
	a.mu.Lock()
	up := a.circuit.up
	if wait <= 0 {
		wait = a.backoff(c)
	}
	a.mu.Unlock()
	if wait >= left {
		return a.fail(c, c.stopped("no time is left of the call's %s", a.settings.Total), true)
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-up:
		a.mu.Lock()
		defer a.mu.Unlock()
		return a.unavailable(c)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// backoff draws a wait from 0 to an interval that doubles from attempt to
// attempt (full jitter).
func (a *Account) backoff(c *call) time.Duration {
	if c.backoff == nil {
		first := firstInterval
		if c.last.Kind == fault.RateLimit {
			first = refusedInterval
			if a.adaptive.latency > 0 {
				first = min(max(a.adaptive.latency, shortestInterval), firstInterval)
			}
		}
		c.backoff = &backoff.ExponentialBackOff{InitialInterval: first, Multiplier: 2, MaxInterval: largestInterval}
	}
	return time.Duration(a.random.Int64N(int64(c.backoff.NextBackOff()) + 1))
}

// An outcome is what an attempt says about its account.
type outcome int

const (
	aborted   outcome = iota // nothing: it was cut short from here
	succeeded                // the server takes this much
	answered                 // the server is there
	refused                  // the server takes less
	faulty                   // the server, or the way to it, is in trouble
)

// outcomeOf returns what the failure of an attempt says.
func outcomeOf(err error) outcome {
	switch k := fault.KindOf(err); {
	case k == "":
		return aborted
	case k == fault.RateLimit:
		return refused
	case k.Passes(), k.Garbled():
		return faulty
	default:
		return answered
	}
}
