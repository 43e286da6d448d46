package index

// lanes is how many sums a product has: rows are padded with zeros to a multiple of it.
const lanes = 32

// stride returns the number of elements of a padded row of n elements.
func stride(n int) int { return (n + lanes - 1) / lanes * lanes }

// pad returns the row of a vector.
func pad(v []float32) []float32 {
	return append(v, make([]float32, stride(len(v))-len(v))...)
}

// products writes the products of a padded row with rows of a matrix of the same
// stride: out[i] is that with row ids[i]. They are the same to the bit on every
// processor, see productGo.
func products(row, matrix []float32, ids []uint32, out []float32) {
	out = out[:len(ids)]
	if len(ids) == 0 || len(row) == 0 {
		clear(out)
		return
	}
	if !hasKernel {
		for i, id := range ids {
			out[i] = productGo(row, matrix[int(id)*len(row):])
		}
		return
	}
	// The kernel checks no bounds, so all are checked here.
	rows := uint32(len(matrix) / len(row))
	for _, id := range ids {
		if id >= rows {
			panic("index: row beyond the matrix")
		}
	}
	kernel(&row[0], &matrix[0], len(row), &ids[0], len(ids), &out[0])
}

// productGo returns the product of two padded rows: sums of every 32nd element, without
// fused steps, added by halves.
func productGo(a, b []float32) float32 {
	var s [lanes]float32
	b = b[:len(a)]
	for part := 0; part < lanes; part += 8 { // eight sums at a time stay in registers
		var t [8]float32
		for k := part; k+7 < len(a); k += lanes {
			// The conversions forbid fused steps.
			t[0] += float32(a[k] * b[k])
			t[1] += float32(a[k+1] * b[k+1])
			t[2] += float32(a[k+2] * b[k+2])
			t[3] += float32(a[k+3] * b[k+3])
			t[4] += float32(a[k+4] * b[k+4])
			t[5] += float32(a[k+5] * b[k+5])
			t[6] += float32(a[k+6] * b[k+6])
			t[7] += float32(a[k+7] * b[k+7])
		}
		copy(s[part:], t[:])
	}
	for half := lanes / 2; half > 0; half /= 2 {
		for i := range half {
			s[i] += s[i+half]
		}
	}
	return s[0]
}
