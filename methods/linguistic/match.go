package linguistic

import "slices"

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
//   - discourse: the Jaccard coefficient of the two sets of relations, or with
//     binary 1 where they share one;
//   - dependencies: the share of its triples that an entry has.
func (h *History) Match(x *Index, q Features, weight func(size int) float64, binary bool) Matches {
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
			if binary {
				m.Discourse[i] = 1
			}
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
