package index

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

// Close finds texts whose cosine with a query is at least some number, exactly,
// while texts are still being added. It gives up on a text as soon as what is
// left of its vector cannot bring the cosine there (Cauchy-Schwarz), which for
// high numbers is early. It is not safe for concurrent use.
type Close struct {
	least float64
	cols  int
	rows  []closeRow
	heads []float32 // the first blocks of all rows, one after the other
}

// closeRow is a vector of length 1 or 0 with the lengths of its ends: those from
// the first, second, ... block on.
type closeRow struct {
	unit []float32
	ends []float64
}

// blockLen is the number of elements after which a text is looked at again.
const blockLen = 64

// NewClose returns an index of no texts for cosines of at least least.
func NewClose(least float64) *Close { return &Close{least: least} }

// Add adds a text by its vector, which must be as long as the others and finite.
func (x *Close) Add(vector []float32) error {
	if len(x.rows) == 0 {
		x.cols = len(vector)
	}
	row, err := x.row(vector)
	if err != nil {
		return fmt.Errorf("close index: vector %d: %w", len(x.rows), err)
	}
	x.rows = append(x.rows, row)
	x.heads = append(x.heads, block(row.unit, 0)...)
	return nil
}

func (x *Close) row(vector []float32) (closeRow, error) {
	if len(vector) != x.cols {
		return closeRow{}, fmt.Errorf("it has %d elements, the first has %d", len(vector), x.cols)
	}
	unit, err := normalise(vector)
	if err != nil {
		return closeRow{}, err
	}
	row := closeRow{unit, make([]float64, (len(unit)+blockLen-1)/blockLen+1)}
	var sum float64
	for b := len(row.ends) - 2; b >= 0; b-- {
		for _, v := range block(unit, b) {
			sum += float64(v) * float64(v)
		}
		row.ends[b] = math.Sqrt(sum)
	}
	return row, nil
}

func block(v []float32, b int) []float32 { return v[b*blockLen : min(len(v), (b+1)*blockLen)] }

// rounding is more than what a sum of products of unit vectors can be off.
const rounding = 1e-5

// Search returns the at most k texts that are close to the query, the closest
// first, of equal ones the first added first.
func (x *Close) Search(query []float32, k int) ([]Hit, error) {
	if len(x.rows) == 0 {
		return nil, nil
	}
	q, err := x.row(query)
	if err != nil {
		return nil, fmt.Errorf("close index: query: %w", err)
	}
	head := block(q.unit, 0)
	first := make([]float32, len(x.rows)) // what the first block gives; most rows fail there
	if len(head) > 0 {
		blas32.Gemv(blas.NoTrans, 1, blas32.General{Rows: len(x.rows), Cols: len(head), Stride: len(head), Data: x.heads},
			blas32.Vector{N: len(head), Inc: 1, Data: head}, 0, blas32.Vector{N: len(first), Inc: 1, Data: first})
	}
	rest := q.ends[min(1, len(q.ends)-1)]
	var hits []Hit
	for i, row := range x.rows {
		if float64(first[i])+rest*row.ends[min(1, len(row.ends)-1)] < x.least-2*rounding {
			continue
		}
		var cosine float64
		b := 0
		for ; b < len(row.ends)-1 && cosine+q.ends[b]*row.ends[b] >= x.least-rounding; b++ {
			part, other := block(q.unit, b), block(row.unit, b)
			cosine += float64(blas32.Dot(blas32.Vector{N: len(part), Inc: 1, Data: part}, blas32.Vector{N: len(other), Inc: 1, Data: other}))
		}
		if b == len(row.ends)-1 && cosine >= x.least {
			hits = append(hits, Hit{Index: i, Score: min(1, cosine)})
		}
	}
	slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	return hits[:min(k, len(hits))], nil
}
