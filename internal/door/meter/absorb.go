package meter

import (
	"maps"

	"recallbench/internal/door/llm"
)

// Absorb moves what o has collected to m: o is as new afterwards, and may collect
// more. What o's tally has not counted m's does.
func (m *Meter) Absorb(o *Meter) {
	if o == nil || o == m {
		return
	}
	o.mu.Lock()
	from := o.collected
	o.collected = collected{paid: Paid{USD: new(0.0)}}
	o.mu.Unlock()

	m.mu.Lock()
	defer m.mu.Unlock()
	m.usage = sum(m.usage, from.usage, llm.Usage.Add)
	m.text = sum(m.text, from.text, add)
	m.stages = sum(m.stages, from.stages, add)
	m.degraded = sum(m.degraded, from.degraded, add)
	m.prefixes = sum(m.prefixes, from.prefixes, either)
	m.served = sum(m.served, from.served, either)
	m.rooms = sum(m.rooms, from.rooms, add)
	m.calls = append(m.calls, from.calls...)
	m.pending = append(m.pending, from.pending...)
	m.attempts = max(m.attempts, from.attempts)
	m.cost.add(from.cost.sum, !from.cost.unknown)
	m.language.add(from.language.sum, !from.language.unknown)
	m.paid = m.paid.Add(from.paid)
	m.room += from.room
	m.boundless = m.boundless || from.boundless
	if m.tally != o.tally {
		var all llm.Usage
		for _, u := range from.usage {
			all = all.Add(u)
		}
		m.tally.Add(Spent{Calls: all.Calls, Tokens: all.Total(), Paid: from.paid})
	}
}

// sum adds the values of from to those of to, which it makes where it is nil and
// there are some.
func sum[K comparable, V any](to, from map[K]V, plus func(a, b V) V) map[K]V {
	if to == nil {
		return maps.Clone(from)
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
