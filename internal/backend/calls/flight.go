package calls

import (
	"context"
	"sync"
	"time"

	"recallbench/internal/door/fault"
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

// enter returns the flight of a key, which is the caller's to land if first is
// set.
func (f *flights) enter(k Key) (_ *flight, first bool) {
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

// land ends the flights of items.
func (f *flights) land(b *batch, items []item) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, it := range items {
		delete(f.all, b.keys[it.index])
		close(it.done)
	}
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
	// claims keep other processes from calling for the same; nil where they may.
	claims claimant
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

// An item is one of a batch with the flight of its key.
type item struct {
	index int
	*flight
}

// round answers the open items of a batch, but for those that others called
// for and gave up, which it returns.
func (f *flights) round(ctx context.Context, b *batch, open []int) (left []int, err error) {
	var mine, others []item
	for _, i := range open {
		if b.recorded(i) {
			continue
		}
		fl, first := f.enter(b.keys[i])
		if first {
			mine = append(mine, item{i, fl})
		} else {
			others = append(others, item{i, fl})
		}
	}
	if err := f.fly(ctx, b, mine); err != nil {
		return nil, err
	}
	for _, it := range others {
		select {
		case <-it.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		switch {
		case !it.ended:
			left = append(left, it.index)
		case it.err != nil:
			return nil, it.err
		default:
			b.answers[it.index] = answer{it.reply.own(), true}
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

// fly answers the items whose flights are this caller's, and lands all of them:
// first those that no other process calls for, then the rest as their claims
// become free. It holds no claim while it waits, so that two processes that want
// the same in another order wait for none that waits for them.
func (f *flights) fly(ctx context.Context, b *batch, mine []item) error {
	// Whatever happens, nobody waits for a call that is not under way.
	defer func() { f.land(b, mine) }()
	for look := firstLook; len(mine) > 0; look = min(look+look/4, lastLook) {
		free, taken, err := b.claim(mine)
		if err != nil {
			return err
		}
		mine = taken
		if err := f.call(ctx, b, free); err != nil {
			return err
		}
		if len(taken) == 0 {
			break
		}
		b.claims.waiting()
		select {
		case <-time.After(look):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// claim claims items. Taken are those that another process has claimed.
func (b *batch) claim(items []item) (free, taken []item, err error) {
	if b.claims == nil {
		return items, nil, nil
	}
	for _, it := range items {
		ok, err := b.claims.take(b.keys[it.index])
		switch {
		case err != nil:
			b.release(free)
			return nil, nil, unclaimed(err)
		case ok:
			free = append(free, it)
		default:
			taken = append(taken, it)
		}
	}
	return free, taken, nil
}

// release gives the claims of items back.
func (b *batch) release(items []item) {
	if b.claims == nil {
		return
	}
	for _, it := range items {
		b.claims.release(b.keys[it.index])
	}
}

// call calls for items that are claimed, but for those that are recorded by
// now, and lands all of them.
func (f *flights) call(ctx context.Context, b *batch, mine []item) (err error) {
	if len(mine) == 0 {
		return nil
	}
	defer func() {
		// First the claims: who enters next would take the same ones.
		b.release(mine)
		f.land(b, mine)
	}()
	// Between the look and the claim another call may have ended, here or in
	// another process.
	var items []int
	if b.find != nil {
		if err := b.refresh(); err != nil {
			return err
		}
	}
	for _, it := range mine {
		if b.recorded(it.index) {
			it.reply, it.ended = b.answers[it.index].own(), true
		} else {
			items = append(items, it.index)
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
	for _, it := range mine {
		if !it.ended {
			it.reply, it.err, it.ended = b.answers[it.index].own(), err, shared
		}
	}
	return err
}
