package calls

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/fault"
)

// A process that waits for another one's call first checks after firstLook, and then
// less and less often. It waits a quarter longer than the call may take.
const (
	firstLook = 10 * time.Millisecond
	lastLook  = 250 * time.Millisecond
)

// flights are the calls of this process that are under way, one for each key.
type flights struct {
	mu  sync.Mutex
	all map[Key]*flight
}

// A flight is a call that is under way.
type flight struct {
	done  chan struct{} // closed when the call has ended
	reply Reply
	err   error
	// ended is set if reply and err are what the call came to. It is not where its
	// caller gave up or panicked, or where another process calls: then all look again.
	ended bool
}

// A batch is the calls of one request: of a chat model one, of an embedder one
// for each text.
type batch struct {
	*door
	ask func(ctx context.Context, items []*item) ([]Reply, error) // the inner door
}

// An item is one call of a batch, with its flight once it has one, and with its answer.
type item struct {
	index int // in the request
	call  *Call
	key   Key
	*flight
	answer Reply
	reused bool // nothing was paid for it now
}

// give answers an item, whose caller may write to its vector.
func (it *item) give(r Reply, reused bool) {
	r.Vector = slices.Clone(r.Vector)
	it.answer, it.reused = r, reused
}

func keysOf(items []*item) []Key { return lists.Map(items, func(it *item) Key { return it.key }) }

// answer gets the replies of a batch: those that are recorded, those that others are
// calling for, and with one call the rest. What comes twice is called for once.
//
// It holds no claim while it waits, so that two processes that want the same in another
// order wait for none that waits for them.
func (b *batch) answer(ctx context.Context, open []*item) error {
	for look := firstLook; len(open) > 0; look = min(look+look/4, lastLook) {
		var err error
		if open, err = b.find(ctx, open); err != nil {
			return err
		}
		mine, others := b.enter(open)
		taken, err := b.fly(ctx, mine)
		if err != nil {
			return err
		}
		if open, err = await(ctx, others); err != nil {
			return err
		}
		if len(taken) == 0 {
			continue
		}
		open = append(open, taken...)
		select {
		case <-time.After(look):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// find answers items by their recordings and returns the others. The flights of those
// that have one come to the same.
func (b *batch) find(ctx context.Context, items []*item) (open []*item, err error) {
	if b.mode == Record {
		return items, nil
	}
	found, err := b.store.find(ctx, keysOf(items))
	for _, it := range items {
		r, ok := found[it.key]
		if !ok {
			open = append(open, it)
			continue
		}
		it.give(r, true)
		if it.flight != nil {
			it.reply, it.ended = r, true
		}
	}
	return open, err
}

// enter gives each item the flight of its key. Those of mine are this caller's to land.
func (b *batch) enter(items []*item) (mine, others []*item) {
	f := &b.flights
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.all == nil {
		f.all = make(map[Key]*flight)
	}
	for _, it := range items {
		var under bool
		if it.flight, under = f.all[it.key]; under {
			others = append(others, it)
			continue
		}
		it.flight = &flight{done: make(chan struct{})}
		f.all[it.key] = it.flight
		mine = append(mine, it)
	}
	return mine, others
}

// land ends the flights of items, which others may look at from then on.
func (b *batch) land(items []*item) {
	b.flights.mu.Lock()
	defer b.flights.mu.Unlock()
	for _, it := range items {
		delete(b.flights.all, it.key)
		close(it.done)
		it.flight = nil
	}
}

// await takes the replies of calls that others make, and returns the items without one.
func await(ctx context.Context, others []*item) (left []*item, err error) {
	for _, it := range others {
		select {
		case <-it.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		switch {
		case !it.ended:
			it.flight = nil
			left = append(left, it)
		case it.err != nil:
			return nil, it.err
		default:
			it.give(it.reply, true)
		}
	}
	return left, nil
}

// fly calls for the items whose flights are this caller's, and lands all of them. In the
// mode reuse it returns those that another process calls for.
func (b *batch) fly(ctx context.Context, mine []*item) (taken []*item, err error) {
	if len(mine) == 0 {
		return nil, nil
	}
	// Whatever happens, nobody waits for a call that is not under way.
	defer b.land(mine)
	if b.mode != Reuse {
		return nil, b.call(ctx, mine)
	}
	free, err := b.store.claim(ctx, keysOf(mine))
	if err != nil {
		return nil, unclaimed(err)
	}
	if len(free) == 0 {
		return mine, nil
	}
	// Before the flights land: who enters next would take the same claims.
	defer b.store.release(context.WithoutCancel(ctx), free)
	var claimed []*item
	for _, it := range mine {
		if slices.Contains(free, it.key) {
			claimed = append(claimed, it)
		} else {
			taken = append(taken, it)
		}
	}
	// Between the look and the claim another process's call may have ended.
	open, err := b.find(ctx, claimed)
	if err == nil && len(open) > 0 {
		err = b.call(ctx, open)
	}
	return taken, err
}

// call calls the inner door for items, and passes on what it came to.
func (b *batch) call(ctx context.Context, items []*item) error {
	replies, err := b.pay(ctx, items)
	// A caller whose time or limit is over says nothing about the others'.
	shared := err == nil || ctx.Err() == nil && fault.KindOf(err) != fault.Limit
	for i, it := range items {
		if err == nil {
			it.reply = replies[i]
			it.give(it.reply, false)
		}
		it.err, it.ended = err, shared
	}
	return err
}

// pay calls the inner door for items of the batch and records what is to be recorded.
func (b *batch) pay(ctx context.Context, items []*item) ([]Reply, error) {
	if b.mode == Replay {
		return nil, b.miss(items)
	}
	// What could not be recorded would be paid for again; what waits for its turn
	// when a recording fails is not called for.
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	failed := func() error { return context.Cause(b.writable) }
	defer context.AfterFunc(b.writable, func() { cancel(failed()) })() //nolint:contextcheck // likewise
	if err := failed(); err != nil {
		return nil, err
	}
	start := time.Now()
	replies, err := b.ask(ctx, items)
	if err != nil {
		return nil, err
	}
	latency := time.Since(start)
	var entries []entry
	var recorded []*Reply // of each entry
	for n, it := range items {
		if r := &replies[n]; it.call.Kind != Chat || whole(r.Chat) {
			r.Latency = cmp.Or(r.Chat.Took, latency)
			texts, err := it.call.stored()
			if err != nil {
				return nil, err
			}
			entries, recorded = append(entries, entry{it.key, it.call.Kind, it.call.Role, b.id.json, texts, *r}), append(recorded, r)
		}
	}
	if len(entries) > 0 {
		// What was paid for is recorded although its caller's time is over.
		if err := b.store.record(context.WithoutCancel(ctx), entries); err != nil {
			err = &fault.Error{Kind: fault.Unavailable, Message: "the recording of a call cannot be written: " + err.Error(), Err: err}
			b.fail(err)
			return nil, err
		}
	}
	for i, r := range recorded {
		r.Time = entries[i].Reply.Time
	}
	return replies, nil
}

// unclaimed is the fault of a call that another process may also make. It stops
// the run before anything is paid for.
func unclaimed(err error) error {
	remedy := ""
	if !errors.Is(err, errUnshared) {
		remedy = "; the mode replay only reads recordings"
	}
	return &fault.Error{Kind: fault.Unavailable, Message: "cannot prevent other processes from making the same call: " + err.Error() + remedy, Err: err}
}
