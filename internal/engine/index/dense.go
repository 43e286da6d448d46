package index

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

// Dense ranks texts by the cosine of their vectors with the query's, exactly.
// It is safe for concurrent use while no texts are added.
type Dense struct {
	rows, cols int
	blocks     []denseBlock
}

// A denseBlock holds the vectors of texts that were added together, of length 1 or 0.
type denseBlock struct {
	rows   int
	matrix blas32.General // one row a text; unused where rows are sparse
	sparse *sparse
}

// NewDense returns an index of vectors, which must all have the same length
// and finite elements. The vectors are copied.
func NewDense(vectors [][]float32) (*Dense, error) {
	d := new(Dense)
	return d, d.Add(vectors)
}

// Add adds texts behind the others by their vectors, as for [NewDense].
func (d *Dense) Add(vectors [][]float32) error {
	if len(vectors) == 0 {
		return nil
	}
	if d.rows == 0 {
		d.cols = len(vectors[0])
	}
	elements := 0
	for i, v := range vectors {
		if len(v) != d.cols {
			return fmt.Errorf("dense index: vector %d has %d elements, the first has %d", d.rows+i, len(v), d.cols)
		}
		for _, x := range v {
			if x != 0 {
				elements++
			}
		}
	}
	b := denseBlock{rows: len(vectors)}
	if elements < b.rows*d.cols/4 {
		b.sparse = newSparse(b.rows, elements)
	} else {
		b.matrix = blas32.General{Rows: b.rows, Cols: d.cols, Stride: max(1, d.cols), Data: make([]float32, 0, b.rows*d.cols)}
	}
	for i, v := range vectors {
		unit, err := normalise(v)
		if err != nil {
			return fmt.Errorf("dense index: vector %d: %w", d.rows+i, err)
		}
		if b.sparse != nil {
			b.sparse.add(unit)
		} else {
			b.matrix.Data = append(b.matrix.Data, unit...)
		}
	}
	d.rows += b.rows
	d.blocks = append(d.blocks, b)
	return nil
}

// Cosines returns the cosines of all texts with the query, in [-1, 1], in the
// order of the texts; 0 for a query without direction.
func (d *Dense) Cosines(query []float32) ([]float64, error) {
	if d.rows == 0 {
		return nil, nil
	}
	if len(query) != d.cols {
		return nil, fmt.Errorf("dense index: query has %d elements, the texts have %d", len(query), d.cols)
	}
	unit, err := normalise(query)
	if err != nil {
		return nil, fmt.Errorf("dense index: query: %w", err)
	}
	products := make([]float32, d.rows)
	rest := products
	for _, b := range d.blocks {
		switch {
		case b.sparse != nil:
			b.sparse.products(unit, rest[:b.rows])
		case d.cols > 0:
			blas32.Gemv(blas.NoTrans, 1, b.matrix, blas32.Vector{N: d.cols, Inc: 1, Data: unit}, 0, blas32.Vector{N: b.rows, Inc: 1, Data: rest})
		}
		rest = rest[b.rows:]
	}
	cosines := make([]float64, d.rows)
	for i, x := range products {
		cosines[i] = float64(max(-1, min(1, x)))
	}
	return cosines, nil
}

// A sparse matrix has most of its elements 0, as vectors have that hash words.
type sparse struct {
	starts  []int // of rows, and the end
	columns []int32
	values  []float32
}

func newSparse(rows, elements int) *sparse {
	return &sparse{starts: append(make([]int, 0, rows+1), 0), columns: make([]int32, 0, elements), values: make([]float32, 0, elements)}
}

func (s *sparse) add(row []float32) {
	for c, x := range row {
		if x != 0 {
			s.columns, s.values = append(s.columns, int32(c)), append(s.values, x)
		}
	}
	s.starts = append(s.starts, len(s.values))
}

func (s *sparse) products(query, products []float32) {
	for i := range products {
		columns := s.columns[s.starts[i]:s.starts[i+1]]
		values := s.values[s.starts[i]:s.starts[i+1]][:len(columns)]
		var a, b float32
		k := 0
		for ; k+1 < len(columns); k += 2 {
			a += query[columns[k]] * values[k]
			b += query[columns[k+1]] * values[k+1]
		}
		if k < len(columns) {
			a += query[columns[k]] * values[k]
		}
		products[i] = a + b
	}
}

// Search returns the k texts nearest to the query, best first, with their
// cosines in [-1, 1]. A query without direction gives texts in their order
// with score 0.
func (d *Dense) Search(query []float32, k int) ([]Hit, error) {
	cosines, err := d.Cosines(query)
	if err != nil || len(cosines) == 0 {
		return nil, err
	}
	return top(cosines, k, func(float64) bool { return true }), nil
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
