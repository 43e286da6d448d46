package external

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"recallbench/datasets"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/meter"
	"recallbench/internal/external/adapter"
	"recallbench/internal/external/gateway"
	"recallbench/internal/external/wire"
	"recallbench/methods"
	"recallbench/methods/internal/reader"
)

// quiet is how long no model call may arrive after a memory has been built:
// work that still runs in the background is waited for.
const quiet = 200 * time.Millisecond

// A memory is one that an adapter holds.
type memory struct {
	*method
	*conversation
	gate   *gateway.Server
	calls  *gateway.Memory // of models, at the gate
	asking sync.Mutex      // one question at a time

	mu        sync.Mutex // guards what follows, and is held while it is built again
	running   *instance  // that holds it; nil for none
	closed    bool
	restarts  int
	size      wire.Size
	forgot    int // items that the adapter reports as removed
	canary    time.Duration
	saved     *snapshot // that the memory is restored from; nil for none
	snapshots bool      // one is made when the memory is built
	unpacked  string    // folder of the snapshot that was made; empty for none

	embedderMu sync.Mutex
	fitted     embed.Embedder
}

// embedder opens the embedder of the memory, which learns from its turns if it
// learns at all.
func (m *memory) embedder(ctx context.Context) (embed.Embedder, error) {
	m.embedderMu.Lock()
	defer m.embedderMu.Unlock()
	var err error
	if m.fitted == nil {
		m.fitted, err = m.env.Embed.Fit(ctx, m.texts())
	}
	return m.fitted, err
}

// vectorLength returns the length of vectors, which stores need before the first one;
// 0 without an embedder. If the embedder does not report it, a text is embedded, once
// for all memories and charged to none.
func (m *memory) vectorLength(ctx context.Context) (int, error) {
	if m.env.Embed == nil {
		return 0, nil
	}
	e, err := m.embedder(ctx)
	if err != nil {
		return 0, err
	}
	if n := e.Dim(); n > 0 {
		return n, nil
	}
	m.dimensionsMu.Lock()
	defer m.dimensionsMu.Unlock()
	if m.dimensions == 0 {
		apart, used := meter.Apart(ctx, m.env.Now)
		reply, err := e.Embed(apart, embed.Request{Kind: embed.Document, Texts: []string{"the length of a vector"}})
		m.charge(used)
		if err != nil || len(reply.Vectors) == 0 {
			return 0, err
		}
		m.dimensions = len(reply.Vectors[0])
	}
	return m.dimensions, nil
}

// begin builds the memory for the first time, or restores it from an earlier run.
func (m *memory) begin(ctx context.Context) error {
	keeper, part := m.findSnapshot(ctx)
	m.snapshots = m.saved == nil && m.info.Capabilities.Snapshot && keeper.Beside() != ""
	defer func() { m.snapshots = false }()
	if err := m.rebuild(ctx); err != nil {
		return err
	}
	switch {
	case m.saved != nil:
		part.Use()
	case m.unpacked != "":
		return m.keepSnapshot(keeper)
	}
	return nil
}

// rebuild builds the memory, or restores it. A process that dies meanwhile is
// restarted a few times; the usage of the dead ones is charged to the run and to
// no memory. So is that of a restoration: the memory was charged when it was
// built.
func (m *memory) rebuild(ctx context.Context) error {
	for n := 0; ; n++ {
		attempt, used := meter.Apart(ctx, m.env.Now)
		i, err := m.build(attempt)
		failed := err != nil && ctx.Err() == nil
		again := failed && lost(err) && n < m.o.Restarts
		drop := failed && m.saved != nil && !again && !fault.KindOf(err).Stops()
		if again || drop || err == nil && m.saved != nil {
			m.charge(used)
		} else {
			meter.Join(ctx, used)
		}
		switch {
		case again:
		case drop:
			m.warn("a snapshot cannot be restored; building the memory again", err)
			m.saved, n = nil, -1
		case err == nil:
			m.running, m.restarts = i, m.restarts+n
			return nil
		default:
			return err
		}
	}
}

// lost reports whether an error is the end of a process rather than a message from one.
func lost(err error) bool {
	kind := fault.KindOf(err)
	return kind == fault.AdapterCrash || kind == fault.AdapterTimeout || kind == fault.AdapterProtocol
}

func (m *method) charge(used *meter.Meter) {
	if m.env.Charge != nil {
		m.env.Charge(used)
	}
}

