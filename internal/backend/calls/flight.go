package calls

import (
	"context"
	"slices"
	"sync"
	"time"

	"recallbench/internal/door/fault"
)

// A process that waits for another one's call looks for it after firstLook, and then
// ever less often. It waits a quarter longer than the call takes at most.
const (
	firstLook = 10 * time.Millisecond
	lastLook  = 250 * time.Millisecond
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
	door    *door
	all     []*Call
	keys    []Key
	ask     caller
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
func (f *flights) do(ctx context.Context, b *batch) error {
	open := make([]item, len(b.keys))
	for i := range open {
		open[i].index = i
	}
	for len(open) > 0 {
		var err error
		if open, err = f.round(ctx, b, open); err != nil {
			return err
		}
	}
	return nil
}

// An item is one of a batch with the flight of its key.
type item struct {
	index int
	*flight
}

// round answers the open items of a batch, but for those that others called
// for and gave up, which it returns.
func (f *flights) round(ctx context.Context, b *batch, open []item) (left []item, err error) {
	if open, err = b.find(ctx, open); err != nil {
		return nil, err
	}
	var mine, others []item
	for _, it := range open {
		fl, first := f.enter(b.keys[it.index])
		if first {
			mine = append(mine, item{it.index, fl})
		} else {
			others = append(others, item{it.index, fl})
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
			left = append(left, it)
		case it.err != nil:
			return nil, it.err
		default:
			b.answers[it.index] = answer{it.reply.own(), true}
		}
	}
	return left, nil
}

// find answers items by their recordings and returns the others.
func (b *batch) find(ctx context.Context, items []item) (open []item, err error) {
	if b.door.mode == Record {
		return items, nil
	}
	found, err := b.door.store.find(ctx, b.keysOf(items))
	for _, it := range items {
		r, ok := found[b.keys[it.index]]
		if !ok {
			open = append(open, it)
			continue
		}
		b.answers[it.index] = answer{r.own(), true}
		if it.flight != nil {
			it.reply, it.ended = r, true
		}
	}
	return open, err
}

func (b *batch) keysOf(items []item) []Key {
	keys := make([]Key, len(items))
	for i, it := range items {
		keys[i] = b.keys[it.index]
	}
	return keys
}

// fly answers the items whose flights are this caller's, and lands all of them:
// first those that no other process calls for, then the rest as their claims
// become free. It holds no claim while it waits, so that two processes that want
// the same in another order wait for none that waits for them.
func (f *flights) fly(ctx context.Context, b *batch, mine []item) error {
	// Whatever happens, nobody waits for a call that is not under way.
	defer func() { f.land(b, mine) }()
	for look := firstLook; len(mine) > 0; look = min(look+look/4, lastLook) {
		free, taken, err := b.claim(ctx, mine)
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
		select {
		case <-time.After(look):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// claim claims items in the mode reuse. Taken are those that another process has claimed.
func (b *batch) claim(ctx context.Context, items []item) (free, taken []item, err error) {
	if b.door.mode != Reuse {
		return items, nil, nil
	}
	keys, err := b.door.store.claim(ctx, b.keysOf(items))
	if err != nil {
		return nil, nil, unclaimed(err)
	}
	for _, it := range items {
		if slices.Contains(keys, b.keys[it.index]) {
			free = append(free, it)
		} else {
			taken = append(taken, it)
		}
	}
	return free, taken, nil
}

// call calls for items that are claimed, but for those that are recorded by
// now, and lands all of them.
func (f *flights) call(ctx context.Context, b *batch, mine []item) (err error) {
	if len(mine) == 0 {
		return nil
	}
	open := mine
	defer func() {
		// First the claims: who enters next would take the same ones.
		if b.door.mode == Reuse {
			b.door.store.release(context.WithoutCancel(ctx), b.keysOf(mine))
		}
		f.land(b, mine)
	}()
	if b.door.mode == Reuse {
		// Between the look and the claim another call may have ended, here or in
		// another process.
		if open, err = b.find(ctx, mine); err != nil || len(open) == 0 {
			return err
		}
	}
	items := make([]int, len(open))
	for i, it := range open {
		items[i] = it.index
	}
	replies, err := b.call(ctx, items)
	// A caller whose time or limit is over says nothing about the others'.
	shared := err == nil || ctx.Err() == nil && fault.KindOf(err) != fault.Limit
	for i, it := range open {
		if err == nil {
			b.answers[it.index] = answer{Reply: replies[i]}
		}
		it.reply, it.err, it.ended = b.answers[it.index].own(), err, shared
	}
	return err
}
