package index

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas32"
)

// Close finds texts whose cosine with a query is at least some number, exactly,
// while texts are still being added. It is not safe for concurrent use.
type Close struct {
	least float64
	cols  int
	units [][]float32 // the vectors, of length 1 or 0
}

// NewClose returns an index of no texts for cosines of at least least.
func NewClose(least float64) *Close { return &Close{least: least} }

// Add adds a text by its vector, which must be as long as the others and finite.
func (x *Close) Add(vector []float32) error {
	if len(x.units) == 0 {
		x.cols = len(vector)
	}
	unit, err := x.unit(vector)
	if err != nil {
		return fmt.Errorf("close index: vector %d: %w", len(x.units), err)
	}
	x.units = append(x.units, unit)
	return nil
}

func (x *Close) unit(vector []float32) ([]float32, error) {
	if len(vector) != x.cols {
		return nil, fmt.Errorf("it has %d elements, the first has %d", len(vector), x.cols)
	}
	return normalise(vector)
}

// blockLen is the number of elements whose products are summed in float32.
const blockLen = 64

// Search returns the at most k texts that are close to the query, the closest
// first, of equal ones the first added first.
func (x *Close) Search(query []float32, k int) ([]Hit, error) {
	if len(x.units) == 0 {
		return nil, nil
	}
	q, err := x.unit(query)
	if err != nil {
		return nil, fmt.Errorf("close index: query: %w", err)
	}
	cosines := make([]float64, len(x.units))
	for i, unit := range x.units {
		for from := 0; from < len(q); from += blockLen {
			to := min(from+blockLen, len(q))
			cosines[i] += float64(blas32.Dot(blas32.Vector{N: to - from, Inc: 1, Data: q[from:to]}, blas32.Vector{N: to - from, Inc: 1, Data: unit[from:to]}))
		}
		cosines[i] = min(1, cosines[i])
	}
	return top(cosines, k, func(c float64) bool { return c >= x.least }), nil
}
