package linguistic

import "slices"

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

// Matches are how far entries meet a question, by entry, each in [0, 1]. What is
// not there is 0.
type Matches struct {
	Entities     map[int]float64
	Discourse    map[int]float64
	Dependencies map[int]float64
}

// Candidates returns the entries that match in any way, in order.
func (m Matches) Candidates() []int {
	var entries []int
	for _, scores := range []map[int]float64{m.Entities, m.Discourse, m.Dependencies} {
		for i := range scores {
			entries = append(entries, i)
		}
	}
	slices.Sort(entries)
	return slices.Compact(entries)
}

// Match looks the features of a question up:
//
//   - entities: the share of its entities that an entry mentions, each with the
//     weight of its size, which is the number of mentions of it (section 3.4: the
//     size of its coreference cluster);
//   - discourse: the Jaccard coefficient of the two sets of relations;
//   - dependencies: the share of its triples that an entry has.
func (h *History) Match(x *Index, q Features, weight func(size int) float64) Matches {
	m := Matches{
		Entities: make(map[int]float64), Discourse: make(map[int]float64), Dependencies: make(map[int]float64),
	}
	total := 0.0
	for _, e := range q.Entities {
		total += weight(h.Size(e))
	}
	for _, e := range q.Entities {
		for _, i := range x.With(e) {
			m.Entities[i] += weight(h.Size(e)) / total
		}
	}
	for _, t := range q.Triples {
		for _, i := range x.WithTriple(t) {
			m.Dependencies[i] += 1 / float64(len(q.Triples))
		}
	}
	for _, sense := range q.Senses {
		for _, i := range x.WithSense(sense) {
			m.Discourse[i] = jaccard(q.Senses, h.Entries[i].Senses)
		}
	}
	return m
}

// jaccard is the size of the intersection of two sets over that of their union.
func jaccard(a, b []string) float64 {
	both := 0
	for _, x := range a {
		if slices.Contains(b, x) {
			both++
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}
