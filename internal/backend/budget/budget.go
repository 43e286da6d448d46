// Package budget keeps a run within what it may spend, and says what it spent.
package budget

import (
	"context"
	"math/rand/v2"
	"sync"

	"recallbench/internal/door/fault"
	"recallbench/internal/door/meter"
)

// A Budget bounds the tokens and the dollars that a run pays for. The zero
// value has no bound, and then reserving never waits. It is safe for
// concurrent use.
//
// What is spent never exceeds the budget as long as no call costs more than it
// reserved. A call whose price is unknown costs 0 dollars here: a bound in
// dollars is for models with a price.
type Budget struct {
	maxTokens int
	maxUSD    float64
	remote    Remote            // of another process; nil for this one
	keep      func(Entry) error // see Keep; nil keeps nothing

	mu              sync.Mutex
	spent, reserved amount
	leases          map[uint64]lease
	open            int           // leases that were not lost
	changed         chan struct{} // closed when something was settled; nil where nobody waits
}

// A lease is what is set aside for a call. One that was lost counts as spent.
type lease struct {
	amount
	lost bool
}

// An Entry is a line of what a run keeps about its payments: a lease before a call is
// sent, and its settlement once the reply is there, which names the lease. A lease
// without settlement is of a call that was in flight when a process ended: nobody
// knows what it cost, and it counts as its estimate.
type Entry struct {
	Lease uint64 `json:"lease,omitempty"` // 0 for none
	// Tokens and USD are the estimate of a lease.
	Tokens int     `json:"tokens,omitempty"`
	USD    float64 `json:"usd,omitempty"`
	Settlement
	// Judge is the id of the judge that pays; empty for the run.
	Judge string `json:"judge,omitempty"`
}

// A Settlement says what was paid for calls of a model entry, and which models have
// replied.
type Settlement struct {
	Model  string         `json:"model,omitempty"` // label of the entry
	Served []meter.Served `json:"served,omitempty"`
	Paid   *meter.Paid    `json:"paid,omitempty"` // nil for a lease
}

// New returns a budget; 0 is no bound.
func New(tokens int, usd float64) *Budget { return &Budget{maxTokens: tokens, maxUSD: usd} }

// A Remote is the budget of another process, which has the methods of [Budget].
type Remote interface {
	Lease(ctx context.Context, number uint64, tokens int, usd float64, wait bool) error
	Settle(ctx context.Context, lease uint64, s Settlement) error
}

// NewRemote returns the budget of another process, which r reaches.
func NewRemote(r Remote) *Budget { return &Budget{remote: r} }

// Keep has each lease and each settlement kept from now on, before the call is sent or
// its reply is used. An error of f is one of the call.
func (b *Budget) Keep(f func(Entry) error) { b.keep = f }

// Restore takes what an earlier part of the run kept, an entry after the other.
func (b *Budget) Restore(e Entry) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case e.Paid == nil:
		b.reserve(e.Lease, sane(e.Tokens, e.USD))
		b.lose(e.Lease)
	case e.Lease == 0:
		b.spent = b.spent.plus(paidFor(*e.Paid))
	default:
		b.settle(e.Lease, *e.Paid)
	}
}

// Spent returns what was spent so far.
func (b *Budget) Spent() (tokens int, usd float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spent.tokens, b.spent.usd
}

// LeftUSD returns how many dollars of the bound are not spent.
func (b *Budget) LeftUSD() float64 {
	_, usd := b.Spent()
	return max(0, b.maxUSD-usd)
}

// Reserve sets aside an upper estimate of what a call will cost, and returns the number
// of the lease. Where that would go beyond the budget it waits for calls in flight to
// settle for less. It fails with [fault.Budget] when that does not help. Where ctx ends, the error is its cause.
func (b *Budget) Reserve(ctx context.Context, tokens int, usd float64) (lease uint64, err error) {
	return b.draw(ctx, tokens, usd, true)
}

// ReserveNow is [Budget.Reserve] for a caller that holds what calls in flight may need:
// where Reserve would wait for them, it fails with [fault.Timeout].
func (b *Budget) ReserveNow(ctx context.Context, tokens int, usd float64) (lease uint64, err error) {
	return b.draw(ctx, tokens, usd, false)
}

func (b *Budget) draw(ctx context.Context, tokens int, usd float64, wait bool) (lease uint64, err error) {
	lease = rand.Uint64() | 1 //nolint:forbidigo // it stands in no result
	if err := b.Lease(ctx, lease, tokens, usd, wait); err != nil {
		return 0, err
	}
	return lease, nil
}

