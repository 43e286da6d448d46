package themes

import (
	"fmt"
	"math"
	"slices"
)

// An Index finds the semantics nearest to a query, exactly. It keeps, beside
// the vectors, a copy of them in bytes, from which a search leaves out what
// cannot be among the nearest: a quarter of the memory is read, and reading it
// is what a search costs. It is safe for concurrent use.
type Index struct {
	space  *space
	stride int    // bytes of a row
	bytes  []int8 // the rows, each divided by its scale and rounded
	scales []float64
	errors []float64 // length of what each row lost by rounding
}

// A Ranking is the answer of an [Index].
type Ranking struct {
	// Nearest are the semantics with the highest cosines, highest first, of
	// equal ones the older first.
	Nearest []Neighbour
	// Low and High are the lowest and the highest cosine of the query with any
	// semantic.
	Low, High float64
}

// byteLanes is how many bytes the kernel takes at once.
const byteLanes = 32

// NewIndex returns an index of vectors, which must have the same length and
// finite elements. They are not copied and must not change.
func NewIndex(vectors [][]float32) (*Index, error) {
	s, err := newSpace(vectors)
	if err != nil {
		return nil, fmt.Errorf("index of semantics: %w", err)
	}
	x := &Index{space: s, stride: (s.dim + byteLanes - 1) / byteLanes * byteLanes}
	x.bytes = make([]int8, len(vectors)*x.stride)
	x.scales = make([]float64, len(vectors))
	x.errors = make([]float64, len(vectors))
	for i := range vectors {
		row, bytes := s.units.row(i)[:s.dim], x.bytes[i*x.stride:]
		x.scales[i] = highest(row) / math.MaxInt8
		lost := 0.0
		for j, v := range row {
			if x.scales[i] > 0 {
				bytes[j] = int8(math.Round(float64(v) / x.scales[i]))
			}
			d := float64(v) - x.scales[i]*float64(bytes[j])
			lost += d * d
		}
		x.errors[i] = math.Sqrt(lost)
	}
	return x, nil
}

// highest returns the largest absolute element.
func highest(row []float32) float64 {
	most := float32(0)
	for _, v := range row {
		most = max(most, v, -v)
	}
	return float64(most)
}

// Search returns the at most k semantics nearest to the query, which has the
// length of the vectors. A query without direction has the cosine 0 with all.
func (x *Index) Search(query []float32, k int) (Ranking, error) {
	if len(x.scales) == 0 || k < 1 {
		return Ranking{}, nil
	}
	if len(query) != x.space.dim {
		return Ranking{}, fmt.Errorf("index of semantics: the query has %d elements, the vectors have %d", len(query), x.space.dim)
	}
	one, err := newSpace([][]float32{query})
	if err != nil {
		return Ranking{}, fmt.Errorf("index of semantics: query: %w", err)
	}
	unit := one.units.row(0)
	near, slack := x.near(unit[:x.space.dim])

	// What may be among the k highest, or the lowest.
	top, low := newTop(min(k, len(near))), float32(math.Inf(1))
	for i, p := range near {
		if at := p - slack[i]; at > top.least() {
			top.add(at)
		}
		low = min(low, p+slack[i])
	}
	least := top.least()
	result := Ranking{Low: math.Inf(1)}
	for i, p := range near {
		high := p+slack[i] >= least
		if !high && p-slack[i] > low {
			continue
		}
		similarity := dotRows(unit, x.space.units.row(i))
		result.Low = min(result.Low, similarity)
		if high {
			result.Nearest = append(result.Nearest, Neighbour{i, similarity})
		}
	}
	slices.SortFunc(result.Nearest, nearestFirst)
	result.Nearest = slices.Clip(result.Nearest[:min(k, len(result.Nearest))])
	result.High = result.Nearest[0].Similarity
	return result, nil
}

// near returns products of the query with all rows, and by how much each may
// be wrong. The query is rounded to words, so finely that their products with
// bytes add up without overflow.
func (x *Index) near(query []float32) (products, slack []float32) {
	most := highest(query)
	scale := 1.0
	if most > 0 {
		// A sum of products is at most the product of the lengths.
		room := float64(math.MaxInt32) / 2 / (math.MaxInt8 * math.Sqrt(float64(x.stride)))
		scale = max(most/math.MaxInt16, 1/room)
	}
	words := make([]int16, x.stride)
	lost := 0.0
	for j, v := range query {
		words[j] = int16(math.Round(float64(v) / scale))
		d := float64(v) - scale*float64(words[j])
		lost += d * d
	}
	lost = math.Sqrt(lost)
	sums := make([]int32, len(x.scales))
	multiplyBytes(words, x.bytes, sums)
	products = make([]float32, len(sums))
	slack = make([]float32, len(sums))
	const rounding = 1e-5 // of lengths that are about 1, and of the last steps
	for i, sum := range sums {
		products[i] = float32(scale * x.scales[i] * float64(sum))
		slack[i] = float32(x.errors[i] + lost + rounding)
	}
	return products, slack
}

// multiplyBytesGo writes to sums the products of the words with each row of
// bytes, which is as long.
func multiplyBytesGo(words []int16, rows []int8, sums []int32) {
	for i := range sums {
		row := rows[i*len(words) : (i+1)*len(words)]
		var sum int32
		for j, w := range words {
			sum += int32(w) * int32(row[j])
		}
		sums[i] = sum
	}
}
