//go:build !amd64

package themes

// dots2x4 writes to out the products of each of two rows at a with each of
// four rows at b. A row has stride elements, a multiple of 8.
func dots2x4(a, b []float32, stride int, out *[8]float32) {
	dots2x4Go(a, b, stride, out)
}