// Lease is [Budget.Reserve], or without wait [Budget.ReserveNow], under a number that
// the caller has drawn at random. A lease that is open already is not reserved again.
func (b *Budget) Lease(ctx context.Context, number uint64, tokens int, usd float64, wait bool) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if b.remote != nil {
		return b.remote.Lease(ctx, number, tokens, usd, wait)
	}
	estimate := sane(tokens, usd)
	if fresh, err := b.admitted(ctx, number, estimate, wait); err != nil || !fresh {
		return err
	}
	return b.kept(Entry{Lease: number, Tokens: estimate.tokens, USD: estimate.usd})
}

func (b *Budget) kept(e Entry) error {
	if b.keep == nil {
		return nil
	}
	return b.keep(e)
}

// admitted reserves an estimate, which it may have to wait for. Fresh is false where
// the lease is open already.
func (b *Budget) admitted(ctx context.Context, number uint64, estimate amount, wait bool) (fresh bool, err error) {
	for {
		b.mu.Lock()
		_, open := b.leases[number]
		switch {
		case open:
			defer b.mu.Unlock()
			return false, nil
		case b.fits(b.spent.plus(b.reserved).plus(estimate)):
			defer b.mu.Unlock()
			b.reserve(number, estimate)
			return true, nil
		case !b.fits(b.spent.plus(estimate)):
			defer b.mu.Unlock()
			return false, b.exceeded(estimate)
		case !wait:
			defer b.mu.Unlock()
			return false, fault.New(fault.Timeout, "what is left of the run's budget is set aside for calls in flight")
		case b.changed == nil:
			b.changed = make(chan struct{})
		}
		changed := b.changed
		b.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
	}
}

// Settle says what the call of a lease did cost, also when it failed. A lease is settled
// once; later it does nothing. With the lease 0 only what recordings saved is counted.
func (b *Budget) Settle(ctx context.Context, lease uint64, s Settlement) error {
	if b.remote != nil {
		return b.remote.Settle(ctx, lease, s)
	}
	if lease == 0 {
		s.Paid = &meter.Paid{Reused: s.Paid.Reused, USD: new(0.0)}
	}
	b.mu.Lock()
	open := lease == 0 || b.settle(lease, *s.Paid)
	b.mu.Unlock()
	if !open {
		return nil
	}
	return b.kept(Entry{Lease: lease, Settlement: s})
}

// What a call may cost beyond its estimate: its attempts, each with the longest reply
// that is read.
const (
	mostTimes  = 16
	mostTokens = 64 << 10
)

// Allows reports whether what was paid may be the cost of the call of a lease. Of one
// that is settled, or of none, nothing that was paid is counted.
func (b *Budget) Allows(lease uint64, paid meter.Paid) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	l, ok := b.leases[lease]
	p := paidFor(paid)
	most := mostTimes * float64(l.tokens+mostTokens)
	return !ok || float64(p.tokens) <= most && p.usd <= l.usd*most/float64(max(1, l.tokens))
}

// Lose counts leases as spent that may not be settled any more. One that is all the
// same counts as what it is settled for.
func (b *Budget) Lose(leases ...uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, n := range leases {
		b.lose(n)
	}
	b.admit()
}

func (b *Budget) reserve(number uint64, estimate amount) {
	if b.leases == nil {
		b.leases = make(map[uint64]lease)
	}
	b.leases[number] = lease{amount: estimate}
	b.open++
	b.reserved = b.reserved.plus(estimate)
}

func (b *Budget) lose(number uint64) {
	l, ok := b.leases[number]
	if !ok || l.lost {
		return
	}
	b.release(l)
	l.lost = true
	b.leases[number], b.spent = l, b.spent.plus(l.amount)
}

// settle ends a lease; it returns false where there is none.
func (b *Budget) settle(number uint64, paid meter.Paid) bool {
	l, ok := b.leases[number]
	if !ok {
		return false
	}
	delete(b.leases, number)
	if l.lost {
		b.spent = b.spent.less(l.amount)
	} else {
		b.release(l)
	}
	b.spent = b.spent.plus(paidFor(paid))
	b.admit()
	return true
}

// release takes a reservation out. Where none is left nothing is reserved:
// sums of dollars in another order leave a rest in the last digits.
func (b *Budget) release(l lease) {
	b.open--
	b.reserved = b.reserved.less(l.amount)
	if b.open == 0 {
		b.reserved = amount{}
	}
}

// admit lets waiting calls look again.
func (b *Budget) admit() {
	if b.changed != nil {
		close(b.changed)
		b.changed = nil
	}
}
