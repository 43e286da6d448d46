package gateway

import (
	"context"
	"crypto/sha256"
	"net/http"
	"sync"
	"time"

	"recallbench/internal/door/embed"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/meter"
)

// A Phase is a Build or an Answer, to whose context the calls of a memory are bound.
type Phase struct {
	// Stray is the usage of stray calls before the phase, which is part of its own.
	Stray Stray

	memory  *Memory
	ctx     context.Context //nolint:containedctx // a phase binds calls to a context
	cancel  context.CancelFunc
	role    string
	kind    embed.Kind
	working sync.WaitGroup // calls under way

	// The memory's mutex guards the rest.
	counts map[bodyKey]int   // requests that came, by body
	calls  map[bodyKey]*call // under way, or lost by who asked
	fault  error
}

// A bodyKey stands for what a request asks.
type bodyKey [sha256.Size]byte

// A call is one request in progress. It continues if its connection is lost:
// whoever sends the same request again gets its reply.
type call struct {
	repeat int
	done   chan struct{} // closed when it has ended
	reply  any
	err    error

	waiting int  // callers
	served  bool // a caller has the reply
}

// lost reports whether nobody waits for a call whose reply nobody has.
func (c *call) lost() bool { return c.waiting == 0 && !c.served }

// Begin binds the memory's calls to ctx and its meter, until [Phase.End] or the next
// Begin. role is that of chat calls, and kind that of texts to embed.
func (m *Memory) Begin(ctx context.Context, role string, kind embed.Kind) *Phase {
	p := &Phase{memory: m, role: role, kind: kind}
	p.ctx, p.cancel = context.WithCancel(ctx)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bound, m.last = p, p
	if m.stray != nil {
		p.fault, m.stray.fault = m.stray.fault, nil
		if own := meter.From(ctx); own != nil {
			p.Stray = StrayOf(m.usage)
			own.Absorb(m.usage)
		}
	}
	return p
}

// End unbinds the phase, waits for its running calls, and returns a fault of a
// call that its caller may have hidden; nil for none.
func (p *Phase) End() error {
	m := p.memory
	m.mu.Lock()
	if m.bound == p {
		m.bound = nil
	}
	m.mu.Unlock()
	p.working.Wait()
	p.cancel()
	m.mu.Lock()
	defer m.mu.Unlock()
	p.calls, p.counts = nil, nil
	return p.fault
}

// do answers a request: by a call of its own, or by one for the same body that its
// caller has lost, or tries again. It returns an error where the caller goes before.
func (p *Phase) do(r *http.Request, key bodyKey, work func(ctx context.Context, repeat int) (any, error)) (any, error) {
	// What a client of OpenAI says when it tries a request again.
	retry := r.Header.Get("X-Stainless-Retry-Count")
	c, err := p.start(key, retry != "" && retry != "0", work)
	if err != nil {
		return nil, err
	}
	select {
	case <-c.done:
		p.part(key, c, true)
		return c.reply, c.err
	case <-r.Context().Done():
		p.part(key, c, false)
		return nil, errGone
	}
}

// errGone is the error of a call whose caller is gone.
var errGone = fault.New(fault.Connection, "the caller is gone")

// start returns the call that answers a request, or the fault that every further call meets.
func (p *Phase) start(key bodyKey, again bool, work func(context.Context, int) (any, error)) (*call, error) {
	m := p.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stopped != nil {
		p.fault = m.stopped
		return nil, m.stopped
	}
	if c := p.calls[key]; c != nil && (again || c.lost()) {
		c.waiting++
		return c, nil
	}
	if p.counts == nil {
		p.counts, p.calls = make(map[bodyKey]int), make(map[bodyKey]*call)
	}
	if !again || p.counts[key] == 0 {
		p.counts[key]++
	}
	c := &call{repeat: p.counts[key] - 1, done: make(chan struct{}), waiting: 1}
	p.calls[key] = c
	m.atDoors++
	p.working.Go(func() {
		c.reply, c.err = work(p.ctx, c.repeat)
		m.mu.Lock()
		m.atDoors--
		m.activity = time.Now()
		m.mu.Unlock()
		p.judge(c.err)
		close(c.done)
	})
	return c, nil
}

// part ends the waiting of a caller, who has the reply or is gone. What nobody has
// is remembered.
func (p *Phase) part(key bodyKey, c *call, served bool) {
	p.memory.mu.Lock()
	defer p.memory.mu.Unlock()
	c.waiting--
	c.served = c.served || served
	switch {
	case p.calls == nil: // the phase has ended
	case c.lost():
		p.calls[key] = c
	case c.served && p.calls[key] == c:
		delete(p.calls, key)
	}
}

// judge decides what a fault means for the phase: it continues with less,
// fails, or stops with everything after it.
func (p *Phase) judge(err error) {
	if err == nil || p.ctx.Err() != nil {
		return
	}
	m, kind := p.memory, fault.KindOf(err)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fault = err
	if kind == fault.Rejected || kind == fault.Refused { // the request itself would not do
		meter.Degrade(p.ctx, p.role)
		return
	}
	if kind.Stops() && m.stopped == nil {
		m.stopped = err
	}
	if p.fault == nil || kind.Stops() {
		p.fault = err
	}
}
