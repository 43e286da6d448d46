package token

import (
	"hash/maphash"
	"strings"
	"sync"
)

// memoBytes bounds what a memo keeps. A conversation of the known datasets is
// about 0.1 MB.
const memoBytes = 4 << 20

// entryBytes is about what a map needs for an entry and its value beside the
// bytes of its key.
const entryBytes = 64

// memoShards is the number of parts of a memo, so that many requests that count
// at once seldom wait for each other: a power of two.
const memoShards = 64

var memoSeed = maphash.MakeSeed()

// A memo remembers what was found out about texts that come again: prompts
// repeat most of their lines, and lines their words. It is safe for concurrent
// use.
type memo[V any] struct{ shards [memoShards]memoShard[V] }

type memoShard[V any] struct {
	mu    sync.RWMutex
	known map[string]V
	bytes int
}

// get returns what is known of text, from find when nothing is. Others that ask
// for the same text at the same time wait for it.
func (m *memo[V]) get(text string, find func(string) V) V {
	s := &m.shards[maphash.String(memoSeed, text)%memoShards]
	s.mu.RLock()
	v, ok := s.known[text]
	s.mu.RUnlock()
	if ok {
		return v
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if v, ok := s.known[text]; ok {
		return v
	}
	// The clone keeps the map from holding on to whole prompts.
	text = strings.Clone(text)
	v = find(text)
	if s.known == nil || s.bytes > memoBytes/memoShards {
		s.known = make(map[string]V)
		s.bytes = 0
	}
	s.known[text] = v
	s.bytes += len(text) + entryBytes
	return v
}
