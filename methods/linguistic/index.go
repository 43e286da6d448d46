package linguistic

import (
	"slices"
)

// An Index maps features to the entries that have them: entities by coreference
// id and by name, triples as "head:label:child", and discourse relations by
// sense (appendix A.5). It is safe for concurrent use.
type Index struct{ postings map[string][]int32 }

// The kinds of keys beside those of entities.
const (
	dependent = "dep:"
	discourse = "disc:"
)

// NewIndex indexes the entries of a history.
func NewIndex(h *History) *Index {
	x := &Index{make(map[string][]int32)}
	for i, e := range h.Entries {
		for _, entity := range e.Entities {
			x.add(i, keys(entity))
		}
		for _, t := range e.Triples {
			x.add(i, []string{dependent + t.Key()})
		}
		for _, sense := range e.Senses {
			x.add(i, []string{discourse + sense})
		}
	}
	return x
}

func (x *Index) add(entry int, keys []string) {
	for _, key := range keys {
		list := x.postings[key]
		if n := len(list); n == 0 || list[n-1] != int32(entry) {
			x.postings[key] = append(list, int32(entry))
		}
	}
}

func keys(e Entity) []string {
	var keys []string
	if e.ID != "" {
		keys = append(keys, identified+e.ID)
	}
	for _, name := range e.Names {
		keys = append(keys, named+name)
	}
	return keys
}

// With returns the entries that mention an entity, in order.
func (x *Index) With(e Entity) []int {
	var entries []int
	for _, key := range keys(e) {
		for _, i := range x.postings[key] {
			entries = append(entries, int(i))
		}
	}
	slices.Sort(entries)
	return slices.Compact(entries)
}

// WithTriple returns the entries that have a triple, in order.
func (x *Index) WithTriple(t Triple) []int { return ints(x.postings[dependent+t.Key()]) }

// WithSense returns the entries that have a discourse relation, in order.
func (x *Index) WithSense(sense string) []int { return ints(x.postings[discourse+sense]) }

func ints(list []int32) []int {
	entries := make([]int, len(list))
	for i, e := range list {
		entries[i] = int(e)
	}
	return entries
}
