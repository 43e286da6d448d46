// Package limit keeps calls within what a provider account takes: how many are
// in flight, how many requests and tokens a minute, how long a call may take
// and how often it is tried again.
//
// A [Registry] holds the accounts of a run, [Account.Do] makes a call. Calls
// wait in one queue for everything that bounds them, the oldest first: a call
// that comes back from a back-off stands before those that were never sent, so
// that none starves. While a call waits it holds no slot.
//
// # How the limit adapts
//
// The limit of calls in flight follows what the server accepts. It never
// leaves 1 to [Settings.Max], and there are never more calls in flight.
//
//   - A call refused for its rate (429) takes its slot with it: the limit falls
//     to what was in flight less what was refused. A burst of refusals of one
//     round trip is therefore one cut, to the number of calls that the server
//     kept, however large the burst and in whatever order its replies come.
//   - The limit grows only while it is what holds calls back, and only by
//     replies to calls that were sent since its last change, or when as many
//     were in flight. Until a refusal it doubles each round (slow start), a
//     round being as many replies, to whatever call, as the limit; so it does
//     after the first one at a limit not reached yet.
//   - A limit is known to be good after 8 such replies, or a round of fewer;
//     below the known limit it grows after as many. Beyond it the limit is tried
//     out after a round, by a step that starts at 1 and doubles with each growth
//     until the next refusal, to a quarter of the limit. Where the calls that a
//     trial adds are refused, the rounds before the next trial double, up to 32;
//     and where the server names a time to wait, none comes within ten of those
//     (at most 15 seconds, or what it named).
//   - A refusal at a known limit, or at one that was not reached, is excused
//     where 8 calls came through for each such refusal lately: it cuts by one,
//     and what is known stays. So a server that refuses now and then, whatever
//     is in flight, is not taken for a smaller one.
//   - A call that was refused although it was alone was not refused for what
//     else was in flight. Then nothing is sent until the time that the server
//     names, or 1 second, doubling up to 30, and slow start begins anew at 1.
//   - Server errors, lost connections, late and unreadable replies cut nothing
//     and hold trials and slow start up: each takes a reply back. A success
//     after such a fault is neutral to both.
//
// # When an account is given up
//
// The account is unavailable where 20 calls in a row failed with all their attempts
// and nothing came through since the first. They fail by lost connections, late
// replies, server errors or refusals. Calls that fail or wait, and new ones, end with
// [fault.Unavailable]. Neither holds while a call that was sent before the first of
// them is still under way, since that may come through. A refusal counts only where
// the call was tried more than once or the server asks for more time than a call has.
// Any other reply of the server, of a call still in flight too, makes the account
// available again.
//
// A garbled reply, such as a web page with the status 200, counts for its call when
// it comes, once in a row: each may have to be paid. A call is tried again at most
// three times after such replies. Nothing is sent while 20 calls in a row got them
// and an older call is under way, and before anything came through at most 64 calls
// are in flight.
package limit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"

	"recallbench/internal/backend/interrupt"
	"recallbench/internal/door/fault"
)

// The causes with which the context of an attempt ends.
var (
	errAttempt = errors.New("the time of the attempt is over")
	errTotal   = errors.New("the time of the call is over")
)

// A call is one call of Do.
type call struct {
	number   uint64 // in the order of arrival; 0 before the first wait
	tokens   int    // estimate of what an attempt takes
	lent     bool   // another process sends it
	deadline time.Time
	attempts int
	garbled  int          // attempts with a garbled reply
	row      int          // the last one that a garbled reply of it was counted in
	last     *fault.Error // of the last attempt
	backoff  *backoff.ExponentialBackOff
}

// Do calls try within the limits of the account, again while it fails with a fault
// that passes. Tokens is an upper estimate of what a call takes, for the bound of
// tokens a minute. try returns what it took, which replaces the estimate, or 0 where
// it does not know. The context of try ends with the attempt's time. Attempts is how
// often try was called.
//
// A failure is a *[fault.Error] with its Attempts: of the last attempt, of the
// kind [fault.Timeout] where its time was over, of the kind
// [fault.Unavailable] where the account is given up. A call is not tried again
// when the wait before it, such as a Retry-After, does not fit into
// [Settings.Total]; the message then says so. Where ctx ends, the error is its
// cause; an attempt that [interrupt.Period.Interrupt] finds in flight may still
// succeed. Any other error of try is returned as it is.
func (a *Account) Do(ctx context.Context, tokens int, try func(context.Context) (tokens int, err error)) (attempts int, err error) {
	if a.do != nil {
		return a.do(ctx, a.name, tokens, try)
	}
	return a.run(ctx, call{tokens: tokens}, func(ctx context.Context, _ func(time.Time)) (int, error) { return try(ctx) })
}

