package meter

import (
	"context"
	"time"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/llm"
)

// Absorb moves everything o has collected to m: o is then empty and may collect
// more. What o's tally has not counted, m's does.
func (m *Meter) Absorb(o *Meter) {
	if o == nil || o == m {
		return
	}
	o.mu.Lock()
	from := o.collected
	o.collected = collected{paid: Paid{USD: new(0.0)}}
	o.mu.Unlock()
	if m.tally != o.tally {
		m.tally.Add(from.spent())
	}
	m.collect(from)
}

// collect adds what happened, and may keep the maps of it.
func (m *Meter) collect(from collected) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.usage = sum(m.usage, from.usage, llm.Usage.Add)
	m.text = sum(m.text, from.text, add)
	m.stages = sum(m.stages, from.stages, add)
	m.degraded = sum(m.degraded, from.degraded, add)
	m.prefixes = sum(m.prefixes, from.prefixes, either)
	m.served = lists.AddNew(m.served, from.served...)
	m.calls = append(m.calls, from.calls...)
	m.attempts = max(m.attempts, from.attempts)
	m.cost.add(from.cost.sum, !from.cost.unknown)
	m.language.add(from.language.sum, !from.language.unknown)
	if from.paid != (Paid{}) {
		m.paid = m.paid.Add(from.paid)
	}
	m.room += from.room
	m.boundless = m.boundless || from.boundless
}

// spent is what the calls took.
func (c collected) spent() Spent {
	var all llm.Usage
	for _, u := range c.usage {
		all = all.Add(u)
	}
	return Spent{Calls: all.Calls, Tokens: all.Total(), Paid: c.paid}
}

// sum adds the values of from to those of to, which it makes where it is nil and
// there are some.
func sum[K comparable, V any](to, from map[K]V, plus func(a, b V) V) map[K]V {
	if to == nil {
		return from
	}
	for k, v := range from {
		if old, ok := to[k]; ok {
			v = plus(old, v)
		}
		to[k] = v
	}
	return to
}

func add[N ~int | ~int64](a, b N) N { return a + b }

func either(a, b bool) bool { return a || b }

// Apart returns a context with a meter of its own, with the limits of the one in
// ctx, and that meter. Charge what it collects with [Join], or elsewhere.
func Apart(ctx context.Context, now func() time.Time) (context.Context, *Meter) {
	var limits Limits
	if m := From(ctx); m != nil {
		limits = m.limits
	}
	return With(ctx, now, limits)
}

// Join adds what a meter collected to the one in ctx; without one it does nothing.
func Join(ctx context.Context, collected *Meter) {
	if m := From(ctx); m != nil {
		m.Absorb(collected)
	}
}
