//go:build !amd64

package themes

// multiply writes to upper and lower the products of each of two rows at a with the
// rows at b, as many as upper has elements, a multiple of 4. A row has stride
// elements, a multiple of 8 above 0.
func multiply(a, b []float32, stride int, upper, lower []float32) {
	multiplyGo(a, b, stride, upper, lower)
}

// multiplyBytes writes to sums the products of the words, a multiple of 32, with each
// row of bytes, which is as long.
func multiplyBytes(words []int16, rows []int8, sums []int32) {
	multiplyBytesGo(words, rows, sums)
}
