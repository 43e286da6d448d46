package vector

func products(query, matrix []float32, ids []uint32, out []float32) {
	stride := len(query)
	if !wide || stride == 0 || len(ids) == 0 {
		productsGo(query, matrix, ids, out)
		return
	}
	// The kernel checks no bounds, so all are checked here.
	rows := uint32(len(matrix) / stride)
	for _, id := range ids {
		if id >= rows {
			panic("vector: row beyond the matrix")
		}
	}
	whole := len(ids) / 4
	if whole > 0 {
		productsAVX(&query[0], &matrix[0], 4*stride, &ids[0], whole, &out[0])
	}
	if rest := ids[4*whole:]; len(rest) > 0 {
		last := rest[len(rest)-1]
		quad, sums := [4]uint32{last, last, last, last}, [4]float32{}
		copy(quad[:], rest)
		productsAVX(&query[0], &matrix[0], 4*stride, &quad[0], 1, &sums[0])
		copy(out[4*whole:], sums[:])
	}
}

//go:noescape
func productsAVX(query, matrix *float32, stride int, ids *uint32, quads int, out *float32)
