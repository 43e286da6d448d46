package index

import (
	"fmt"
	"sort"

	"gonum.org/v1/gonum/blas/blas32"
)

// Growing ranks texts by cosine, exactly, as [Dense] does, while texts are still
// added and replaced. Products are summed in double precision. It is safe for
// concurrent searches while nothing is added or replaced.
type Growing struct {
	cols int
	rows [][]float32 // of length 1 or 0
}

// Len is the number of texts.
func (x *Growing) Len() int { return len(x.rows) }

// Add adds a text by its vector, which must be as long as the others and finite.
func (x *Growing) Add(vector []float32) error {
	if len(x.rows) == 0 {
		x.cols = len(vector)
	}
	row, err := x.row(vector)
	if err != nil {
		return fmt.Errorf("growing index: vector %d: %w", len(x.rows), err)
	}
	x.rows = append(x.rows, row)
	return nil
}

// Set replaces the vector of text i, which must have been added.
func (x *Growing) Set(i int, vector []float32) error {
	row, err := x.row(vector)
	if err != nil {
		return fmt.Errorf("growing index: vector %d: %w", i, err)
	}
	x.rows[i] = row
	return nil
}

func (x *Growing) row(vector []float32) ([]float32, error) {
	if len(vector) != x.cols {
		return nil, fmt.Errorf("it has %d elements, the first has %d", len(vector), x.cols)
	}
	return normalise(vector)
}

// Search returns the k texts nearest to the query, best first, with their cosines
// in [-1, 1]; ties keep the order of the texts.
func (x *Growing) Search(query []float32, k int) ([]Hit, error) {
	if len(x.rows) == 0 {
		return nil, nil
	}
	unit, err := unitOf("growing", query, x.cols)
	if err != nil {
		return nil, err
	}
	q := blas32.Vector{N: len(unit), Inc: 1, Data: unit}
	cosines := make([]float64, len(x.rows))
	for i, row := range x.rows {
		cosines[i] = blas32.DDot(q, blas32.Vector{N: len(row), Inc: 1, Data: row})
		cosines[i] = max(-1, min(1, cosines[i]))
	}
	return top(cosines, k, func(float64) bool { return true }), nil
}

// Above returns the hits of a ranking whose scores are at least a number.
func Above(hits []Hit, least float64) []Hit {
	n := sort.Search(len(hits), func(i int) bool { return hits[i].Score < least })
	return hits[:n]
}
