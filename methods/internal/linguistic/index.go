package linguistic

import "slices"

// The kinds of keys of the index: entities by coreference id and by name, triples as
// "head:label:child", and discourse relations by sense (appendix A.5).
const (
	identified = "id:"
	named      = "name:"
	dependent  = "dep:"
	discourse  = "disc:"
)

// index files an entry under its features.
func (h *History) index(entry int) {
	var keys []string
	f := h.Entries[entry].Features
	for _, e := range f.Entities {
		keys = append(keys, e.keys()...)
	}
	for _, t := range f.Triples {
		keys = append(keys, dependent+t.Key())
	}
	for _, sense := range f.Senses {
		keys = append(keys, discourse+sense)
	}
	for _, key := range keys {
		if list := h.postings[key]; !slices.Contains(list[max(0, len(list)-1):], entry) {
			h.postings[key] = append(list, entry)
		}
	}
}

func (e *Entity) keys() []string {
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
func (h *History) With(e Entity) []int {
	var entries []int
	for _, key := range e.keys() {
		entries = append(entries, h.postings[key]...)
	}
	slices.Sort(entries)
	return slices.Compact(entries)
}

// A Match is how well an entry matches a question, in each respect from 0 to 1.
type Match struct{ Entities, Discourse, Dependencies float64 }

// Match looks up the features of a question, and returns the entries that match in any
// respect:
//
//   - entities: the share of its entities that an entry mentions, each with the
//     weight of its size, which is the number of mentions of it (section 3.4: the
//     size of its coreference cluster);
//   - discourse: the Jaccard coefficient of the two sets of relations;
//   - dependencies: the share of its triples that an entry has.
func (h *History) Match(q Features, weight func(size int) float64) map[int]Match {
	all := make(map[int]Match)
	add := func(entries []int, m Match) {
		for _, i := range entries {
			all[i] = Match{all[i].Entities + m.Entities, all[i].Discourse, all[i].Dependencies + m.Dependencies}
		}
	}
	total := 0.0
	for _, e := range q.Entities {
		total += weight(h.Size(e))
	}
	for _, e := range q.Entities {
		add(h.With(e), Match{Entities: weight(h.Size(e)) / total})
	}
	for _, t := range q.Triples {
		add(h.postings[dependent+t.Key()], Match{Dependencies: 1 / float64(len(q.Triples))})
	}
	for _, sense := range q.Senses {
		for _, i := range h.postings[discourse+sense] {
			all[i] = Match{all[i].Entities, jaccard(q.Senses, h.Entries[i].Senses), all[i].Dependencies}
		}
	}
	return all
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
