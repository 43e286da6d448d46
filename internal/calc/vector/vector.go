// Package vector multiplies rows of float32 as fast as the processor can.
package vector

// Lanes is how many elements are taken at once: rows are padded with zeros to a
// multiple of it.
const Lanes = 16

// Stride returns the number of elements of a padded row of n elements.
func Stride(n int) int { return (n + Lanes - 1) / Lanes * Lanes }

// Products writes to out the products of a query with rows of a matrix: out[i]
// is that with row ids[i]. The query and each row have the same number of
// elements, a multiple of [Lanes], and out has at least as many as ids.
//
// A product is the same to the bit on every processor: eight sums of every
// eighth element, without fused steps, added in a fixed order.
func Products(query, matrix []float32, ids []uint32, out []float32) {
	products(query, matrix, ids, out[:len(ids)])
}

// Dot returns the product of two rows, as [Products] does.
func Dot(a, b []float32) float32 {
	var out [1]float32
	Products(a, b, []uint32{0}, out[:])
	return out[0]
}

// productsGo is Products for processors without a kernel of their own.
func productsGo(query, matrix []float32, ids []uint32, out []float32) {
	for i, id := range ids {
		row := matrix[int(id)*len(query):][:len(query)]
		var s [8]float32
		for k := 0; k+7 < len(query); k += 8 {
			// The conversions forbid fused steps.
			s[0] += float32(query[k] * row[k])
			s[1] += float32(query[k+1] * row[k+1])
			s[2] += float32(query[k+2] * row[k+2])
			s[3] += float32(query[k+3] * row[k+3])
			s[4] += float32(query[k+4] * row[k+4])
			s[5] += float32(query[k+5] * row[k+5])
			s[6] += float32(query[k+6] * row[k+6])
			s[7] += float32(query[k+7] * row[k+7])
		}
		out[i] = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]))
	}
}
