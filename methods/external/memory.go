package external

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"recallbench/datasets"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/meter"
	"recallbench/internal/outside/adapter"
	"recallbench/internal/outside/gateway"
	"recallbench/internal/outside/wire"
	"recallbench/methods"
	"recallbench/methods/internal/reader"
)

// quiet is how long no model call may come after a memory has been built: what
// still runs behind is waited for.
const quiet = 200 * time.Millisecond

// A memory is one that an adapter holds.
type memory struct {
	*method
	*crossing
	gate   *gateway.Memory
	asking sync.Mutex // one request at a time

	mu       sync.Mutex // guards what follows, and is held while it is built again
	live     *instance
	closed   bool
	restarts int
	size     wire.Size
	canary   time.Duration
	saved    *snapshot // that the memory is restored from; nil for none
	saving   bool      // a snapshot is made when the memory is built
	unsaved  string    // folder of the snapshot that was made; empty for none

	fitMu sync.Mutex
	fit   embed.Embedder
}

// embedder opens the embedder of the memory, which learns from its turns where
// it learns at all.
func (m *memory) embedder(ctx context.Context) (embed.Embedder, error) {
	m.fitMu.Lock()
	defer m.fitMu.Unlock()
	if m.fit == nil {
		e, err := m.env.Embed.Fit(ctx, m.texts())
		if err != nil {
			return nil, err
		}
		m.fit = e
	}
	return m.fit, nil
}

// dimensions returns the length of vectors, which stores want to know before the
// first one; 0 where there is no embedder. Where the embedder does not say it, a text
// is embedded, once for all memories and charged to none.
func (m *memory) dimensions(ctx context.Context) (int, error) {
	if m.env.Embed == nil {
		return 0, nil
	}
	e, err := m.embedder(ctx)
	if err != nil {
		return 0, err
	}
	if n := e.Info().Dim; n > 0 {
		return n, nil
	}
	m.lengthMu.Lock()
	defer m.lengthMu.Unlock()
	if m.length == 0 {
		apart, used := meter.Apart(ctx, m.env.Now)
		reply, err := e.Embed(apart, embed.Request{Kind: embed.Document, Texts: []string{"the length of a vector"}})
		m.charge(used)
		if err != nil || len(reply.Vectors) == 0 {
			return 0, err
		}
		m.length = len(reply.Vectors[0])
	}
	return m.length, nil
}

// raise builds the memory, or restores it. A process that is lost meanwhile is
// started anew, a few times; what the lost ones used is charged to the run and to
// no memory. So is what a restoration uses: the memory took it when it was built.
func (m *memory) raise(ctx context.Context) error {
	for n := 0; ; n++ {
		restoring := m.saved != nil
		attempt, used := meter.Apart(ctx, m.env.Now)
		i, err := m.build(attempt)
		again := err != nil && ctx.Err() == nil && lost(err) && n < m.o.Restarts
		drop := err != nil && ctx.Err() == nil && restoring && !again && !fault.KindOf(err).Stops()
		if again || drop || restoring && err == nil {
			m.charge(used)
		} else {
			meter.Join(ctx, used)
		}
		switch {
		case again:
		case drop:
			m.warn("a snapshot does not restore, and the memory is built again", err)
			m.saved, n = nil, -1
		case err == nil:
			m.live, m.restarts = i, m.restarts+n
			return nil
		default:
			return err
		}
	}
}

// lost reports whether an error is the end of a process, and not what one said.
func lost(err error) bool {
	switch fault.KindOf(err) {
	case fault.AdapterCrash, fault.AdapterTimeout, fault.AdapterProtocol:
		return true
	default:
		return false
	}
}

func (m *method) charge(used *meter.Meter) {
	if m.env.Charge != nil {
		m.env.Charge(used)
	}
}

// build builds the memory once.
func (m *memory) build(ctx context.Context) (i *instance, err error) {
	defer meter.Stage(ctx, "adapter")()
	if i, err = m.acquire(ctx, m); err != nil {
		return nil, err
	}
	err = m.during(ctx, func() error {
		if err := m.ingest(ctx, i); err != nil {
			return err
		}
		return m.gate.Quiet(ctx, quiet)
	})
	if err == nil && m.o.Mode == Search && !i.info.Capabilities.Mutates {
		err = m.ready(ctx, i)
	}
	if err == nil && m.saving {
		err = m.during(ctx, func() error { return m.save(ctx, i) })
	}
	if err == nil {
		err = i.compare(ctx, m)
	}
	if err != nil {
		if ended := i.conn.Ended(); ended != nil && ctx.Err() == nil && !fault.KindOf(err).Stops() {
			err = ended
		}
		return nil, errors.Join(err, m.free(ctx, i))
	}
	return i, nil
}

