// Package meter measures what a request costs: calls and tokens by role, and
// time by stage. It wraps the doors to models, so that a method need not
// count, and travels in the context.
package meter

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"recallbench/internal/embed"
	"recallbench/internal/llm"
	"recallbench/internal/token"
)

// A Meter collects what happened under one context. It is safe for concurrent
// use.
type Meter struct {
	now func() time.Time

	mu     sync.Mutex
	usage  map[string]llm.Usage
	stages map[string]time.Duration
	calls  []string
	served map[string]bool
}

type contextKey struct{}

// With returns a context that carries a new meter, and the meter.
func With(ctx context.Context, now func() time.Time) (context.Context, *Meter) {
	m := &Meter{now: now}
	return context.WithValue(ctx, contextKey{}, m), m
}

func from(ctx context.Context) *Meter {
	m, _ := ctx.Value(contextKey{}).(*Meter)
	return m
}

// Stage starts a stage of the request under ctx, such as "retrieve"; the
// function it returns ends it. Stages of the same name add up. Without a
// meter in ctx both do nothing.
func Stage(ctx context.Context, name string) (end func()) {
	m := from(ctx)
	if m == nil {
		return func() {}
	}
	start := m.now()
	return func() {
		d := m.now().Sub(start)
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.stages == nil {
			m.stages = make(map[string]time.Duration)
		}
		m.stages[name] += d
	}
}

// Usage returns the usage by role so far.
func (m *Meter) Usage() map[string]llm.Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.usage)
}

// Stages returns the time by stage so far.
func (m *Meter) Stages() map[string]time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.stages)
}

// Calls returns the ids of the recorded calls so far, in the order in which
// they ended.
func (m *Meter) Calls() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.calls...)
}

// Served returns the names of the language models that have replied so far,
// sorted: those that served, which may not be those that were asked for.
func (m *Meter) Served() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.served))
}

func (m *Meter) add(role string, u llm.Usage, call string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.usage == nil {
		m.usage = make(map[string]llm.Usage)
	}
	m.usage[role] = m.usage[role].Add(u)
	if call != "" {
		m.calls = append(m.calls, call)
	}
}

func (m *Meter) serve(model string) {
	if model == "" {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.served == nil {
		m.served = make(map[string]bool)
	}
	m.served[model] = true
}

// Generator wraps g so that its usage is added to the meter of the context.
// Where the provider reports no usage, the tokens of the messages' content
// and of the reply are counted with c; what a chat template would add is not
// in these counts. A door that is nil stays nil.
func Generator(g llm.Generator, c token.Counter) llm.Generator {
	if g == nil {
		return nil
	}
	return llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
		defer Stage(ctx, r.Role)()
		reply, err := g.Generate(ctx, r)
		m := from(ctx)
		if m == nil || err != nil {
			return reply, err
		}
		u := reply.Usage
		if u.Calls == 0 {
			u = llm.Usage{Calls: 1, Output: c.Count(reply.Text), Counted: true}
			for _, msg := range r.Messages {
				u.Input += c.Count(msg.Content)
			}
		}
		m.add(r.Role, u, reply.Call)
		m.serve(reply.Model)
		return reply, nil
	})
}

// Model wraps an embedding model so that its tokens are added to the meter of
// the context under the role "embed". A door that is nil stays nil.
func Model(m embed.Model, c token.Counter) embed.Model {
	if m == nil {
		return nil
	}
	return model{m, c}
}

type model struct {
	embed.Model
	count token.Counter
}

func (m model) Fit(ctx context.Context, texts []string) (embed.Embedder, error) {
	e, err := m.Model.Fit(ctx, texts)
	if err != nil {
		return nil, err
	}
	return embedder{e, m.count}, nil
}

type embedder struct {
	embed.Embedder
	count token.Counter
}

func (e embedder) Embed(ctx context.Context, r embed.Request) (embed.Reply, error) {
	reply, err := e.Embedder.Embed(ctx, r)
	m := from(ctx)
	if m == nil || err != nil {
		return reply, err
	}
	u := llm.Usage{Calls: 1, Input: reply.Tokens}
	if u.Input == 0 {
		u.Counted = true
		for _, t := range r.Texts {
			u.Input += e.count.Count(t)
		}
	}
	m.add("embed", u, "")
	return reply, nil
}
