// Package budget keeps a run within what it may spend.
package budget

import (
	"context"
	"slices"
	"sync"
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
	reserver  Reserver // of another process; nil for this one

	mu              sync.Mutex
	spent, reserved amount
	open            int       // reservations
	waiting         []*waiter // in the order of arrival
}

// A waiter is a call that waits for others to settle.
type waiter struct {
	estimate amount
	ready    chan error // gets one value: nil once it is reserved
}

// New returns a budget; 0 is no bound.
func New(tokens int, usd float64) *Budget { return &Budget{maxTokens: tokens, maxUSD: usd} }

// Bounded reports whether there is a bound at all.
func (b *Budget) Bounded() bool { return b.maxTokens > 0 || b.maxUSD > 0 }

// A Reserver sets aside what calls will cost, as [Budget.Reserve] does.
type Reserver func(ctx context.Context, tokens int, usd float64) (settle func(tokens int, usd float64), err error)

// NewRemote returns the budget of another process, which r reaches.
func NewRemote(r Reserver) *Budget { return &Budget{reserver: r} }

// Spend adds what was spent before, by earlier parts of a run.
func (b *Budget) Spend(tokens int, usd float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spent = b.spent.plus(sane(tokens, usd))
	b.admit()
}

// Spent returns what was spent so far.
func (b *Budget) Spent() (tokens int, usd float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spent.tokens, b.spent.usd
}

// Reserve sets aside an upper estimate of what a call will cost. Where that would go
// beyond the budget it waits for calls in flight to settle for less, those that came
// before first. It fails with [fault.Budget] when that does not help. Where ctx ends,
// the error is its cause. The function it returns settles the reservation with what
// the call did cost, also when it failed; it must be called once, and does nothing
// when called again.
func (b *Budget) Reserve(ctx context.Context, tokens int, usd float64) (settle func(tokens int, usd float64), err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if b.reserver != nil {
		return b.reserver(ctx, tokens, usd)
	}
	estimate := sane(tokens, usd)
	b.mu.Lock()
	if len(b.waiting) == 0 && b.fits(b.spent.plus(b.reserved).plus(estimate)) {
		b.reserve(estimate)
		b.mu.Unlock()
		return b.settler(estimate), nil
	}
	if !b.fits(b.spent.plus(estimate)) {
		defer b.mu.Unlock()
		return nil, b.exceeded(estimate)
	}
	w := &waiter{estimate, make(chan error, 1)}
	b.waiting = append(b.waiting, w)
	b.mu.Unlock()

	select {
	case err := <-w.ready:
		if err != nil {
			return nil, err
		}
		return b.settler(estimate), nil
	case <-ctx.Done():
		b.leave(w)
		return nil, context.Cause(ctx)
	}
}

// leave takes back what a call that gave up waiting for it may have got.
func (b *Budget) leave(w *waiter) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.Index(b.waiting, w); i >= 0 {
		b.waiting = slices.Delete(b.waiting, i, i+1)
	} else if <-w.ready == nil {
		b.release(w.estimate)
	}
	b.admit()
}

func (b *Budget) settler(estimate amount) func(int, float64) {
	var once sync.Once
	return func(tokens int, usd float64) {
		once.Do(func() {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.release(estimate)
			b.spent = b.spent.plus(sane(tokens, usd))
			b.admit()
		})
	}
}

// reserve adds a reservation.
func (b *Budget) reserve(estimate amount) {
	b.open++
	b.reserved = b.reserved.plus(estimate)
}

// release takes a reservation out. Where none is left nothing is reserved:
// sums of dollars in another order leave a rest in the last digits.
func (b *Budget) release(estimate amount) {
	b.open--
	b.reserved.tokens -= estimate.tokens
	b.reserved.usd -= estimate.usd
	if b.open == 0 {
		b.reserved = amount{}
	}
}

// admit lets waiting calls go, the first one first, as far as the budget
// reaches, and ends those that can no longer fit.
func (b *Budget) admit() {
	blocked := false
	b.waiting = slices.DeleteFunc(b.waiting, func(w *waiter) bool {
		switch {
		case !b.fits(b.spent.plus(w.estimate)):
			w.ready <- b.exceeded(w.estimate)
			return true
		case !blocked && b.fits(b.spent.plus(b.reserved).plus(w.estimate)):
			b.reserve(w.estimate)
			w.ready <- nil
			return true
		default:
			blocked = true
			return false
		}
	})
}