// warn logs what the run goes on in spite of.
func (m *memory) warn(what string, err error) {
	if m.env.Log != nil {
		m.env.Log.Warn(what, "adapter", m.info.Name, "memory", m.name, "error", err)
	}
}

// ingest gives the adapter the conversation, or the snapshot of what became of it.
func (m *memory) ingest(ctx context.Context, i *instance) error {
	models := m.modelsOf(m.method.gate.URL(), m.gate.Key())
	var err error
	if models.Dimensions, err = m.dimensions(ctx); err != nil {
		return err
	}
	options := m.o.Options
	if options == nil {
		options = map[string]any{}
	}
	open := wire.OpenParams{
		Memory: m.name, Sample: wire.Sample{Speakers: m.speakers}, Options: options,
		Work: m.work(i), Models: models,
	}
	if m.saved != nil {
		return m.restore(ctx, i, open)
	}
	m.size = wire.Size{}
	if err := m.call(ctx, i, startTimeout, false, wire.Open, open, nil); err != nil {
		return err
	}
	defer m.at(0, true)
	for n, s := range m.sessions {
		m.at(n, false)
		if err := m.call(ctx, i, m.o.Timeout, false, wire.Add, wire.AddParams{Memory: m.name, Session: s}, &m.size); err != nil {
			return err
		}
	}
	m.at(len(m.sessions), false)
	return m.call(ctx, i, 6*m.o.Timeout, false, wire.Finish, wire.MemoryParams{Memory: m.name}, &m.size)
}

// The waits between calls that an adapter asks to repeat.
const (
	maxAgain  = 3
	firstWait = 500 * time.Millisecond
)

// call calls the adapter within a time, and again where it says that this helps.
func (m *memory) call(ctx context.Context, i *instance, within time.Duration, reads bool, method string, params, result any) error {
	for n := 0; ; n++ {
		err := i.conn.Call(adapter.Within(ctx, within, m.gate.Waiting), method, params, result)
		said, ok := errors.AsType[*adapter.Error](err)
		if !ok || n == maxAgain || !said.Again(reads) {
			return err
		}
		if !sleep(ctx, max(said.RetryAfter, firstWait<<n)) {
			return ctx.Err()
		}
	}
}

func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// during binds the calls of the memory to a part of its building. A call that failed
// behind the adapter's back counts, whatever it says.
func (m *memory) during(ctx context.Context, part func() error) error {
	phase := m.gate.Begin(ctx, gateway.RoleExternal, embed.Document)
	err := part()
	return cmp.Or(phase.End(), err)
}

// lookUp searches for a turn while the memory is built.
func (m *memory) lookUp(ctx context.Context, i *instance, t wire.Turn) ([]wire.Block, error) {
	r := wire.Request{Text: t.Text}
	r.ID = wire.RequestIDs([]wire.Request{r})[0]
	var found wire.SearchResult
	err := m.during(ctx, func() error {
		return m.call(ctx, i, m.o.Timeout, true, wire.Search, wire.SearchParams{Memory: m.name, Request: r, K: 5}, &found)
	})
	return found.Blocks, err
}

// ready searches for turns of the conversation until each finds something. How often
// it must search depends on the time: only the last search of a turn counts for the
// memory, and a search that is repeated asks models the same, not anew.
func (m *memory) ready(ctx context.Context, i *instance) error {
	start := m.env.Now()
	deadline := time.NewTimer(m.o.Canary.Within)
	defer deadline.Stop()
	wait := 250 * time.Millisecond
	for _, t := range m.canaries(canaryTurns) {
		for {
			attempt, used := meter.Apart(ctx, m.env.Now)
			found, err := m.lookUp(attempt, i, t)
			if err != nil && fault.KindOf(err) != fault.NotReady {
				meter.Join(ctx, used)
				return err
			}
			if len(found) > 0 {
				meter.Join(ctx, used)
				break
			}
			select {
			case <-ctx.Done():
				meter.Join(ctx, used)
				return ctx.Err()
			case <-deadline.C:
				meter.Join(ctx, used)
				return notReady(m.o.Canary.Within, meter.From(ctx))
			case <-time.After(wait):
				wait = min(2*wait, 10*time.Second)
				m.charge(used)
			}
		}
	}
	m.canary = m.env.Now().Sub(start)
	return nil
}

