package offline

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A basis holds the leading right singular vectors of the matrix of texts and
// terms: terms rows of dim numbers each.
type basis struct {
	dim int // of the basis; at most the number of texts
	v   []float64
}

// project adds the coordinates of a sparse row to out; coordinates that the
// basis does not have stay 0.
func (b basis) project(row vector, out []float64) {
	for i, id := range row.ids {
		x := row.xs[i]
		for j, y := range b.v[int(id)*b.dim : (int(id)+1)*b.dim] {
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
func factor(rows []vector, terms, dim int, seed uint64) basis {
	n := len(rows)
	dim = min(dim, n, terms)
	if dim <= 0 {
		return basis{}
	}
	width := min(dim+oversample, n, terms)
	rng := rand.New(rand.NewPCG(seed, 0x6c7361))
	q := make([]float64, n*width)
	for i := range q {
		q[i] = rng.NormFloat64()
	}
	orthonormalise(q, n, width)
	back := make([]float64, terms*width)
	for range powerSteps {
		transposeMul(rows, q, back, width)
		mul(rows, back, q, width)
		orthonormalise(q, n, width)
	}
	transposeMul(rows, q, back, width)
	// back is (QᵀA)ᵀ. Its Gram matrix gives the rotation to singular vectors.
	gram := mat.NewSymDense(width, nil)
	for t := range terms {
		row := back[t*width : (t+1)*width]
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
		return basis{}
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
	rot := make([]float64, width*dim)
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
			rot[i*dim+j] = x * s
		}
	}
	// The basis takes the place of back, whose rows are at least as long.
	out := make([]float64, dim)
	for t := range terms {
		clear(out)
		for i, x := range back[t*width : (t+1)*width] {
			if x == 0 {
				continue
			}
			for j, y := range rot[i*dim : (i+1)*dim] {
				out[j] += x * y
			}
		}
		copy(back[t*dim:], out)
	}
	return basis{dim: dim, v: back[:terms*dim]}
}

// mul sets out = A·in: in has a row of width numbers for each term, out for
// each text.
func mul(rows []vector, in, out []float64, width int) {
	for i, row := range rows {
		o := out[i*width : (i+1)*width]
		clear(o)
		for k, id := range row.ids {
			x := row.xs[k]
			for j, y := range in[int(id)*width : (int(id)+1)*width] {
				o[j] += x * y
			}
		}
	}
}

// transposeMul sets out = Aᵀ·in: in has a row for each text, out for each
// term.
func transposeMul(rows []vector, in, out []float64, width int) {
	clear(out)
	for i, row := range rows {
		src := in[i*width : (i+1)*width]
		for k, id := range row.ids {
			x := row.xs[k]
			o := out[int(id)*width : (int(id)+1)*width]
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
