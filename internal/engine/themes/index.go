package themes

import (
	"fmt"
	"slices"
)

// An Index finds the semantics nearest to a query, exactly. It is safe for concurrent
// use.
type Index struct{ space *space }

// A Ranking is the answer of an [Index].
type Ranking struct {
	// Nearest are the semantics with the highest cosines, highest first, of
	// equal ones the older first.
	Nearest []Neighbour
	// Low and High are the lowest and the highest cosine of the query with any
	// semantic.
	Low, High float64
}

// NewIndex returns an index of vectors, which must have the same length and
// finite elements. They are not copied and must not change.
func NewIndex(vectors [][]float32) (*Index, error) {
	s, err := newSpace(vectors)
	if err != nil {
		return nil, fmt.Errorf("index of semantics: %w", err)
	}
	return &Index{s}, nil
}

// Search returns the at most k semantics nearest to the query, which has the
// length of the vectors. A query without direction has the cosine 0 with all.
func (x *Index) Search(query []float32, k int) (Ranking, error) {
	n := len(x.space.units)
	if n == 0 || k < 1 {
		return Ranking{}, nil
	}
	if len(query) != x.space.dim {
		return Ranking{}, fmt.Errorf("index of semantics: the query has %d elements, the vectors have %d", len(query), x.space.dim)
	}
	one, err := newSpace([][]float32{query})
	if err != nil {
		return Ranking{}, fmt.Errorf("index of semantics: query: %w", err)
	}
	all := make([]Neighbour, n)
	for i, unit := range x.space.units {
		all[i] = Neighbour{i, dot(one.units[0], unit)}
	}
	slices.SortFunc(all, nearestFirst)
	return Ranking{Nearest: slices.Clone(all[:min(k, n)]), Low: all[n-1].Similarity, High: all[0].Similarity}, nil
}