// notReady is the fault of a memory in which nothing is found. It may hold nothing,
// because its model wrote nothing that it could use.
func notReady(within time.Duration, used *meter.Meter) error {
	err := fault.New(fault.NotReady, "nothing is found in %s after finish, not even for a turn of the conversation", within)
	if used == nil {
		return err
	}
	if useless, calls := used.Degraded()[gateway.RoleExternal], used.Usage()[gateway.RoleExternal].Calls; useless > 0 {
		err.Message += fmt.Sprintf("; of %d replies to the memory %d could not be used", calls, useless)
	}
	return err
}

// compare looks once whether a process that holds two memories keeps them apart.
// Which memory searches depends on the time: what that takes is charged to the run.
func (i *instance) compare(ctx context.Context, m *memory) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.broken != nil || i.isolated || len(i.users) < 2 || m.o.Mode != Search || i.info.Capabilities.Mutates {
		return i.broken
	}
	for other := range i.users {
		canaries := other.canaries(1)
		if other == m || len(canaries) == 0 {
			continue
		}
		text := wire.Fold(canaries[0].Text)
		if slices.ContainsFunc(m.texts(), func(t string) bool { return strings.Contains(wire.Fold(t), text) }) {
			continue
		}
		apart, used := meter.Apart(ctx, m.env.Now)
		found, err := m.lookUp(apart, i, canaries[0])
		m.charge(used)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(found, func(b wire.Block) bool { return strings.Contains(wire.Fold(b.Text), text) }) {
			i.broken = fault.New(fault.NotIsolated, "memory %s finds a turn of memory %s", m.name, other.name)
		}
		i.isolated = true
		return i.broken
	}
	return nil
}

// alive returns the instance that holds the memory, which is built again where it
// was lost, and how often that was.
func (m *memory) alive(ctx context.Context) (*instance, int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.closed:
		return nil, 0, errClosed
	case m.live != nil && !m.live.lost():
		m.live.mu.Lock()
		defer m.live.mu.Unlock()
		return m.live, m.restarts, m.live.broken
	}
	if m.live != nil {
		_ = m.live.leave(m) // it is gone
		m.live = nil
	}
	apart, used := meter.Apart(ctx, m.env.Now)
	err := m.raise(apart)
	m.charge(used)
	if err != nil {
		return nil, m.restarts, err
	}
	m.restarts++
	return m.live, m.restarts, nil
}

// Answer searches the memory and asks the reader, or asks the adapter itself.
func (m *memory) Answer(ctx context.Context, r datasets.Request) (methods.Response, error) {
	resp, err := m.answer(ctx, r)
	return resp, m.failing(err)
}

func (m *memory) answer(ctx context.Context, r datasets.Request) (resp methods.Response, err error) {
	var asked result
	before := -1
	for n := 0; ; n++ {
		i, restarts, err := m.alive(ctx)
		if err != nil {
			return resp, err
		}
		if before < 0 {
			before = restarts
		}
		attempt, used := meter.Apart(ctx, m.env.Now)
		asked, err = m.ask(attempt, i, m.request(r))
		said, _ := errors.AsType[*adapter.Error](err)
		forgot := said != nil && said.Kind == adapter.KindUnknownMemory
		// One that gave the request up in time has the memory still.
		late := fault.KindOf(err) == fault.AdapterTimeout
		if err != nil && ctx.Err() == nil && n < m.o.Restarts && (i.lost() || forgot || late) && !fault.KindOf(err).Stops() {
			m.charge(used)
			if forgot {
				m.drop(i)
			}
			continue
		}
		meter.Join(ctx, used)
		if err != nil {
			return methods.Response{}, err
		}
		if restarts > before {
			resp.Trace = append(resp.Trace, methods.Step{Name: "restart", Data: map[string]any{"n": restarts - before}})
		}
		break
	}
	if asked.stray.Calls > 0 {
		resp.Trace = append(resp.Trace, methods.Step{Name: "stray", Data: map[string]any{"calls": asked.stray.Calls, "tokens": asked.stray.Tokens}})
	}
	evidence, step := m.keep(asked)
	resp.Trace = append(resp.Trace, step)
	resp.Evidence = evidence
	if m.o.Mode == Answer {
		resp.Text = asked.text
		return resp, nil
	}
	texts := make([]string, len(evidence))
	for i, e := range evidence {
		texts[i] = e.Text
	}
	reply, err := m.reader.Ask(ctx, r, reader.Said(strings.Join(texts, "\n\n")))
	if err != nil {
		return methods.Response{Trace: resp.Trace}, err
	}
	resp.Text = reply.Text
	return resp, nil
}

// A result is what an adapter returned for a request.
type result struct {
	text   string
	blocks []wire.Block
	notes  []string
	// stray is what the adapter asked models between requests, which is part of
	// this one's usage.
	stray gateway.Stray
}

