package calls

import (
	"context"
	"sync"

	"recallbench/internal/fault"
)

// flights keeps one call in flight for each key. Its zero value is ready.
type flights struct {
	mu  sync.Mutex
	all map[Key]*flight
}

// A flight is a call that is under way.
type flight struct {
	done  chan struct{} // closed when the call has ended
	reply Reply
	err   error
	// ended is set when reply and err are what the call came to. It is not
	// where its caller gave up or panicked: then others try themselves.
	ended bool
}

// claim returns the flight of a key, which is the caller's to land if first is
// set.
func (f *flights) claim(k Key) (_ *flight, first bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if fl, ok := f.all[k]; ok {
		return fl, false
	}
	if f.all == nil {
		f.all = make(map[Key]*flight)
	}
	fl := &flight{done: make(chan struct{})}
	f.all[k] = fl
	return fl, true
}

// land ends the flight of a key.
func (f *flights) land(k Key, fl *flight) {
	f.mu.Lock()
	delete(f.all, k)
	f.mu.Unlock()
	close(fl.done)
}

// A batch is the calls of one request: of a chat model one, of an embedder one
// for each text.
type batch struct {
	keys []Key
	// find returns what is recorded of a key. It is nil where recordings are
	// not to be read.
	find func(Key) (Reply, bool)
	// refresh lets find see what other processes have recorded.
	refresh func() error
	// call calls for the items of some indices, and records what came.
	call func(ctx context.Context, items []int) ([]Reply, error)

	answers []answer
}

// An answer is the reply of one item of a batch.
type answer struct {
	Reply
	reused bool // nothing was paid for it now
}

// do gets the replies of a batch: those that are recorded, those that others
// are calling for, and with one call the rest. What comes twice is called for
// once.
func (f *flights) do(ctx context.Context, b batch) ([]answer, error) {
	b.answers = make([]answer, len(b.keys))
	open := make([]int, len(b.keys))
	for i := range open {
		open[i] = i
	}
	for len(open) > 0 {
		var err error
		if open, err = f.round(ctx, &b, open); err != nil {
			return nil, err
		}
	}
	return b.answers, nil
}

// A claim is an item of a batch with the flight of its key.
type claim struct {
	item int
	*flight
}

// round answers the open items of a batch, but for those that others called
// for and gave up, which it returns.
func (f *flights) round(ctx context.Context, b *batch, open []int) (left []int, err error) {
	var mine, others []claim
	for _, i := range open {
		if b.recorded(i) {
			continue
		}
		fl, first := f.claim(b.keys[i])
		if first {
			mine = append(mine, claim{i, fl})
		} else {
			others = append(others, claim{i, fl})
		}
	}
	if err := f.fly(ctx, b, mine); err != nil {
		return nil, err
	}
	for _, c := range others {
		select {
		case <-c.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		switch {
		case !c.ended:
			left = append(left, c.item)
		case c.err != nil:
			return nil, c.err
		default:
			b.answers[c.item] = answer{c.reply.own(), true}
		}
	}
	return left, nil
}

// recorded answers an item by its recording, where there is one.
func (b *batch) recorded(i int) bool {
	if b.find == nil {
		return false
	}
	r, ok := b.find(b.keys[i])
	if ok {
		b.answers[i] = answer{r, true}
	}
	return ok
}

// fly calls for what is claimed and lands all of it.
func (f *flights) fly(ctx context.Context, b *batch, mine []claim) (err error) {
	if len(mine) == 0 {
		return nil
	}
	// Whatever happens, nobody waits for a call that is not under way.
	defer func() {
		for _, c := range mine {
			f.land(b.keys[c.item], c.flight)
		}
	}()
	// Between the look and the claim another call may have ended, here or in
	// another process.
	var items []int
	if b.find != nil {
		if err := b.refresh(); err != nil {
			return err
		}
	}
	for _, c := range mine {
		if b.recorded(c.item) {
			c.reply, c.ended = b.answers[c.item].own(), true
		} else {
			items = append(items, c.item)
		}
	}
	if len(items) == 0 {
		return nil
	}
	replies, err := b.call(ctx, items)
	if err == nil {
		for n, i := range items {
			b.answers[i] = answer{Reply: replies[n]}
		}
	}
	// A caller whose time or limit is over says nothing about the others'.
	shared := err == nil || ctx.Err() == nil && fault.KindOf(err) != fault.Limit
	for _, c := range mine {
		if !c.ended {
			c.reply, c.err, c.ended = b.answers[c.item].own(), err, shared
		}
	}
	return err
}
