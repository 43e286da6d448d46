package index

// lanes is how many sums a product has: rows are padded with zeros to a multiple of it.
const lanes = 32

// stride returns the number of elements of a padded row of n elements.
func stride(n int) int { return (n + lanes - 1) / lanes * lanes }

// tiny is the smallest element of a row that is not 0: products of two are normal
// numbers. MiniLM has an element of some 1e-35 in every vector, and products below
// 1e-38 take a processor ten times as long, without a difference to any sum.
const tiny = 1.0 / (1 << 62)

// Row returns a vector divided by its length as a row of a matrix: padded with zeros,
// without tiny elements.
func Row[F float32 | float64](v []F, length float64) []float32 {
	row := make([]float32, stride(len(v)))
	for i, x := range v {
		if y := float64(x) / length; y >= tiny || y <= -tiny {
			row[i] = float32(y)
		}
	}
	return row
}

// pad returns the row of a vector of length 1.
func pad(v []float32) []float32 {
	return append(v, make([]float32, stride(len(v))-len(v))...)
}

// Products writes the products of a padded row with rows of a matrix of the same
// stride: out[i] is that with row ids[i]. They are the same to the bit on every
// processor, see productGo.
func Products(row, matrix []float32, ids []uint32, out []float32) {
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
	checkRows(len(matrix)/len(row), ids)
	kernel(&row[0], &matrix[0], len(row), &ids[0], len(ids), &out[0])
}

// checkRows panics for a row beyond a matrix, for kernels, which check no bounds.
func checkRows(rows int, ids []uint32) {
	for _, id := range ids {
		if int(id) >= rows {
			panic("index: row beyond the matrix")
		}
	}
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
