package themes

import "recallbench/internal/calc/vector"

// wide is whether the kernels run here.
var wide = vector.Wide()

// multiply writes to upper and lower the products of each of two rows at a with the
// rows at b, as many as upper has elements, a multiple of 4. A row has stride
// elements, a multiple of 8 above 0.
func multiply(a, b []float32, stride int, upper, lower []float32) {
	if !wide || len(upper) == 0 {
		multiplyGo(a, b, stride, upper, lower)
		return
	}
	_, _, _ = a[2*stride-1], b[len(upper)*stride-1], lower[len(upper)-1]
	productsAVX(&a[0], &b[0], 4*stride, len(upper)/4, &upper[0], &lower[0])
}

//go:noescape
func productsAVX(a, b *float32, stride, quads int, upper, lower *float32)

// multiplyBytes writes to sums the products of the words, a multiple of 32, with each
// row of bytes, which is as long.
func multiplyBytes(words []int16, rows []int8, sums []int32) {
	if !wide || len(words) == 0 || len(sums) == 0 {
		multiplyBytesGo(words, rows, sums)
		return
	}
	_ = rows[len(sums)*len(words)-1]
	bytesAVX(&words[0], &rows[0], len(words), len(sums), &sums[0])
}

//go:noescape
func bytesAVX(words *int16, rows *int8, stride, n int, sums *int32)
