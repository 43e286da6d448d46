package httpfault

import (
	"context"
	"sync"
)

// budgetBytes is what all replies in flight may take together, beside one that
// may take more so that not all wait for each other.
const budgetBytes = 64 << 20

// replies is the budget of all replies that clients of this process read, from
// the first byte until what they say is decoded.
var replies = &budget{size: budgetBytes, free: budgetBytes}

// A budget is a number of bytes that holders share. Whoever needs more than is
// left waits for others to end. One holder at a time may take what is not there,
// and then needs to wait for nothing: else all could hold a part and wait.
type budget struct {
	size    int
	mu      sync.Mutex
	free    int // negative while a holder has taken what is not there
	most    int // that was taken at a time
	excess  *hold
	waiting []*claim // the oldest first
}

// A claim waits for bytes.
type claim struct {
	hold  *hold
	n     int
	ready chan struct{}
}

// A hold is what one reply takes of a budget.
type hold struct {
	budget *budget
	bytes  int
}

// take adds n bytes to the hold, once they are there.
func (h *hold) take(ctx context.Context, n int) error {
	b := h.budget
	b.mu.Lock()
	if n == 0 || len(b.waiting) == 0 && n <= b.free || b.excess == h {
		b.give(h, n)
		b.mu.Unlock()
		return nil
	}
	c := &claim{h, n, make(chan struct{})}
	b.waiting = append(b.waiting, c)
	b.serve()
	b.mu.Unlock()
	select {
	case <-c.ready:
		return nil
	case <-ctx.Done():
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, other := range b.waiting {
		if other == c {
			b.waiting = append(b.waiting[:i], b.waiting[i+1:]...)
			break
		}
	}
	b.serve()
	return context.Cause(ctx)
}

// give gives a hold n bytes, be they there or not.
func (b *budget) give(h *hold, n int) {
	b.free -= n
	h.bytes += n
	b.most = max(b.most, b.size-b.free)
}

// serve gives the claims that wait, the oldest first, what there is, and the
// first that must wait more than there is if no other holder has that.
func (b *budget) serve() {
	for len(b.waiting) > 0 {
		c := b.waiting[0]
		if c.n > b.free {
			if b.excess != nil {
				return
			}
			b.excess = c.hold
		}
		b.waiting = b.waiting[1:]
		b.give(c.hold, c.n)
		close(c.ready)
	}
}

// drop gives n bytes of the hold back.
func (h *hold) drop(n int) {
	b := h.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	b.free += n
	h.bytes -= n
	if h.bytes == 0 && b.excess == h {
		b.excess = nil
	}
	b.serve()
}

// release gives all of the hold back.
func (h *hold) release() { h.drop(h.bytes) }
