package reader

import "sync"

// A memo remembers what was made of texts, up to a bound in bytes. What was not
// asked for while as much again was made is forgotten. It is safe for concurrent
// use: two values of a key are equal, so it does not matter whose is kept.
type memo[K comparable, V any] struct {
	mu         sync.RWMutex
	young, old map[K]V
	bytes      int // of the texts in young
}

// memoBytes bounds the texts in each of a memo's two generations. The
// conversations of LoCoMo come to 0.8 MB; an analysis takes about ten times the
// memory of its text.
const memoBytes = 1 << 20

// of returns the value of a key, made of a text of so many bytes if it is not
// known.
func (m *memo[K, V]) of(key K, size int, build func() V) V {
	m.mu.RLock()
	v, ok := m.young[key]
	if !ok {
		v, ok = m.old[key]
	}
	m.mu.RUnlock()
	if ok {
		return v
	}
	v = build()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.young == nil || m.bytes+size > memoBytes {
		m.old, m.young, m.bytes = m.young, make(map[K]V), 0
	}
	m.young[key] = v
	m.bytes += size
	return v
}
