package offline

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A basis holds the leading right singular vectors of the matrix of texts and
// terms, which give each term dim numbers. Most terms are in one text only: their
// numbers follow from that text's, and are worked out when they are asked for.
type basis struct {
	dim    int       // at most the number of texts
	places []int32   // of terms: the row of shared, or -1 less the place in lone
	shared []float64 // rows of the terms that two texts or more have
	lone   []loneTerm
	texts  []float64 // rows of width numbers
	width  int
	rotate []float64 // width rows of dim numbers, from a text's numbers to a term's
}

// A loneTerm is in one text, with a weight.
type loneTerm struct {
	weight float64
	text   int32
}

// newBasis tells shared terms from lone ones; shared has rows of width numbers.
func newBasis(rows []vector, terms, width int) *basis {
	b := &basis{places: make([]int32, terms), width: width}
	for _, row := range rows {
		for _, id := range row.ids {
			b.places[id]++ // for now, the number of texts
		}
	}
	shared, lone := int32(0), int32(0)
	for id, n := range b.places {
		if n > 1 {
			b.places[id] = shared
			shared++
			continue
		}
		lone++
		b.places[id] = -lone
	}
	b.lone = make([]loneTerm, lone)
	for i, row := range rows {
		for k, id := range row.ids {
			if place := b.places[id]; place < 0 {
				b.lone[-1-place] = loneTerm{row.xs[k], int32(i)}
			}
		}
	}
	b.shared = make([]float64, int(shared)*width)
	return b
}

// project adds the coordinates of a sparse row to out; coordinates that the
// basis does not have stay 0.
func (b *basis) project(row vector, out []float64) {
	if b.dim == 0 {
		return
	}
	buf := make([]float64, b.dim)
	for i, id := range row.ids {
		x := row.xs[i]
		for j, y := range b.row(id, buf) {
			out[j] += x * y
		}
	}
}

// row returns the numbers of a term, in buf where they are not held.
func (b *basis) row(id int32, buf []float64) []float64 {
	if place := int(b.places[id]); place >= 0 {
		return b.shared[place*b.dim : (place+1)*b.dim]
	}
	b.turn(b.back(id, make([]float64, b.width)), buf)
	return buf
}

// back returns the width numbers of a term before they are rotated, in buf where
// they are not held.
func (b *basis) back(id int32, buf []float64) []float64 {
	place := int(b.places[id])
	if place >= 0 {
		return b.shared[place*b.width : (place+1)*b.width]
	}
	t := b.lone[-1-place]
	for j, y := range b.texts[int(t.text)*b.width:][:b.width] {
		buf[j] = t.weight * y
	}
	return buf
}

// turn sets out to the rotated numbers of a term.
func (b *basis) turn(numbers, out []float64) {
	clear(out)
	for i, x := range numbers {
		if x == 0 {
			continue
		}
		for j, y := range b.rotate[i*b.dim : (i+1)*b.dim] {
			out[j] += x * y
		}
	}
}

// oversample and powerSteps are the parameters of the randomised method; the
// values are the usual ones (Halko, Martinsson and Tropp, 2011).
const (
	oversample = 10
	powerSteps = 3
)

