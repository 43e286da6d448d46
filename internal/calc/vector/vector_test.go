package vector

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestKernel holds the kernel of this processor to the bits of the one in Go,
// and both to a sum in float64.
func TestKernel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stride := Stride(rapid.IntRange(0, 400).Draw(t, "elements"))
		rows := rapid.IntRange(1, 9).Draw(t, "rows")
		ids := rapid.SliceOfN(rapid.Uint32Range(0, uint32(rows-1)), 0, 14).Draw(t, "ids")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		draw := func(n int) []float32 {
			v := make([]float32, n)
			for i := range v {
				v[i] = float32(r.NormFloat64())
			}
			return v
		}
		query, matrix := draw(stride), draw(rows*stride)
		got, want := make([]float32, len(ids)), make([]float32, len(ids))
		Products(query, matrix, ids, got)
		productsGo(query, matrix, ids, want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("stride %d (-want +got):\n%s", stride, diff)
		}
		for i, id := range ids {
			var exact float64
			for k, q := range query {
				exact += float64(q) * float64(matrix[int(id)*stride+k])
			}
			if math.Abs(float64(got[i])-exact) > 1e-3 {
				t.Fatalf("row %d: %v, want %v", id, got[i], exact)
			}
			if one := Dot(query, matrix[int(id)*stride:][:stride]); one != got[i] {
				t.Fatalf("row %d alone: %v, together %v", id, one, got[i])
			}
		}
	})
}

// TestBounds: no row is read that is not there.
func TestBounds(t *testing.T) {
	for _, ids := range [][]uint32{{2}, {0, 1, 0, math.MaxUint32}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("rows %v of 2 are multiplied", ids)
				}
			}()
			Products(make([]float32, Lanes), make([]float32, 2*Lanes), ids, make([]float32, len(ids)))
		}()
	}
}

func BenchmarkProducts(b *testing.B) {
	const stride, rows = 384, 50_000
	r := rand.New(rand.NewPCG(1, 1))
	matrix := make([]float32, stride*rows)
	for i := range matrix {
		matrix[i] = r.Float32()
	}
	ids, out := make([]uint32, 32), make([]float32, 32)
	for _, c := range []struct {
		name string
		rows uint32
	}{{"in cache", 64}, {"all over memory", rows}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(stride * 4 * int64(len(ids)))
			for b.Loop() {
				for i := range ids {
					ids[i] = r.Uint32N(c.rows)
				}
				Products(matrix[:stride], matrix, ids, out)
			}
		})
	}
}
