//go:build !amd64

package vector

func products(query, matrix []float32, ids []uint32, out []float32) {
	productsGo(query, matrix, ids, out)
}