// Lend is [Account.Do] for calls that another process sends, some time after try is
// called. An attempt counts in the bounds of a minute until a minute after it was sent.
// Try calls sent with a time at which it had been sent; the earliest one holds, and
// without any the end of try.
func (a *Account) Lend(ctx context.Context, tokens int, try func(ctx context.Context, sent func(at time.Time)) (tokens int, err error)) (attempts int, err error) {
	return a.run(ctx, call{tokens: tokens, lent: true}, try)
}

// run makes a call.
func (a *Account) run(ctx context.Context, c call, try func(context.Context, func(time.Time)) (int, error)) (attempts int, err error) {
	c.tokens = min(max(c.tokens, 0), maxTokens)
	for {
		s, err := a.acquire(ctx, &c)
		if err != nil {
			return c.attempts, err
		}
		c.attempts++
		if c.attempts == 1 {
			c.deadline = s.at.Add(a.settings.Total)
		}
		err = a.attempt(ctx, &c, s, try)
		if err == nil {
			return c.attempts, nil
		}
		if cause := context.Cause(ctx); cause != nil {
			return c.attempts, cause
		}
		e, ok := errors.AsType[*fault.Error](err)
		if !ok {
			return c.attempts, err
		}
		c.keep(e, err)
		if e.Kind.Garbled() {
			if err := a.givenUp(&c); err != nil {
				return c.attempts, err
			}
		}
		if !e.Kind.Passes() {
			return c.attempts, c.last
		}
		if err := a.pause(ctx, &c); err != nil {
			return c.attempts, err
		}
	}
}

// attempt calls try once and gives the slot back, whatever becomes of it.
func (a *Account) attempt(ctx context.Context, c *call, s sent, try func(context.Context, func(time.Time)) (int, error)) (err error) {
	var tokens int
	outcome := aborted // unless try returns
	defer func() { a.release(c, s, outcome, tokens, err) }()

	timeout, cause := a.settings.Attempt, errAttempt
	if left := c.deadline.Sub(s.at); left < timeout {
		timeout, cause = left, errTotal
	}
	// An attempt in flight is paid for: an interrupt lets it end.
	call, ended := interrupt.Call(ctx)
	defer ended()
	inner, cancel := context.WithTimeoutCause(call, timeout, cause)
	defer cancel()
	tokens, err = try(inner, func(at time.Time) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.wasSent(s, at)
		a.dispatch(time.Now())
	})
	switch {
	case err == nil:
		outcome = succeeded
		return nil
	case ctx.Err() != nil:
		return err
	}
	switch over := context.Cause(inner); {
	case errors.Is(over, errAttempt):
		err = late(err, a.settings.Attempt, "an attempt")
	case errors.Is(over, errTotal):
		err = late(err, a.settings.Total, "a call with all its attempts")
	}
	outcome = outcomeOf(err)
	return err
}

// late returns the error of an attempt whose time was over. An error that
// cannot come from that is left as it is.
func late(err error, d time.Duration, of string) error {
	switch fault.KindOf(err) {
	case "", fault.Timeout, fault.Connection, fault.BadReply:
		return &fault.Error{Kind: fault.Timeout, Message: fmt.Sprintf("no whole reply in %s, the time of %s", d, of), Err: err}
	default:
		return err
	}
}

// keep keeps the fault of the last attempt, and err where that is more than the
// fault. The fault itself may be shared and stays as it is.
func (c *call) keep(e *fault.Error, err error) {
	last := *e
	last.Attempts = c.attempts
	if _, bare := err.(*fault.Error); !bare { //nolint:errorlint // asks whether anything is wrapped around it
		last.Err = err
	}
	c.last = &last
}

// stopped returns the last fault with the reason why the call is not tried
// again.
func (c *call) stopped(format string, args ...any) *fault.Error {
	e := *c.last
	if e.Message != "" {
		e.Message += "; "
	}
	e.Message += fmt.Sprintf(format, args...)
	return &e
}

func retryAfter(err error) time.Duration {
	if e, ok := errors.AsType[*fault.Error](err); ok {
		return max(e.RetryAfter, 0)
	}
	return 0
}