// warn logs a problem that does not stop the run.
func (m *memory) warn(what string, err error) {
	if m.env.Log != nil {
		m.env.Log.Warn(what, "adapter", m.info.Name, "memory", m.name, "error", err)
	}
}

// build builds the memory once, and checks whether it can be searched.
func (m *memory) build(ctx context.Context) (*instance, error) {
	defer meter.Stage(ctx, "adapter")()
	i, err := m.load(ctx)
	if err == nil && m.o.Mode == Search && !i.info.Capabilities.Mutates {
		err = m.waitUntilFound(ctx, i)
	}
	if err == nil && m.snapshots {
		err = m.during(ctx, func() error { return m.makeSnapshot(ctx, i) })
	}
	if err != nil && i != nil {
		return nil, m.giveUp(ctx, i, err)
	}
	return i, err
}

// giveUp frees an unfinished memory, and returns the reason.
func (m *memory) giveUp(ctx context.Context, i *instance, err error) error {
	if ended := i.conn.Ended(); ended != nil && ctx.Err() == nil && !fault.KindOf(err).Stops() {
		err = ended
	}
	return errors.Join(err, m.free(ctx, i))
}

// load starts an adapter and gives it the conversation, or the snapshot of its memory.
func (m *memory) load(ctx context.Context) (*instance, error) {
	models := wire.Models{BaseURL: m.gate.URL(), Key: m.calls.Key(), Chat: m.env.ChatModel, Embed: m.env.EmbedModel}
	i, err := m.start(ctx, models, m.gate.ProxyURL())
	if err != nil {
		return nil, err
	}
	if was, is := described(m.info), described(i.info); was != is {
		err = fmt.Errorf("the adapter is now %s, but was %s when the run began", is, was)
	} else {
		err = m.during(ctx, func() error {
			if err := m.ingest(ctx, i, models); err != nil {
				return err
			}
			return m.calls.Quiet(ctx, quiet)
		})
	}
	if err != nil {
		return nil, m.giveUp(ctx, i, err)
	}
	return i, nil
}

func (m *memory) ingest(ctx context.Context, i *instance, models wire.Models) (err error) {
	if models.Dimensions, err = m.vectorLength(ctx); err != nil {
		return err
	}
	open := wire.OpenParams{
		Memory: m.name, Sample: wire.Sample{Speakers: m.speakers}, Options: m.o.Options,
		Work: filepath.Join(i.dir, m.name), Models: models,
	}
	if open.Options == nil {
		open.Options = map[string]any{}
	}
	if m.saved != nil {
		open.Restore = filepath.Join(i.dir, "restore-"+m.name)
		if err := unpack(m.saved.archive, m.saved.SHA256, open.Restore); err != nil {
			return err
		}
		m.size = m.saved.Size
		err := m.call(ctx, i, startTimeout, false, wire.Open, open, nil)
		return cmp.Or(err, os.RemoveAll(open.Restore))
	}
	m.size, m.forgot = wire.Size{}, 0
	if err := m.call(ctx, i, startTimeout, false, wire.Open, open, nil); err != nil {
		return err
	}
	for _, s := range m.sessions {
		if err := m.call(ctx, i, m.o.Timeout, false, wire.Add, wire.AddParams{Memory: m.name, Session: s}, &m.size); err != nil {
			return err
		}
		if !i.info.Capabilities.Forget {
			continue
		}
		for _, wish := range m.wishes[s.ID] {
			var did wire.Forgot
			if err := m.call(ctx, i, m.o.Timeout, false, wire.Forget, wire.ForgetParams{Memory: m.name, Wish: wish}, &did); err != nil {
				return err
			}
			m.forgot += did.Items
		}
	}
	return m.call(ctx, i, 6*m.o.Timeout, false, wire.Finish, wire.MemoryParams{Memory: m.name}, &m.size)
}

// The waits between calls that an adapter asks to repeat.
const (
	maxAgain  = 3
	firstWait = 500 * time.Millisecond
)