// ask asks the adapter once.
func (m *memory) ask(ctx context.Context, i *instance, r wire.Request) (out result, err error) {
	m.asking.Lock()
	defer m.asking.Unlock()
	if ctx.Err() != nil {
		return out, ctx.Err()
	}
	defer meter.Stage(ctx, "adapter")()
	role := gateway.RoleExternal
	if m.o.Mode == Answer {
		role = gateway.RoleExternalAnswer
	}
	phase := m.gate.Begin(ctx, role, embed.Query)
	if m.o.Mode == Answer {
		var reply wire.AnswerResult
		err = m.call(ctx, i, m.o.Timeout, true, wire.Answer, wire.AnswerParams{Memory: m.name, Request: r}, &reply)
		out = result{text: strings.TrimSpace(reply.Text), blocks: reply.Blocks, notes: reply.Notes}
		if err == nil && out.text == "" {
			err = fault.New(fault.Empty, "the adapter's answer is empty")
		}
	} else {
		var reply wire.SearchResult
		err = m.search(ctx, i, wire.SearchParams{Memory: m.name, Request: r, K: m.o.K, Tokens: m.o.Tokens}, &reply)
		out = result{blocks: reply.Blocks, notes: reply.Notes}
	}
	out.stray = phase.Stray()
	if failed := phase.End(); failed != nil {
		err = failed
	} else if said, ok := errors.AsType[*adapter.Error](err); ok && said.Kind == adapter.KindModel {
		err = cmp.Or(m.gate.Fault(), err) // what it means
	}
	return out, err
}

// search searches until the memory is ready, within the time of the canary.
func (m *memory) search(ctx context.Context, i *instance, params wire.SearchParams, reply *wire.SearchResult) error {
	deadline := time.NewTimer(m.o.Canary.Within)
	defer deadline.Stop()
	for wait := 250 * time.Millisecond; ; wait = min(2*wait, 10*time.Second) {
		err := m.call(ctx, i, m.o.Timeout, true, wire.Search, params, reply)
		if fault.KindOf(err) != fault.NotReady {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-deadline.C:
			return err
		case <-time.After(wait):
		}
	}
}

// drop gives up an instance that has forgotten the memory.
func (m *memory) drop(i *instance) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.live == i {
		_ = i.leave(m) // nothing of the memory is in it
		m.live = nil
	}
}

// work is the folder of the memory in an instance.
func (m *memory) work(i *instance) string { return filepath.Join(i.dir, m.name) }

// shut closes the memory in an instance and removes what it stored.
func (m *memory) shut(ctx context.Context, i *instance) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	err := i.conn.Call(ctx, wire.Close, wire.CloseParams{Memory: m.name, Drop: true}, nil)
	return errors.Join(err, os.RemoveAll(m.work(i)))
}

// free closes the memory in an instance and gives its place back.
func (m *memory) free(ctx context.Context, i *instance) error {
	if i.conn.Ended() == nil {
		err := m.shut(ctx, i)
		if said, ok := errors.AsType[*adapter.Error](err); ok {
			m.warn("closing a memory failed in the adapter", said)
		}
	}
	return i.leave(m)
}

// Order returns the requests in the order in which they are asked, that of their
// ids on the wire, and whether one must wait for the other.
func (m *memory) Order(requests []datasets.Request) (order []int, serial bool) {
	m.announce(requests)
	return m.order, m.info.Capabilities.Mutates
}

// Structure implements [methods.Structured].
func (m *memory) Structure() map[string]float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := map[string]float64{"restarts": float64(m.restarts), "canary_ms": float64(m.canary.Milliseconds())}
	if m.size.Items != nil {
		s["items"] = float64(*m.size.Items)
	}
	if m.size.Bytes != nil {
		s["bytes"] = float64(*m.size.Bytes)
	}
	return s
}

// Close implements [methods.Memory].
func (m *memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil
	}
	m.closed = true
	var err error
	if m.live != nil {
		err = m.free(context.Background(), m.live)
		m.live = nil
	}
	if used := m.gate.Close(); used != nil {
		m.charge(used)
		if stray := gateway.StrayOf(used); m.env.Log != nil {
			m.env.Log.Warn("the adapter called models when nothing was asked of it", "memory", m.name, "calls", stray.Calls, "tokens", stray.Tokens)
		}
	}
	m.note(methods.Adapter{AskedModels: m.gate.Asked(), Replaced: m.gate.Replaced()})
	return err
}

func fmtDay(t time.Time) []string {
	return []string{t.Format("2 January 2006"), t.Format("2006-01-02"), t.Format("January 2, 2006"), t.Format("2006/01/02"), fmt.Sprintf("%d %s, %d", t.Day(), t.Month(), t.Year())}
}
