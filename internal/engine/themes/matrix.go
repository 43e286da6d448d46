package themes

import (
	"math"
	"runtime"

	"github.com/sourcegraph/conc/pool"
)

// lanes is how many elements the kernel takes at once: rows are padded with
// zeros to a multiple of it.
const lanes = 8

// A matrix holds rows of float32 for products of many rows with many, which
// are near the exact ones but not exact. It has room for a multiple of four
// rows; rows that were never set are zero.
type matrix struct {
	stride int // elements of a row, a multiple of lanes
	data   []float32
}

func newMatrix(dim int) *matrix {
	return &matrix{stride: (dim + lanes - 1) / lanes * lanes}
}

// grow makes room for rows 0 to n-1.
func (m *matrix) grow(n int) {
	n = (n + 3) / 4 * 4
	for len(m.data) < n*m.stride {
		m.data = append(m.data, make([]float32, n*m.stride-len(m.data))...)
	}
}

// shrink leaves rows 0 to n-1.
func (m *matrix) shrink(n int) {
	m.data = m.data[:(n+3)/4*4*m.stride]
	clear(m.data[n*m.stride:])
}

// row returns row i, which the caller may write to.
func (m *matrix) row(i int) []float32 { return m.data[i*m.stride : (i+1)*m.stride] }

// slack bounds the error of a product of two rows of a matrix whose length is
// at most 1, against the cosine in float64 of what they were made from: both
// rows are rounded to float32, and so is each step of the sum. The bound of the
// analysis, which holds in whatever order the sum is taken, is doubled.
func (m *matrix) slack() float32 {
	const unit = 1.0 / (1 << 24)
	return float32(2 * unit * float64(m.stride+16))
}

// products writes to dst, one line of width elements for each query, the
// products of the queries with the rows from first on. The number of queries is
// even, width and first are multiples of 4, and the rows are there.
func (m *matrix) products(dst []float32, queries []float32, first, width int) {
	if m.stride == 0 {
		clear(dst)
		return
	}
	// A panel of rows stays in the nearest cache while all queries pass it.
	panel := max(4, 8192/m.stride/4*4)
	n := len(queries) / m.stride
	for from := 0; from < width; from += panel {
		to := min(from+panel, width)
		rows := m.data[(first+from)*m.stride:]
		for q := 0; q < n; q += 2 {
			upper, lower := dst[q*width+from:q*width+to], dst[(q+1)*width+from:(q+1)*width+to]
			multiply(queries[q*m.stride:(q+2)*m.stride], rows, m.stride, upper, lower)
		}
	}
}

// dotNear returns the near product of two rows.
func dotNear(a, b []float32) float32 {
	var s0, s1, s2, s3 float32
	b = b[:len(a)]
	for k := 0; k+3 < len(a); k += 4 {
		s0 += a[k] * b[k]
		s1 += a[k+1] * b[k+1]
		s2 += a[k+2] * b[k+2]
		s3 += a[k+3] * b[k+3]
	}
	return s0 + s1 + (s2 + s3)
}

// multiplyGo is multiply for processors without a kernel of their own.
func multiplyGo(a, b []float32, stride int, upper, lower []float32) {
	for i := range upper {
		row := b[i*stride : (i+1)*stride]
		upper[i], lower[i] = dotNear(a[:stride], row), dotNear(a[stride:2*stride], row)
	}
}

// parallel calls f for consecutive parts of 0 to n-1, on all processors. A
// part begins at a multiple of grain.
func parallel(n, grain int, f func(from, to int)) {
	parts := (n + grain - 1) / grain
	if parts <= 1 || runtime.GOMAXPROCS(0) == 1 {
		if n > 0 {
			f(0, n)
		}
		return
	}
	p := pool.New().WithMaxGoroutines(runtime.GOMAXPROCS(0))
	for i := range parts {
		p.Go(func() { f(i*grain, min((i+1)*grain, n)) })
	}
	p.Wait()
}

// dot returns the product of two vectors in float64. The sum is taken in the
// same order, without fused steps, on every processor, so that a comparison
// comes out the same everywhere.
func dot(a, b []float64) float64 {
	var s0, s1, s2, s3 float64
	b = b[:len(a)]
	i := 0
	for ; i+3 < len(a); i += 4 {
		s0 += float64(a[i] * b[i])
		s1 += float64(a[i+1] * b[i+1])
		s2 += float64(a[i+2] * b[i+2])
		s3 += float64(a[i+3] * b[i+3])
	}
	for ; i < len(a); i++ {
		s0 += float64(a[i] * b[i])
	}
	return s0 + s1 + (s2 + s3)
}

// dotRow is dot for a vector of float32, whose padding is left out, with one of
// float64.
func dotRow(a []float32, b []float64) float64 {
	var s0, s1, s2, s3 float64
	a = a[:len(b)]
	i := 0
	for ; i+3 < len(a); i += 4 {
		s0 += float64(float64(a[i]) * b[i])
		s1 += float64(float64(a[i+1]) * b[i+1])
		s2 += float64(float64(a[i+2]) * b[i+2])
		s3 += float64(float64(a[i+3]) * b[i+3])
	}
	for ; i < len(a); i++ {
		s0 += float64(float64(a[i]) * b[i])
	}
	return s0 + s1 + (s2 + s3)
}

// dotRows is dot for two vectors of float32.
func dotRows(a, b []float32) float64 {
	var s0, s1, s2, s3 float64
	b = b[:len(a)]
	for i := 0; i+3 < len(a); i += 4 {
		s0 += float64(a[i]) * float64(b[i])
		s1 += float64(a[i+1]) * float64(b[i+1])
		s2 += float64(a[i+2]) * float64(b[i+2])
		s3 += float64(a[i+3]) * float64(b[i+3])
	}
	return s0 + s1 + (s2 + s3)
}

func norm(v []float64) float64 { return math.Sqrt(dot(v, v)) }
