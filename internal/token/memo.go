package token

import (
	"strings"
	"sync"
)

// memoBytes bounds what a memo keeps. A conversation of the known datasets is
// about 0.1 MB.
const memoBytes = 4 << 20

// entryBytes is about what a map needs for an entry beside the bytes of its
// key.
const entryBytes = 32

// A memo remembers the counts of texts that come again: prompts repeat most of
// their lines, and lines their words. It is safe for concurrent use.
type memo struct {
	mu     sync.RWMutex
	counts map[string]int
	bytes  int
}

// count returns the count of text, from count when it is not known.
func (m *memo) count(text string, count func(string) int) int {
	m.mu.RLock()
	n, ok := m.counts[text]
	m.mu.RUnlock()
	if ok {
		return n
	}
	n = count(text)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.counts == nil || m.bytes > memoBytes {
		m.counts = make(map[string]int)
		m.bytes = 0
	}
	// The clone keeps the map from holding on to whole prompts.
	m.counts[strings.Clone(text)] = n
	m.bytes += len(text) + entryBytes
	return n
}