// call calls the adapter within a time limit, and again if the adapter asks for it.
func (m *memory) call(ctx context.Context, i *instance, within time.Duration, reads bool, method string, params, result any) error {
	for n := 0; ; n++ {
		attempt, stop := adapter.Within(ctx, within, m.calls.Waiting)
		err := i.conn.Call(attempt, method, params, result)
		stop()
		said, ok := errors.AsType[*adapter.Error](err)
		if !ok || n == maxAgain || !said.Again(reads) {
			return err
		}
		select {
		case <-time.After(max(said.RetryAfter(), firstWait<<n)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// during assigns the calls of the memory to a part of ingest. A failed model call
// counts, even if the adapter hides it.
func (m *memory) during(ctx context.Context, part func() error) error {
	phase := m.calls.Begin(ctx, gateway.RoleExternal, embed.Document)
	err := part()
	return cmp.Or(phase.End(), err)
}

// poll tries something again while the memory is not ready, within the canary's
// time limit.
func (m *memory) poll(ctx context.Context, try func() error) error {
	deadline := time.NewTimer(m.o.Canary.Within)
	defer deadline.Stop()
	for wait := 250 * time.Millisecond; ; wait = min(2*wait, 10*time.Second) {
		err := try()
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

// waitUntilFound searches for turns of the conversation until each finds something.
// The number of searches depends on timing: only a successful search counts for the
// memory, and a repeated one repeats its model calls instead of making new ones.
func (m *memory) waitUntilFound(ctx context.Context, i *instance) error {
	start := m.env.Now()
	turns := m.canaries(canaryTurns)
	err := m.poll(ctx, func() error {
		for len(turns) > 0 {
			attempt, used := meter.Apart(ctx, m.env.Now)
			var found wire.SearchResult
			params := wire.SearchParams{Memory: m.name, Request: requestOf(turns[0].Text, time.Time{}), K: 5}
			err := m.during(attempt, func() error {
				return m.call(attempt, i, m.o.Timeout, true, wire.Search, params, &found)
			})
			if err == nil && len(found.Blocks) == 0 {
				err = notReady(m.o.Canary.Within, meter.From(ctx))
			}
			if fault.KindOf(err) == fault.NotReady {
				m.charge(used)
				return err
			}
			if meter.Join(ctx, used); err != nil {
				return err
			}
			turns = turns[1:]
		}
		return nil
	})
	m.canary = m.env.Now().Sub(start)
	return err
}

// notReady is the fault of a memory in which nothing is found. It may be empty
// because its model wrote nothing usable.
func notReady(within time.Duration, used *meter.Meter) error {
	err := fault.New(fault.NotReady, "nothing is found within %s after finish, not even for a turn of the conversation", within)
	if used == nil {
		return err
	}
	if useless, calls := used.Seen().Degraded[gateway.RoleExternal], used.Seen().Usage[gateway.RoleExternal].Calls; useless > 0 {
		err.Message += fmt.Sprintf("; of %d model replies to the memory %d were unusable", calls, useless)
	}
	return err
}

// errClosed is the fault of a memory that is used after Close.
var errClosed = errors.New("the memory is closed")

// current returns the instance that holds the memory, which is rebuilt if it was
// lost, and the number of rebuilds.
func (m *memory) current(ctx context.Context) (*instance, int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, 0, errClosed
	}
	if m.running != nil && !m.running.lost() {
		return m.running, m.restarts, nil
	}
	m.discard()
	apart, used := meter.Apart(ctx, m.env.Now)
	err := m.rebuild(apart)
	m.charge(used)
	if err == nil {
		m.restarts++
	}
	return m.running, m.restarts, err
}

// discard gives up an instance that has lost the memory.
func (m *memory) discard() {
	if m.running != nil {
		_ = m.running.end() // it holds nothing of the memory
		m.running = nil
	}
}

// Answer searches the memory and asks the reader, or asks the adapter itself.
func (m *memory) Answer(ctx context.Context, r datasets.Request) (methods.Response, error) {
	resp, err := m.answer(ctx, r)
	return resp, m.failing(err)
}

func (m *memory) answer(ctx context.Context, r datasets.Request) (resp methods.Response, err error) {
	found, restarts, err := m.askAgain(ctx, m.request(r))
	if err != nil {
		return resp, err
	}
	if restarts > 0 {
		resp.Trace = append(resp.Trace, methods.Step{Name: "restart", Data: map[string]any{"n": restarts}})
	}
	if found.stray.Calls > 0 {
		resp.Trace = append(resp.Trace, methods.Step{Name: "stray", Data: map[string]any{"calls": found.stray.Calls, "tokens": found.stray.Tokens}})
	}
	evidence, step := m.evidence(found)
	resp.Trace = append(resp.Trace, step)
	resp.Evidence = evidence
	if m.o.Mode == Answer {
		resp.Text = found.Text
		return resp, nil
	}
	return m.reader.Answer(ctx, r, reader.Blocks(evidence, "\n\n"), evidence, resp.Trace...)
}

// askAgain asks the adapter, and again if the memory was lost or no reply came in
// time. It returns the number of rebuilds.
func (m *memory) askAgain(ctx context.Context, r wire.Request) (found result, restarts int, err error) {
	before := -1
	for n := 0; ; n++ {
		i, restarts, err := m.current(ctx)
		if err != nil {
			return found, 0, err
		}
		if before < 0 {
			before = restarts
		}
		attempt, used := meter.Apart(ctx, m.env.Now)
		err = m.poll(attempt, func() error {
			found, err = m.ask(attempt, i, r, m.o.K)
			return err
		})
		said, _ := errors.AsType[*adapter.Error](err)
		forgot := said != nil && said.Kind == adapter.KindUnknownMemory
		// An adapter that gave the question up in time still has the memory.
		late := fault.KindOf(err) == fault.AdapterTimeout
		if err == nil || ctx.Err() != nil || n >= m.o.Restarts || !(i.lost() || forgot || late) || fault.KindOf(err).Stops() {
			meter.Join(ctx, used)
			return found, restarts - before, err
		}
		m.charge(used)
		m.mu.Lock()
		if forgot && m.running == i {
			m.discard()
		}
		m.mu.Unlock()
	}
}

// A result is what an adapter returned for a question, and its model usage between
// questions, which is added to this one's.
type result struct {
	wire.SearchResult
	stray gateway.Stray
}

// ask asks the adapter once.
func (m *memory) ask(ctx context.Context, i *instance, r wire.Request, k int) (out result, err error) {
	m.asking.Lock()
	defer m.asking.Unlock()
	if ctx.Err() != nil {
		return out, ctx.Err()
	}
	defer meter.Stage(ctx, "adapter")()
	role, method, params := gateway.RoleExternal, wire.Search, any(wire.SearchParams{Memory: m.name, Request: r, K: k, Tokens: m.o.Tokens})
	if m.o.Mode == Answer {
		role, method, params = gateway.RoleExternalAnswer, wire.Answer, wire.AnswerParams{Memory: m.name, Request: r}
	}
	phase := m.calls.Begin(ctx, role, embed.Query)
	err = m.call(ctx, i, m.o.Timeout, true, method, params, &out)
	out.Text, out.stray = strings.TrimSpace(out.Text), phase.Stray
	if err == nil && m.o.Mode == Answer && out.Text == "" {
		err = fault.New(fault.Empty, "the adapter's answer is empty")
	}
	if failed := phase.End(); failed != nil {
		err = failed
	} else if said, ok := errors.AsType[*adapter.Error](err); ok && said.Kind == adapter.KindModel {
		err = cmp.Or(m.calls.Fault(), err) // what it means
	}
	return out, err
}

// free closes the memory in an instance, which ends with it.
func (m *memory) free(ctx context.Context, i *instance) error {
	if !i.lost() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
		defer cancel()
		if err := i.conn.Call(ctx, wire.Close, wire.CloseParams{Memory: m.name, Drop: true}, nil); err != nil && !i.lost() {
			m.warn("the adapter failed to close a memory", err)
		}
	}
	return i.end()
}

// Order returns the questions in the order in which they are asked, that of
// their ids on the wire, and whether each must wait for the one before.
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
	if m.info.Capabilities.Forget && len(m.wishes) > 0 {
		s["forgot"] = float64(m.forgot)
	}
	return s
}

// Items implements [methods.Storing]: what the adapter says that it stores.
func (m *memory) Items() (items []string, known bool) {
	if !m.info.Capabilities.Dump {
		return nil, false
	}
	ctx := context.Background()
	i, _, err := m.current(ctx)
	var stored wire.DumpResult
	if err == nil {
		m.asking.Lock()
		defer m.asking.Unlock()
		err = m.call(ctx, i, m.o.Timeout, true, wire.Dump, wire.MemoryParams{Memory: m.name}, &stored)
	}
	if err != nil {
		m.warn("what a memory stores is not known", err)
	}
	return stored.Items, err == nil
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
	if m.running != nil {
		err = m.free(context.Background(), m.running)
		m.running = nil
	}
	if used := m.calls.Close(); used != nil {
		m.charge(used)
		if stray := gateway.StrayOf(used); m.env.Log != nil {
			m.env.Log.Warn("the adapter called models without being asked anything", "memory", m.name, "calls", stray.Calls, "tokens", stray.Tokens)
		}
	}
	return err
}
