package index

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestProducts compares products to the bit with those of plain Go, which every
// processor computes alike, for rows of any length and elements of any size.
func TestProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for range 300 {
		cols, rows := r.IntN(400), 1+r.IntN(20)
		draw := func() []float32 {
			v := make([]float32, cols)
			for i := range v {
				switch r.IntN(20) {
				case 0:
					v[i] = float32(math.Copysign(0, -1))
				case 1:
					v[i] = math.SmallestNonzeroFloat32 * float32(r.IntN(1000))
				default:
					v[i] = float32(r.NormFloat64() * math.Pow(10, float64(r.IntN(8)-4)))
				}
			}
			return pad(v)
		}
		row, matrix := draw(), []float32{}
		for range rows {
			matrix = append(matrix, draw()...)
		}
		ids := make([]uint32, r.IntN(30))
		for i := range ids {
			ids[i] = uint32(r.IntN(rows))
		}
		out := make([]float32, len(ids)+3)
		Products(row, matrix, ids, out)
		for i, id := range ids {
			var want float32
			if len(row) > 0 {
				want = productGo(row, matrix[int(id)*len(row):])
			}
			if math.Float32bits(out[i]) != math.Float32bits(want) {
				t.Fatalf("%d elements: product %d is %x, in plain Go %x", cols, i, math.Float32bits(out[i]), math.Float32bits(want))
			}
		}
		if out[len(ids)] != 0 {
			t.Fatal("more is written than was asked for")
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a row beyond the matrix is read")
		}
	}()
	Products(make([]float32, lanes), make([]float32, 3*lanes), []uint32{3}, make([]float32, 1))
}

// No two elements of unit vectors have a product that is below the normal numbers, such
// as those of the dimension that MiniLM leaves empty.
func TestTiny(t *testing.T) {
	v, err := normalise([]float32{3, 0, 1e-35, -4, -1e-35, 5e-18, -5e-18})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float32{.6, 0, 0, -.8, 0, 1e-18, -1e-18} {
		if math.Abs(float64(v[i]-want)) > 1e-6*math.Abs(float64(want)) {
			t.Errorf("element %d is %g, want %g", i, v[i], want)
		}
	}
	if x := float32(tiny); x*x < 0x1p-126 {
		t.Errorf("the product of the smallest elements is %g", x*x)
	}
}