// factor computes a truncated singular value decomposition of the rows by
// randomised subspace iteration: A has a row for each text and a column for
// each term, Q spans A's leading left singular vectors, and the small matrix
// QᵀA gives the right ones. The start is drawn from seed; all sums run in one
// order, so the result is the same to the bit however many processors there
// are.
func factor(rows []vector, terms, dim int, seed uint64) *basis {
	n := len(rows)
	dim = min(dim, n, terms)
	if dim <= 0 {
		return new(basis)
	}
	width := min(dim+oversample, n, terms)
	b := newBasis(rows, terms, width)
	rng := rand.New(rand.NewPCG(seed, 0x6c7361))
	q := make([]float64, n*width)
	for i := range q {
		q[i] = rng.NormFloat64()
	}
	orthonormalise(q, n, width)
	b.texts = q
	for range powerSteps {
		b.transposeMul(rows)
		b.mul(rows)
		orthonormalise(q, n, width)
	}
	b.transposeMul(rows)
	// The terms' numbers are (QᵀA)ᵀ. Their Gram matrix gives the rotation to singular
	// vectors.
	gram := mat.NewSymDense(width, nil)
	buf := make([]float64, width)
	for t := range terms {
		row := b.back(int32(t), buf)
		for i, x := range row {
			if x == 0 {
				continue
			}
			for j := i; j < width; j++ {
				gram.SetSym(i, j, gram.At(i, j)+x*row[j])
			}
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(gram, true) {
		return new(basis)
	}
	values := eig.Values(nil) // ascending
	var vecs mat.Dense
	eig.VectorsTo(&vecs)
	order := make([]int, 0, dim)
	for i := width - 1; i >= 0 && len(order) < dim; i-- {
		if values[i] > 1e-9*values[width-1] {
			order = append(order, i)
		}
	}
	dim = len(order)
	b.dim, b.rotate = dim, make([]float64, width*dim)
	for j, c := range order {
		s := 1 / math.Sqrt(values[c])
		// The sign of a singular vector is free: make its largest entry positive.
		col := make([]float64, width)
		mat.Col(col, c, &vecs)
		if slices.MaxFunc(col, func(a, b float64) int {
			switch {
			case math.Abs(a) < math.Abs(b):
				return -1
			case math.Abs(a) > math.Abs(b):
				return 1
			}
			return 0
		}) < 0 {
			s = -s
		}
		for i, x := range col {
			b.rotate[i*dim+j] = x * s
		}
	}
	// Rotated rows take the place of the others, which are at least as long.
	out := make([]float64, dim)
	n = len(b.shared) / width
	for t := range n {
		b.turn(b.shared[t*width:(t+1)*width], out)
		copy(b.shared[t*dim:], out)
	}
	b.shared = b.shared[:n*dim]
	return b
}

// mul sets the numbers of the texts: A times those of the terms.
func (b *basis) mul(rows []vector) {
	old := make([]float64, b.width)
	for i, row := range rows {
		o := b.texts[i*b.width : (i+1)*b.width]
		copy(old, o)
		clear(o)
		for k, id := range row.ids {
			x := row.xs[k]
			place := int(b.places[id])
			if place < 0 {
				for j, y := range old {
					o[j] += x * (x * y)
				}
				continue
			}
			for j, y := range b.shared[place*b.width : (place+1)*b.width] {
				o[j] += x * y
			}
		}
	}
}

// transposeMul sets the numbers of shared terms: Aᵀ times those of the texts.
func (b *basis) transposeMul(rows []vector) {
	clear(b.shared)
	for i, row := range rows {
		src := b.texts[i*b.width : (i+1)*b.width]
		for k, id := range row.ids {
			place := int(b.places[id])
			if place < 0 {
				continue
			}
			x := row.xs[k]
			o := b.shared[place*b.width : (place+1)*b.width]
			for j, y := range src {
				o[j] += x * y
			}
		}
	}
}

// orthonormalise makes the columns of the n by width matrix q orthonormal by
// modified Gram-Schmidt, run twice for accuracy. A column without a direction
// of its own becomes zero.
func orthonormalise(q []float64, n, width int) {
	cols := make([]float64, len(q))
	for i := range n {
		for j := range width {
			cols[j*n+i] = q[i*width+j]
		}
	}
	for j := range width {
		c := cols[j*n : (j+1)*n]
		before := norm(c)
		for range 2 {
			for k := range j {
				d := cols[k*n : (k+1)*n]
				p := 0.0
				for i, x := range d {
					p += x * c[i]
				}
				for i, x := range d {
					c[i] -= p * x
				}
			}
		}
		length := norm(c)
		if length <= 1e-10*before || length == 0 {
			clear(c)
			continue
		}
		for i := range c {
			c[i] /= length
		}
	}
	for i := range n {
		for j := range width {
			q[i*width+j] = cols[j*n+i]
		}
	}
}

func norm(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x * x
	}
	return math.Sqrt(sum)
}
