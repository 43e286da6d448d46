package index

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/blas/blas32"
)

// Dense ranks texts by the cosine of their vectors with the query's, exactly.
// It is safe for concurrent use while no texts are added.
type Dense struct {
	rows, cols int
	matrix     []float32 // one padded row per text, of length 1 or 0
}

// NewDense returns an index of vectors, which must all have the same length
// and finite elements. The vectors are copied.
func NewDense(vectors [][]float32) (*Dense, error) {
	d := new(Dense)
	return d, d.Add(vectors)
}

// Add appends texts by their vectors, as for [NewDense].
func (d *Dense) Add(vectors [][]float32) error {
	if d.rows == 0 && len(vectors) > 0 {
		d.cols = len(vectors[0])
	}
	d.matrix = slices.Grow(d.matrix, len(vectors)*stride(d.cols))
	for _, v := range vectors {
		if len(v) != d.cols {
			return fmt.Errorf("dense index: vector %d has %d elements, the first has %d", d.rows, len(v), d.cols)
		}
		unit, err := normalise(v)
		if err != nil {
			return fmt.Errorf("dense index: vector %d: %w", d.rows, err)
		}
		d.matrix = append(d.matrix, pad(unit)...)
		d.rows++
	}
	return nil
}

// Cosines returns the cosines of all texts with the query, in [-1, 1], in the
// order of the texts; 0 for a query without direction.
func (d *Dense) Cosines(query []float32) ([]float64, error) {
	unit, err := d.unit(query)
	if err != nil || d.rows == 0 {
		return nil, err
	}
	cosines := make([]float64, 0, d.rows)
	d.each(unit, func(products []float32) {
		for _, x := range products {
			cosines = append(cosines, cosine(x))
		}
	})
	return cosines, nil
}

// cosine returns a product of unit vectors as their cosine.
func cosine(product float32) float64 { return float64(max(-1, min(1, product))) }

// unit returns the query as a row.
func (d *Dense) unit(query []float32) ([]float32, error) {
	if d.rows == 0 {
		return nil, nil
	}
	unit, err := unitOf("dense", query, d.cols)
	return pad(unit), err
}

// unitOf returns the query of an index scaled to length 1.
func unitOf(index string, query []float32, cols int) ([]float32, error) {
	if len(query) != cols {
		return nil, fmt.Errorf("%s index: query has %d elements, the texts have %d", index, len(query), cols)
	}
	unit, err := normalise(query)
	if err != nil {
		return nil, fmt.Errorf("%s index: query: %w", index, err)
	}
	return unit, nil
}

// passRows is how many rows are multiplied in one pass.
const passRows = 256

// passIDs are the numbers of the rows of a pass.
var passIDs = func() (ids [passRows]uint32) {
	for i := range ids {
		ids[i] = uint32(i)
	}
	return ids
}()

// each gives the products of all texts with a row, in order, a pass at a time. They are
// valid until the next.
func (d *Dense) each(row []float32, take func(products []float32)) {
	var out [passRows]float32
	for from := 0; from < d.rows; from += passRows {
		n := min(passRows, d.rows-from)
		Products(row, d.matrix[from*len(row):], passIDs[:n], out[:n])
		take(out[:n])
	}
}

// fewHits is the number of hits up to which keeping them in order takes less time
// than sorting all texts.
const fewHits = 256

// Search returns the k texts nearest to the query, best first, with their
// cosines in [-1, 1]. For a query without direction it returns texts in their
// order with score 0.
func (d *Dense) Search(query []float32, k int) ([]Hit, error) {
	unit, err := d.unit(query)
	if err != nil || d.rows == 0 {
		return nil, err
	}
	if k = max(0, min(k, d.rows)); k > fewHits || k == 0 {
		cosines, err := d.Cosines(query)
		return top(cosines, k, func(float64) bool { return true }), err
	}
	best, at := make([]Hit, 0, k+1), 0
	d.each(unit, func(products []float32) {
		for i, x := range products {
			score := cosine(x)
			if len(best) == k && score <= best[k-1].Score {
				continue
			}
			place := len(best)
			for place > 0 && best[place-1].Score < score {
				place--
			}
			best = slices.Insert(best, place, Hit{at + i, score})
			best = best[:min(k, len(best))]
		}
		at += len(products)
	})
	return best, nil
}

// normalise returns v scaled to length 1, without tiny elements; a zero vector stays
// zero.
func normalise(v []float32) ([]float32, error) {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return nil, errors.New("an element is not finite")
	}
	if sum == 0 {
		return make([]float32, len(v)), nil
	}
	return Row(v, math.Sqrt(sum))[:len(v)], nil
}

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
