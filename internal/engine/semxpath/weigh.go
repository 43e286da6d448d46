package semxpath

import (
	"cmp"
	"slices"
)

// weigh computes the weights of the nodes of all stages.
func (e *evaluation) weigh() {
	var scored []Match // released: all nodes with a weight so far, in document order
	for i := range e.stages {
		st := &e.stages[i]
		switch {
		case e.released:
			inherit(scored, st.nodes, inheritance{self: true})
		case !st.above:
			inherit(st.from, st.nodes, inheritance{best: st.step.axis == descendant})
		}
		if st.step.cond != nil {
			for j := range st.nodes {
				if e.o.Explain > 0 {
					st.previous = append(st.previous, st.nodes[j].Weight)
				}
				st.nodes[j].Weight *= e.scoring.clamp(e.scoring.relevance(st.outcomes[j]))
			}
		}
		for j, anchor := range st.anchors {
			st.moved[j].Weight = st.nodes[anchor].Weight
		}
		if e.released && st.step.cond != nil {
			scored = merge(merge(scored, st.nodes), st.moved)
		}
	}
}

// An inheritance says whose weight a node takes over: that of the nearest node
// above it, of itself too, or the best of all above it.
type inheritance struct{ self, best bool }

// inherit sets the weights of nodes from those of others above them, both in
// document order. A node with none above it has weight 1.
func inherit(from, nodes []Match, by inheritance) {
	type open struct {
		end    int
		weight float64
	}
	var above []open
	for i := range nodes {
		m := &nodes[i]
		for len(from) > 0 && (from[0].At < m.At || by.self && from[0].At == m.At) {
			f := from[0]
			from = from[1:]
			for len(above) > 0 && above[len(above)-1].end <= f.At {
				above = above[:len(above)-1]
			}
			w := f.Weight
			if by.best && len(above) > 0 {
				w = max(w, above[len(above)-1].weight)
			}
			above = append(above, open{f.end(), w})
		}
		for len(above) > 0 && above[len(above)-1].end <= m.At {
			above = above[:len(above)-1]
		}
		m.Weight = 1
		if len(above) > 0 {
			m.Weight = above[len(above)-1].weight
		}
	}
}

// merge joins nodes in document order; of two for one place the later counts.
func merge(before, later []Match) []Match {
	if len(before) == 0 {
		return later
	}
	all := make([]Match, 0, len(before)+len(later))
	for len(before) > 0 && len(later) > 0 {
		switch cmp.Compare(before[0].At, later[0].At) {
		case -1:
			all, before = append(all, before[0]), before[1:]
		case 0:
			before = before[1:]
		default:
			all, later = append(all, later[0]), later[1:]
		}
	}
	return append(append(all, before...), later...)
}

// rank returns the matches that reach the threshold, the heaviest first.
func (e *evaluation) rank(matches []Match) []Match {
	ranked := make([]Match, 0, len(matches))
	for _, m := range matches {
		if m.Weight >= e.o.Threshold {
			ranked = append(ranked, m)
		}
	}
	slices.SortStableFunc(ranked, func(a, b Match) int { return cmp.Compare(b.Weight, a.Weight) })
	return ranked
}
