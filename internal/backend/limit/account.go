package limit

import (
	"container/heap"
	"context"
	"errors"
	"hash/maphash"
	"math/rand/v2"
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
	counts   Counts
	queue    queue
	timer    *time.Timer // looks at the queue again; nil before its first use
	requests window
	tokens   window
	adaptive adaptive
	circuit  circuit
	history  history
}

func newAccount(name string, s Settings, now time.Time) *Account {
	a := &Account{
		name: name, settings: s,
		// Processes that share a provider must not wait in step, and jitter
		// changes no result: the seed is another one each time.
		random:   rand.New(rand.NewPCG(maphash.String(maphash.MakeSeed(), name), 0)),
		requests: window{max: s.RPM}, tokens: window{max: s.TPM},
		adaptive: newAdaptive(s),
		circuit:  newCircuit(),
	}
	a.history.add(Change{now, name, a.adaptive.limit, reasonStart})
	return a
}

// A sent is an attempt in flight.
type sent struct {
	at       time.Time
	number   uint64 // in the order of sending
	inFlight int    // with it, when it was sent
	epoch    int    // of the limit
	retried  bool   // after another fault than a refusal
	// Its entries in the windows; nil where nothing bounds it.
	request, tokens *entry
}

// A waiter is a call in the queue.
type waiter struct {
	call  *call
	place int // in the queue; -1 when it left it
	sent  sent
	err   error
	ready chan struct{}
}

// acquire waits until the call may be sent, and takes a slot for it.
func (a *Account) acquire(ctx context.Context, c *call) (sent, error) {
	if ctx.Err() != nil {
		return sent{}, context.Cause(ctx)
	}
	now := time.Now()
	a.mu.Lock()
	if a.circuit.givenUp() {
		defer a.mu.Unlock()
		return sent{}, a.unavailable(c)
	}
	if c.number == 0 {
		a.calls++
		c.number = a.calls
	}
	if len(a.queue) == 0 && a.free() && a.wait(now, c) == 0 {
		defer a.mu.Unlock()
		return a.send(now, c), nil
	}
	w := &waiter{call: c, ready: make(chan struct{})}
	heap.Push(&a.queue, w)
	a.dispatch(now)
	a.mu.Unlock()

	var over <-chan time.Time
	if c.attempts > 0 {
		t := time.NewTimer(c.deadline.Sub(now))
		defer t.Stop()
		over = t.C
	}
	select {
	case <-w.ready:
		if w.err != nil || c.attempts == 0 || w.sent.at.Before(c.deadline) {
			return w.sent, w.err
		}
	case <-over:
	case <-ctx.Done():
		a.leave(w)
		return sent{}, context.Cause(ctx)
	}
	a.leave(w)
	return sent{}, a.fail(c, c.stopped("no time is left of the call's %s", a.settings.Total), true)
}

// leave takes a call out of the queue. It may have got its slot meanwhile,
// which then goes to the next.
func (a *Account) leave(w *waiter) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case w.place >= 0:
		heap.Remove(&a.queue, w.place)
	case w.err == nil:
		a.inFlight--
		a.circuit.ended(w.sent.number)
		a.requests.settle(w.sent.request, 0)
		a.tokens.settle(w.sent.tokens, 0)
		a.wasSent(w.sent, w.sent.at)
	}
	a.dispatch(time.Now())
}

// free reports whether there is a slot for one more call.
func (a *Account) free() bool {
	most := a.adaptive.limit
	if !a.circuit.proven {
		most = min(most, unproven)
	}
	return a.inFlight < most && !a.circuit.held()
}

// wait returns how long a call has to wait for anything but a slot.
func (a *Account) wait(now time.Time, c *call) time.Duration {
	return max(a.adaptive.closed(now), a.requests.wait(now, 1), a.tokens.wait(now, c.tokens))
}

// send takes a slot.
func (a *Account) send(now time.Time, c *call) sent {
	a.inFlight++
	a.adaptive.sends++
	a.adaptive.peak = max(a.adaptive.peak, a.inFlight)
	if c.last != nil {
		a.counts.Retries++
	}
	until := now.Add(span)
	if c.lent {
		until = now.Add(unsent)
	}
	return sent{
		at: now, number: a.adaptive.sends, inFlight: a.inFlight, epoch: a.adaptive.epoch,
		retried: c.last != nil && c.last.Kind != fault.RateLimit,
		request: a.requests.add(until, 1), tokens: a.tokens.add(until, c.tokens),
	}
}

// wasSent notes that an attempt was sent at a time, or before; mu is held.
func (a *Account) wasSent(s sent, at time.Time) {
	if at.Before(s.at) {
		at = s.at
	}
	a.requests.sent(s.request, at)
	a.tokens.sent(s.tokens, at)
}

