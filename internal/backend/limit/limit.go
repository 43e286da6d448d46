// Package limit keeps calls within the limits of a provider account: how many
// are in flight, how many requests and tokens per minute, how long a call may
// take and how often it is retried.
//
// A [Registry] has the accounts of a run, [Account.Do] makes a call. Calls wait in
// one queue, the oldest first, including those that return from a back-off. While a
// call waits it occupies no slot.
//
// The limit of calls in flight starts at [Settings.Max] and follows the server. Before
// the first success 64 calls are sent at once, and then one each quarter of a
// millisecond while none has failed.
//
//   - A call refused for its rate (429) takes its slot with it, so that a burst of
//     refusals leaves as many as the server kept.
//   - While the limit holds calls back, one more call is tried after a round, which
//     is as many replies as the limit. If that is refused, the rounds before the next
//     trial double, up to 32, and none happens within ten times a Retry-After, at
//     most 150 seconds.
//   - Outside a trial a refusal is excused by 8 successes: a server that refuses now
//     and then, whatever is in flight, is not taken for a smaller one.
//   - After the refusal of a call that was alone, nothing is sent until the time that
//     the server names, or 1 second, doubling up to 30. Then the limit begins anew
//     at 1 and doubles until the next refusal.
//
// An account is unavailable if 20 calls in a row failed with all their attempts, by
// lost connections, timeouts, server errors or refusals, without a success in between.
// Calls that fail or wait, and new ones, then end with [fault.Unavailable], as soon as
// no call sent before the first of them is in flight. Any other reply makes it
// available again. A garbled reply, such as a web page with the status 200, counts
// when it arrives, once per call: each may have to be paid. So nothing is sent while
// 20 in a row were garbled and an older call is in flight.
package limit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"recallbench/internal/backend/interrupt"
	"recallbench/internal/door/fault"
)

// A back-off is drawn from 0 to an interval that doubles from attempt to attempt. A
// refused call waits about a round trip at first, after which a slot is likely free.
const (
	firstInterval    = 500 * time.Millisecond
	shortestInterval = 10 * time.Millisecond
	largestInterval  = 30 * time.Second
)

// garbledRetries is how often a call is tried again after garbled replies.
const garbledRetries = 3

// errAborted is what an attempt tells its account that was cut short from here.
var errAborted = errors.New("aborted")

// A lentTry tries a call once, and says when it was sent.
type lentTry = func(ctx context.Context, sent func(at time.Time)) (tokens int, err error)

// Do calls try within the limits of the account, again while it fails with a
// temporary fault. Tokens is an upper estimate for a call; try returns the actual
// number, or 0 if unknown. The context of try ends with the attempt's time. Attempts
// is how often try was called.
//
// A failure is a *[fault.Error] with its Attempts: that of the last attempt, one of
// the kind [fault.Timeout] if its time was over, or [fault.Unavailable]. A call is
// not retried if the wait before it does not fit into [Settings.Total]; the message
// then says so. If ctx ends, the error is its cause; an attempt that
// [interrupt.Period.Interrupt] finds in flight may still succeed. Any other error of
// try is returned unchanged.
func (a *Account) Do(ctx context.Context, tokens int, try func(context.Context) (tokens int, err error)) (attempts int, err error) {
	if a.do != nil {
		return a.do(ctx, a.name, tokens, try)
	}
	return a.run(ctx, call{tokens: tokens}, func(ctx context.Context, _ func(time.Time)) (int, error) { return try(ctx) })
}

// Lend is [Account.Do] for calls that another process sends, some time after try is
// called. An attempt counts in the limits per minute until a minute after it was sent.
// Try calls sent with the time of sending; the earliest counts, and without any the end
// of try.
func (a *Account) Lend(ctx context.Context, tokens int, try lentTry) (attempts int, err error) {
	return a.run(ctx, call{tokens: tokens, lent: true}, try)
}

