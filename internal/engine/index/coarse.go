package index

import (
	"math"
	"slices"
)

// coarse has rows of a matrix in steps of 8 bits, of which four times as many fit into a
// processor's cache. A walk through a graph ranks by them; what it ends at is ranked by
// the rows themselves.
type coarse struct {
	rows   []int8    // of stride elements
	scales []float32 // by row, the size of its step
}

// mostSteps is how many steps the largest element of a row has.
const mostSteps = math.MaxInt8

// quantise appends a padded row in steps to dst and returns the size of a step.
func quantise[T int8 | int16](dst []T, row []float32) ([]T, float32) {
	var most float32
	for _, x := range row {
		most = max(most, x, -x)
	}
	steps := mostSteps / max(float64(most), tiny)
	n := len(dst)
	dst = slices.Grow(dst, len(row))[:n+len(row)]
	for i, x := range row {
		dst[n+i] = T(math.RoundToEven(float64(x) * steps))
	}
	return dst, most / mostSteps
}

// add appends a padded row.
func (c *coarse) add(row []float32) {
	var scale float32
	c.rows, scale = quantise(c.rows, row)
	c.scales = append(c.scales, scale)
}

// products writes the products of a row in steps with rows, up to the size of its step.
// sums is for its use, as long as ids and out.
func (c *coarse) products(row []int16, ids []uint32, sums []int32, out []float32) {
	if len(ids) == 0 || len(row) == 0 {
		clear(out)
		return
	}
	if hasKernel8 {
		checkRows(len(c.rows)/len(row), ids)
		kernel8(&row[0], &c.rows[0], len(row), &ids[0], len(ids), &sums[:len(ids)][0])
	} else {
		for i, id := range ids {
			sums[i] = sumGo(row, c.rows[int(id)*len(row):])
		}
	}
	for i, id := range ids {
		out[i] = float32(sums[i]) * c.scales[id]
	}
}

// sumGo returns the product of two rows in steps.
func sumGo(a []int16, b []int8) (sum int32) {
	for i, x := range a {
		sum += int32(x) * int32(b[i])
	}
	return sum
}