// dispatch lets calls at the head of the queue go, as far as the limits allow.
func (a *Account) dispatch(now time.Time) {
	for len(a.queue) > 0 && a.free() {
		head := a.queue[0]
		if d := a.wait(now, head.call); d > 0 {
			if a.timer == nil {
				a.timer = time.AfterFunc(d, a.look)
			} else {
				a.timer.Reset(d)
			}
			return
		}
		heap.Pop(&a.queue)
		head.sent = a.send(now, head.call)
		close(head.ready)
	}
	if a.timer != nil {
		a.timer.Stop()
	}
}

func (a *Account) look() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.dispatch(time.Now())
}

// release gives the slot of an attempt of a call back and learns from what became
// of it.
func (a *Account) release(c *call, s sent, o outcome, tokens int, err error) {
	now := time.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	saturated := a.inFlight >= a.adaptive.limit && len(a.queue) > 0
	a.inFlight--
	a.circuit.ended(s.number)
	if tokens > 0 {
		a.tokens.settle(s.tokens, tokens)
	}
	a.wasSent(s, now)
	before := a.adaptive.limit
	switch o {
	case succeeded:
		a.circuit.cameThrough()
		if reason := a.adaptive.grow(now, s, saturated, a.inFlight); reason != "" {
			a.history.add(Change{now, a.name, a.adaptive.limit, reason})
		}
	case answered:
		a.circuit.cameThrough()
	case refused:
		a.counts.Refused++
		same := a.adaptive.cut(now, s, a.inFlight, retryAfter(err), a.settings.Total)
		if a.adaptive.limit != before {
			a.history.cut(Change{now, a.name, a.adaptive.limit, reasonRefused}, same)
		}
	case faulty:
		a.adaptive.trouble()
		if e, ok := errors.AsType[*fault.Error](err); ok && e.Kind.Garbled() {
			a.garbled(c, e)
		}
		if last := a.circuit.last; last != nil && last.Kind.Garbled() {
			a.endBroken() // before anything else is sent
		}
	case aborted:
	}
	a.dispatch(now)
}

// fail ends a call that is not tried again. Counts is whether a refusal says
// that the account is not to be had.
func (a *Account) fail(c *call, e *fault.Error, counts bool) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch e.Kind {
	case fault.Connection, fault.Server, fault.Timeout:
	case fault.RateLimit:
		if !counts {
			return e
		}
	default: // a garbled reply is counted when it comes
		return e
	}
	a.circuit.failed(e, a.adaptive.sends, a.inFlight)
	if !a.endBroken() {
		return e
	}
	return a.unavailable(c)
}

// garbled adds a call to the row, once, whose reply was garbled.
func (a *Account) garbled(c *call, e *fault.Error) {
	c.garbled++
	if c.row != a.circuit.number {
		c.row = a.circuit.number
		a.circuit.failed(e, a.adaptive.sends, a.inFlight)
	}
}

// endBroken ends what waits if the account is given up, which it reports.
func (a *Account) endBroken() bool {
	if !a.circuit.broken() {
		return false
	}
	for _, w := range a.queue {
		w.place, w.err = -1, a.unavailable(w.call)
		close(w.ready)
	}
	a.queue = nil
	return true
}

// givenUp returns the error of a call of an account that is given up; nil for
// another account.
func (a *Account) givenUp(c *call) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.circuit.givenUp() {
		return nil
	}
	return a.unavailable(c)
}

// unavailable returns the error of a call of an account that is given up.
func (a *Account) unavailable(c *call) error {
	last := *a.circuit.last
	last.Attempts = 0 // that of this call is said
	e := fault.New(fault.Unavailable, "%d calls in a row failed and none came through, the last with: %v", a.circuit.failures, &last)
	e.Attempts, e.Err = c.attempts, a.circuit.last
	return e
}

// A queue is a heap of calls that wait, the one that arrived first on top. It
// implements [container/heap.Interface].
type queue []*waiter

// Len implements [sort.Interface].
func (q *queue) Len() int { return len(*q) }

// Less implements [sort.Interface].
func (q *queue) Less(i, j int) bool { return (*q)[i].call.number < (*q)[j].call.number }

// Swap implements [sort.Interface].
func (q *queue) Swap(i, j int) {
	w := *q
	w[i], w[j] = w[j], w[i]
	w[i].place, w[j].place = i, j
}

// Push implements [container/heap.Interface].
func (q *queue) Push(x any) {
	w := x.(*waiter)
	w.place = len(*q)
	*q = append(*q, w)
}

// Pop implements [container/heap.Interface].
func (q *queue) Pop() any {
	last := len(*q) - 1
	w := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	w.place = -1
	return w
}