func (a *Account) run(ctx context.Context, c call, try lentTry) (attempts int, err error) {
	c.tokens = min(max(c.tokens, 0), maxTokens)
	for {
		if err := a.acquire(ctx, &c); err != nil {
			return c.attempts, err
		}
		c.attempts++
		if c.attempts == 1 {
			c.deadline = c.sent.at.Add(a.settings.Total)
		}
		err = a.attempt(ctx, &c, try)
		if cause := context.Cause(ctx); err != nil && cause != nil {
			return c.attempts, cause
		}
		e, ok := errors.AsType[*fault.Error](err)
		if !ok {
			return c.attempts, err
		}
		last := *e // which may be shared
		last.Attempts = c.attempts
		if _, bare := err.(*fault.Error); !bare { //nolint:errorlint // asks whether anything is wrapped around it
			last.Err = err
		}
		c.last = &last
		if !e.Kind.Passes() {
			return c.attempts, a.fail(&c, c.last, false)
		}
		if err := a.pause(ctx, &c); err != nil {
			return c.attempts, err
		}
	}
}

// attempt calls try once and gives the slot back, whatever happens.
func (a *Account) attempt(ctx context.Context, c *call, try lentTry) (err error) {
	var tokens int
	learned := errAborted // unless try returns
	defer func() { a.release(c, tokens, learned) }()

	timeout, whole, of := a.settings.Attempt, a.settings.Attempt, "an attempt"
	if left := c.deadline.Sub(c.sent.at); left < timeout {
		timeout, whole, of = left, a.settings.Total, "a call with all its attempts"
	}
	// An attempt in flight is paid for: an interrupt lets it end.
	call, ended := interrupt.Call(ctx)
	defer ended()
	inner, cancel := context.WithTimeout(call, timeout)
	defer cancel()
	entry := c.sent.entry
	tokens, err = try(inner, func(at time.Time) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.window.change(entry, entry.tokens, at)
		a.dispatch()
	})
	if err != nil && ctx.Err() != nil {
		return err
	}
	if kind := fault.KindOf(err); err != nil && inner.Err() != nil && (kind == "" || kind.Passes() && kind != fault.Server && kind != fault.RateLimit) {
		err = &fault.Error{Kind: fault.Timeout, Message: fmt.Sprintf("no complete reply in %s, the time limit of %s", whole, of), Err: err}
	}
	learned = err
	return err
}

// pause waits before the next attempt of a call that failed. It returns an
// error if there is none.
func (a *Account) pause(ctx context.Context, c *call) error {
	if c.attempts > a.settings.Retries || c.garbled > garbledRetries {
		return a.fail(c, c.last, c.attempts > 1)
	}
	left, wait := time.Until(c.deadline), c.last.RetryAfter
	if wait > 0 && wait >= left {
		return a.fail(c, c.stopped("the server asks to wait %s, which exceeds the rest of the call's %s", wait, a.settings.Total), true)
	}
	a.mu.Lock()
	broken := a.circuit.broken
	if wait <= 0 {
		wait = a.backoff(c)
	}
	a.mu.Unlock()
	if wait >= left {
		return a.overdue(c)
	}
	select {
	case <-time.After(wait):
		return nil
	case <-broken:
		return a.fail(c, c.last, false)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// backoff draws the wait before the next attempt.
func (a *Account) backoff(c *call) time.Duration {
	first := firstInterval
	if latency := a.adaptive.latency; c.last.Kind == fault.RateLimit {
		first = min(max(latency, shortestInterval), firstInterval)
	}
	longest := min(first<<min(c.attempts-1, 16), largestInterval)
	return time.Duration(a.random.Int64N(int64(longest) + 1))
}

// overdue ends a call for whose next attempt no time is left.
func (a *Account) overdue(c *call) error {
	return a.fail(c, c.stopped("no time is left of the call's %s", a.settings.Total), true)
}

// stopped returns the last fault with the reason why the call is not tried again.
func (c *call) stopped(format string, args ...any) *fault.Error {
	e := *c.last
	if e.Message != "" {
		e.Message += "; "
	}
	e.Message += fmt.Sprintf(format, args...)
	return &e
}
