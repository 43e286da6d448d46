package index

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

// Dense ranks texts by the cosine of their vectors with the query's, exactly.
// It is safe for concurrent use.
type Dense struct {
	matrix blas32.General // one row a text, of length 1 or 0
}

// NewDense returns an index of vectors, which must all have the same length
// and finite elements. The vectors are copied.
func NewDense(vectors [][]float32) (*Dense, error) {
	d := &Dense{}
	if len(vectors) == 0 {
		return d, nil
	}
	dim := len(vectors[0])
	data := make([]float32, 0, len(vectors)*dim)
	for i, v := range vectors {
		if len(v) != dim {
			return nil, fmt.Errorf("dense index: vector %d has %d elements, the first has %d", i, len(v), dim)
		}
		unit, err := normalise(v)
		if err != nil {
			return nil, fmt.Errorf("dense index: vector %d: %w", i, err)
		}
		data = append(data, unit...)
	}
	d.matrix = blas32.General{Rows: len(vectors), Cols: dim, Stride: max(1, dim), Data: data}
	return d, nil
}

// Search returns the k texts nearest to the query, best first, with their
// cosines in [-1, 1]. A query without direction gives texts in their order
// with score 0.
func (d *Dense) Search(query []float32, k int) ([]Hit, error) {
	n := d.matrix.Rows
	if n == 0 {
		return nil, nil
	}
	if len(query) != d.matrix.Cols {
		return nil, fmt.Errorf("dense index: query has %d elements, the texts have %d", len(query), d.matrix.Cols)
	}
	unit, err := normalise(query)
	if err != nil {
		return nil, fmt.Errorf("dense index: query: %w", err)
	}
	y := blas32.Vector{N: n, Inc: 1, Data: make([]float32, n)}
	if len(query) > 0 {
		blas32.Gemv(blas.NoTrans, 1, d.matrix, blas32.Vector{N: len(unit), Inc: 1, Data: unit}, 0, y)
	}
	scores := make([]float64, n)
	for i, s := range y.Data {
		scores[i] = float64(max(-1, min(1, s)))
	}
	return top(scores, k, func(float64) bool { return true }), nil
}

// normalise returns v scaled to length 1; a zero vector stays zero.
func normalise(v []float32) ([]float32, error) {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return nil, errors.New("an element is not finite")
	}
	unit := make([]float32, len(v))
	if sum == 0 {
		return unit, nil
	}
	norm := math.Sqrt(sum)
	for i, x := range v {
		unit[i] = float32(float64(x) / norm)
	}
	return unit, nil
}
