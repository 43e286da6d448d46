package themes

import (
	"fmt"
	"math"
)

// A Neighbour is an edge of a graph, or of what [Representatives] chooses from.
type Neighbour struct {
	Index      int     // of the node that the edge leads to
	Similarity float64 // cosine
}

// A Theme is a set of semantics that belong together.
type Theme struct {
	// ID distinguishes the theme from all others there ever were; ids grow in
	// order of creation.
	ID int
	// Members are the semantics by their index in the input, in the order in
	// which they joined the theme.
	Members []int
	// Centroid is the mean of the members' vectors; it is not scaled.
	Centroid []float64
	// Neighbours are the nearest other themes, nearest first, by their index in
	// [Hierarchy.Themes]; similarities are above 0.
	Neighbours []Neighbour
}

// A Hierarchy has the themes of a memory and the graphs over its themes and
// semantics.
type Hierarchy struct {
	// Themes are in the order of their ids. Each semantic is in exactly one.
	Themes []Theme
	// ThemeOf has for each semantic the index of its theme in Themes.
	ThemeOf []int
	// Neighbours has for each semantic the nearest ones among all that were
	// known when its batch had arrived, nearest first. Later ones are not
	// considered, so the graph is directed from new to old.
	Neighbours [][]Neighbour
	// Reassigned is the number of semantics that are no longer in their first
	// theme: the numerator of the dynamic reassignment ratio, whose denominator
	// is the number of semantics. A theme keeps its identity while it keeps its
	// id.
	Reassigned int
	// Stats counts the steps of the construction.
	Stats Stats
}

// Stats counts the steps of a construction.
type Stats struct {
	// Singletons is the number of semantics without a near theme.
	Singletons int
	// Splits is the number of divided themes, and Reissued that of themes that
	// were reviewed, left whole and given a new id.
	Splits, Reissued int
	// Merges is the number of joined pairs of themes, and Coalesced of small
	// themes that joined another.
	Merges, Coalesced int
}

// Build arranges the semantics whose vectors are given in the order of their
// arrival. Batches holds how many of them arrived together, as those of an
// episode do; the counts add up to the number of vectors. With no batches, all
// arrived together.
//
// It fails for options out of range, vectors of unequal length or with elements
// that are not finite, and batches that do not add up.
func Build(vectors [][]float32, batches []int, o Options) (*Hierarchy, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("themes: %w", err)
	}
	if batches == nil {
		batches = []int{len(vectors)}
	}
	left := len(vectors)
	for i, n := range batches {
		if n < 0 || n > left {
			return nil, fmt.Errorf("themes: batch %d holds %d semantics, want 0 to %d", i, n, left)
		}
		left -= n
	}
	if left > 0 {
		return nil, fmt.Errorf("themes: the batches have %d semantics, but there are %d vectors", len(vectors)-left, len(vectors))
	}
	space, err := newSpace(vectors)
	if err != nil {
		return nil, fmt.Errorf("themes: %w", err)
	}
	b := &builder{set: newSet(space), o: o, first: make([]int, len(vectors))}
	switch o.Profile {
	case Released:
		b.released()
	case Paper:
		b.paper(batches)
	}
	h := b.hierarchy()
	h.Neighbours = space.graph(batches, o.Neighbours)
	return h, nil
}

// A builder is a construction under way.
type builder struct {
	*set
	o     Options
	first []int // for each semantic, the id of its first theme
	stats Stats
}

// hierarchy returns what was built.
func (b *builder) hierarchy() *Hierarchy {
	h := &Hierarchy{ThemeOf: make([]int, len(b.first)), Stats: b.stats}
	place := make(map[*theme]int)
	for i, t := range b.themes {
		place[t] = i
		for _, semantic := range t.members {
			h.ThemeOf[semantic] = i
			if b.first[semantic] != t.id {
				h.Reassigned++
			}
		}
		h.Themes = append(h.Themes, Theme{ID: t.id, Members: t.members, Centroid: t.centroid})
	}
	for i, t := range b.themes {
		for _, e := range b.nearest(t, b.o.Neighbours, math.SmallestNonzeroFloat64) {
			h.Themes[i].Neighbours = append(h.Themes[i].Neighbours, Neighbour{place[e.to], e.similarity})
		}
	}
	return h
}
