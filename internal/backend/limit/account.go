package limit

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"recallbench/internal/door/fault"
)

// An Account limits the calls of one provider account. It is safe for
// concurrent use.
type Account struct {
	name     string
	settings Settings
	do       Doer // of another process; nil for this one

	mu       sync.Mutex
	random   *rand.Rand // for jitter
	inFlight int
	calls    uint64 // that ever arrived
	sends    uint64 // attempts that ever were sent
	counts   Counts
	queue    []*call     // that wait, in the order of their arrival
	timer    *time.Timer // looks at the queue again
	window   window
	adaptive adaptive
	circuit  circuit
}

// A call is one call of Do.
type call struct {
	number   uint64 // in the order of arrival
	tokens   int    // estimate of what an attempt takes
	lent     bool   // another process sends it
	deadline time.Time
	attempts int
	garbled  int          // attempts with a garbled reply
	last     *fault.Error // of the last attempt

	ready chan struct{} // closed when it was sent, or will not be
	err   error         // why it will not be
	sent  sent
}

// A sent is an attempt in flight.
type sent struct {
	at       time.Time
	number   uint64 // in the order of sending
	inFlight int    // with it, when it was sent
	epoch    int    // of the limit
	entry    *entry // in the window
}

// acquire waits until the call may be sent, and takes a slot for it.
func (a *Account) acquire(ctx context.Context, c *call) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	waiting := ctx
	if c.attempts > 0 {
		until, cancel := context.WithDeadline(ctx, c.deadline)
		defer cancel()
		waiting = until
	}
	a.mu.Lock()
	if a.circuit.down {
		defer a.mu.Unlock()
		return a.unavailable(c)
	}
	if c.number == 0 {
		a.calls++
		c.number = a.calls
	}
	c.ready = make(chan struct{})
	at, _ := slices.BinarySearchFunc(a.queue, c, func(x, c *call) int { return cmp.Compare(x.number, c.number) })
	a.queue = slices.Insert(a.queue, at, c)
	a.dispatch()
	a.mu.Unlock()
	select {
	case <-c.ready:
		return c.err
	case <-waiting.Done():
	}
	a.mu.Lock()
	if i := slices.Index(a.queue, c); i >= 0 {
		a.queue = slices.Delete(a.queue, i, i+1)
	} else if c.err == nil { // it got a slot meanwhile, which goes to the next
		a.inFlight--
		a.circuit.ended(c.sent.number)
		a.window.change(c.sent.entry, 0, c.sent.at)
	}
	a.dispatch()
	a.mu.Unlock()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return a.overdue(c)
}

// dispatch lets calls at the head of the queue go, as far as the limits allow.
func (a *Account) dispatch() {
	now := time.Now()
	for len(a.queue) > 0 {
		if a.inFlight >= a.adaptive.limit || a.circuit.held(a.inFlight) {
			return
		}
		c := a.queue[0]
		if wait := max(a.adaptive.gate.Sub(now), a.circuit.wait(now, a.inFlight), a.window.wait(now, c.tokens)); wait > 0 {
			if a.timer == nil {
				a.timer = time.AfterFunc(wait, func() {
					a.mu.Lock()
					defer a.mu.Unlock()
					a.dispatch()
				})
			}
			a.timer.Reset(wait)
			return
		}
		a.queue[0] = nil
		a.queue = a.queue[1:]
		a.inFlight++
		a.sends++
		a.circuit.sent(now)
		a.adaptive.peak = max(a.adaptive.peak, a.inFlight)
		if c.last != nil {
			a.counts.Retries++
		}
		counts := span
		if c.lent {
			counts = unknown
		}
		c.sent = sent{now, a.sends, a.inFlight, a.adaptive.epoch, a.window.add(now, counts, c.tokens)}
		close(c.ready)
	}
}

// release gives the slot of an attempt back and learns from what became of it.
func (a *Account) release(c *call, tokens int, err error) {
	now := time.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	saturated := a.inFlight >= a.adaptive.limit && len(a.queue) > 0
	a.inFlight--
	a.circuit.ended(c.sent.number)
	if tokens <= 0 {
		tokens = c.sent.entry.tokens
	}
	a.window.change(c.sent.entry, tokens, now)
	e, failed := errors.AsType[*fault.Error](err)
	switch {
	case err == nil:
		a.circuit.cameThrough()
		a.adaptive.grow(now, c.sent, saturated, a.inFlight)
	case !failed: // says nothing of the server
	case e.Kind == fault.RateLimit:
		a.counts.Refused++
		a.adaptive.cut(now, c.sent, a.inFlight, e.RetryAfter, a.settings.Total)
	case e.Kind.Garbled():
		c.garbled++
		a.failed(e)
	case !e.Kind.Passes():
		a.circuit.cameThrough()
	case a.circuit.last != nil && a.circuit.last.Kind.Garbled():
		a.giveUp()
	}
	a.dispatch()
}

// failed adds a call to the circuit's row.
func (a *Account) failed(e *fault.Error) {
	a.circuit.failed(e, a.sends, a.inFlight)
	a.giveUp()
}

// giveUp ends what waits where the circuit's row is long enough and nothing older is in
// flight.
func (a *Account) giveUp() {
	if a.circuit.failures < row || a.circuit.older > 0 || a.circuit.down {
		return
	}
	a.circuit.down = true
	close(a.circuit.broken)
	for _, c := range a.queue {
		c.err = a.unavailable(c)
		close(c.ready)
	}
	a.queue = nil
}

// fail ends a call that is not tried again. Counts is whether a refusal says
// that the account is not to be had.
func (a *Account) fail(c *call, e *fault.Error, counts bool) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	// A garbled reply was counted when it came.
	if e.Kind.Passes() && !e.Kind.Garbled() && (e.Kind != fault.RateLimit || counts) {
		a.failed(e)
	}
	if a.circuit.down {
		return a.unavailable(c)
	}
	return e
}

// unavailable returns the error of a call of an account that is given up.
func (a *Account) unavailable(c *call) error {
	last := *a.circuit.last
	last.Attempts = 0 // that of this call is said
	e := fault.New(fault.Unavailable, "%d calls in a row failed without a success in between, the last with: %v", a.circuit.failures, &last)
	e.Attempts, e.Err = c.attempts, a.circuit.last
	return e
}
