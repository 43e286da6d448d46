package meter

import (
	"context"
	"sync"
)

// A Tally adds up what happens under several contexts while it happens; a [Meter]
// tells of one when that has ended. It is safe for concurrent use.
type Tally struct {
	mu    sync.Mutex
	spent Spent
}

// Spent is what calls took.
type Spent struct {
	Calls  int // of all models, recorded ones among them
	Tokens int // of all models, those of recorded calls among them
	Paid       // of it what was paid for now, and what recordings saved
}

// Add returns the sum of s and o. Its price is unknown when either is.
func (s Spent) Add(o Spent) Spent {
	return Spent{Calls: s.Calls + o.Calls, Tokens: s.Tokens + o.Tokens, Paid: s.Paid.Add(o.Paid)}
}

// NewTally returns a tally of nothing.
func NewTally() *Tally { return &Tally{spent: Spent{Paid: Paid{USD: new(0.0)}}} }

// Spent returns what was spent so far.
func (t *Tally) Spent() Spent {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.spent
}

func (t *Tally) add(s Spent) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.spent = t.spent.Add(s)
}

type tallyKey struct{}

// Count returns a context whose meters add what they collect to t too.
func Count(ctx context.Context, t *Tally) context.Context {
	return context.WithValue(ctx, tallyKey{}, t)
}
