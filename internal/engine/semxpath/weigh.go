package semxpath

import (
	"cmp"
	"slices"

	"recallbench/internal/calc/lists"
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
	all := slices.Concat(later, before)
	slices.SortStableFunc(all, inOrder)
	return slices.CompactFunc(all, func(a, b Match) bool { return a.At == b.At })
}

// rank returns the matches that reach the threshold, the heaviest first.
func (e *evaluation) rank(matches []Match) []Match {
	ranked := lists.Filter(matches, func(m Match) bool { return m.Weight >= e.o.Threshold })
	slices.SortStableFunc(ranked, func(a, b Match) int { return cmp.Compare(b.Weight, a.Weight) })
	return ranked
}
