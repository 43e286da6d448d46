package token

import (
	"container/heap"
	"sync"
	"unicode/utf8"
)

// A model splits a word into tokens.
type model interface {
	// split appends to ends where each token of word ends.
	split(word string, ends []int) []int
	// ids appends the ids of the tokens of word to ids.
	ids(word string, ids []int32) []int32
}

// bpe is byte pair encoding: a word begins as its bytes, and of all neighbours the pair that comes first in the list of merges
// becomes one token, again and again.
type bpe struct {
	merges map[pair]merge
	bytes  [256]int32 // the tokens of single bytes
	// whole holds the vocabulary when a word that is in it is not split.
	whole map[string]int32

	work sync.Pool // of *mergeWork
}

type pair struct{ left, right int32 }

type merge struct{ rank, token int32 }

// mergeWork is the memory of one split.
type mergeWork struct {
	symbols []symbol
	queue   queue
	spelled []byte
}

// A symbol is a token so far. Symbols are linked by index; -1 ends the list.
type symbol struct {
	token      int32
	prev, next int32
	end        int // in the word
}

// A candidate is a pair of neighbours that may be merged.
type candidate struct {
	rank  int32
	left  int32 // index of the left symbol
	end   int   // of the right one in the word when this was proposed
	token int32
}

// queue is a heap of candidates, the first merge on top and of equals the
// leftmost. Push and Pop are not used: they would box each candidate.
type queue []candidate

func (q *queue) Len() int      { return len(*q) }
func (q *queue) Swap(i, j int) { (*q)[i], (*q)[j] = (*q)[j], (*q)[i] }
func (q *queue) Less(i, j int) bool {
	a, b := (*q)[i], (*q)[j]
	return a.rank < b.rank || a.rank == b.rank && a.left < b.left
}
func (q *queue) Push(any) {}
func (q *queue) Pop() any { return nil }

func (q *queue) put(c candidate) {
	*q = append(*q, c)
	heap.Fix(q, len(*q)-1)
}

func (q *queue) take() candidate {
	c := (*q)[0]
	last := len(*q) - 1
	(*q)[0] = (*q)[last]
	*q = (*q)[:last]
	if last > 0 {
		heap.Fix(q, 0)
	}
	return c
}

// split takes time n log n in the length of word, also on hostile text.
func (m *bpe) split(word string, ends []int) []int {
	m.merge(word, func(s symbol) { ends = append(ends, s.end) })
	return ends
}

// ids implements [model].
func (m *bpe) ids(word string, ids []int32) []int32 {
	m.merge(word, func(s symbol) { ids = append(ids, s.token) })
	return ids
}

// merge hands the tokens of a word to next.
func (m *bpe) merge(word string, next func(symbol)) {
	w, _ := m.work.Get().(*mergeWork)
	if w == nil {
		w = new(mergeWork)
	}
	defer m.work.Put(w)
	if token, ok := m.known(word, w); ok {
		next(symbol{token: token, end: len(word)})
		return
	}
	m.spell(word, w)
	for i := range w.symbols {
		m.propose(w, int32(i))
	}
	for len(w.queue) > 0 {
		c := w.queue.take()
		left := &w.symbols[c.left]
		if left.end == 0 || left.next < 0 || w.symbols[left.next].end != c.end {
			continue // one of the two has been merged otherwise since
		}
		right := &w.symbols[left.next]
		left.token, left.end, left.next = c.token, right.end, right.next
		right.end = 0 // gone
		if left.next >= 0 {
			w.symbols[left.next].prev = c.left
		}
		m.propose(w, c.left)
		if left.prev >= 0 {
			m.propose(w, left.prev)
		}
	}
	for i := int32(0); i >= 0 && len(w.symbols) > 0; i = w.symbols[i].next {
		next(w.symbols[i])
	}
}

// propose queues the merge of a symbol with the next one, if there is any.
func (m *bpe) propose(w *mergeWork, left int32) {
	s := w.symbols[left]
	if s.next < 0 {
		return
	}
	right := w.symbols[s.next]
	if merge, ok := m.merges[pair{s.token, right.token}]; ok {
		w.queue.put(candidate{merge.rank, left, right.end, merge.token})
	}
}

// known returns the token that a word is as a whole, where words that are in
// the vocabulary are not split.
func (m *bpe) known(word string, w *mergeWork) (int32, bool) {
	if m.whole == nil {
		return 0, false
	}
	w.spelled = w.spelled[:0]
	for i := range len(word) {
		w.spelled = utf8.AppendRune(w.spelled, byteRunes[word[i]])
	}
	token, ok := m.whole[string(w.spelled)]
	return token, ok
}

// spell lays out the symbols that word begins as.
func (m *bpe) spell(word string, w *mergeWork) {
	w.symbols, w.queue = w.symbols[:0], w.queue[:0]
	for i := range len(word) {
		n := int32(i)
		w.symbols = append(w.symbols, symbol{m.bytes[word[i]], n - 1, n + 1, i + 1})
	}
	if n := len(w.symbols); n > 0 {
		w.symbols[n-1].next = -1
	}
}

// byteRunes are the characters that spell the bytes in the vocabulary of a
// model of bytes: those of Latin-1 that one can see stand for themselves, and
// the rest, in order, for those from U+0100 on.
var byteRunes = func() (runes [256]rune) {
	unseen := rune(256)
	for b := range runes {
		switch {
		case b > ' ' && b < 0x7f, b > 0xa0 && b != 0xad:
			runes[b] = rune(b)
		default:
			runes[b] = unseen
			unseen++
		}
	}
	return runes
}()
