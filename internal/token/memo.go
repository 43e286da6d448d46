package token

import (
	"strings"
	"sync"
)

// memoBytes bounds what a memo keeps. A conversation of the known datasets is
// about 0.1 MB.
const memoBytes = 4 << 20

// entryBytes is about what a map needs for an entry and its value beside the
// bytes of its key.
const entryBytes = 64

// A memo remembers what was found out about texts that come again: prompts
// repeat most of their lines, and lines their words. It is safe for concurrent
// use.
type memo[V any] struct {
	mu    sync.RWMutex
	known map[string]V
	bytes int
}

// get returns what is known of text, from find when nothing is.
func (m *memo[V]) get(text string, find func(string) V) V {
	m.mu.RLock()
	v, ok := m.known[text]
	m.mu.RUnlock()
	if ok {
		return v
	}
	// The clone keeps the map from holding on to whole prompts.
	text = strings.Clone(text)
	v = find(text)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil || m.bytes > memoBytes {
		m.known = make(map[string]V)
		m.bytes = 0
	}
	m.known[text] = v
	m.bytes += len(text) + entryBytes
	return v
}
