package index

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"recallbench/internal/door/embed"
	"recallbench/internal/testkit/try"
)

var approx = cmpopts.EquateApprox(0, 1e-6)

func TestDense(t *testing.T) {
	d := try.Get(NewDense([][]float32{{0, 2}, {3, 0}, {1, 1}, {0, 0}, {0, -1}}))(t)
	got := try.Get(d.Search([]float32{0, 5}, 4))(t)
	want := []Hit{{0, 1}, {2, math.Sqrt2 / 2}, {1, 0}, {3, 0}}
	if diff := gocmp.Diff(want, got, approx); diff != "" {
		t.Errorf("Search (-want +got):\n%s", diff)
	}
}

func TestDenseFaults(t *testing.T) {
	if _, err := NewDense([][]float32{{1}, {1, 2}}); err == nil || !strings.Contains(err.Error(), "vector 1 has 2 elements") {
		t.Errorf("uneven vectors: %v", err)
	}
	if _, err := NewDense([][]float32{{float32(math.NaN())}}); err == nil {
		t.Error("NaN is accepted")
	}
	d := try.Get(NewDense([][]float32{{1, 0}}))(t)
	if err := d.Add([][]float32{{1}}); err == nil || !strings.Contains(err.Error(), "vector 1 has 1 elements") {
		t.Errorf("a short vector: %v", err)
	}
	if _, err := d.Search([]float32{1}, 1); err == nil {
		t.Error("a query of another length is accepted")
	}
	if hits, err := (&Dense{}).Search([]float32{1}, 1); err != nil || hits != nil {
		t.Errorf("empty index: %v, %v", hits, err)
	}
}

func TestBM25(t *testing.T) {
	x := NewBM25([]string{"the cat sat", "the dog sat on the cat", "birds fly"}, 1.2, 0.75)
	got := x.Search("Cats!", 10)
	// By hand: N=3, df=2, idf = ln(1 + 1.5/2.5); lengths 3, 6, 2, mean 11/3.
	idf := math.Log(1.6)
	score := func(length float64) float64 {
		return idf * 2.2 / (1 + 1.2*(0.25+0.75*length/(11.0/3)))
	}
	want := []Hit{{0, score(3)}, {1, score(6)}}
	if diff := gocmp.Diff(want, got, approx); diff != "" {
		t.Errorf("Search (-want +got):\n%s", diff)
	}
	if got := NewBM25(nil, 1.2, 0.75).Search("cat", 3); len(got) != 0 {
		t.Errorf("empty index gives %v", got)
	}
	if got := NewBM25([]string{"", ""}, 1.2, 0.75).Search("cat", 3); len(got) != 0 {
		t.Errorf("empty texts give %v", got)
	}
}

func TestTerms(t *testing.T) {
	got := Terms("Running, she's 'running' — Zoë’s 2 CATS")
	want := []string{"run", "she", "run", "zoë", "2", "cat"}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("Terms (-want +got):\n%s", diff)
	}
}

func TestFuse(t *testing.T) {
	got := Fuse(60, 3, []Hit{{7, 0.9}, {2, 0.8}}, []Hit{{2, 5}, {1, 4}})
	want := []Hit{{2, 1.0/62 + 1.0/61}, {7, 1.0 / 61}, {1, 1.0 / 62}}
	if diff := gocmp.Diff(want, got, approx); diff != "" {
		t.Errorf("Fuse (-want +got):\n%s", diff)
	}
}

// TestAbove compares with looking at every text.
func TestAbove(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 100 {
		cols, least := 1+random.IntN(300), random.Float64()*1.2-0.2
		var x Growing
		var vectors [][]float32
		for range random.IntN(40) {
			v := make([]float32, cols)
			for i := range v {
				v[i] = float32(random.NormFloat64())
			}
			if len(vectors) > 0 && random.IntN(2) == 0 { // near another one
				for i, y := range vectors[random.IntN(len(vectors))] {
					v[i] = y + v[i]/3
				}
			}
			if random.IntN(10) == 0 {
				clear(v)
			}
			vectors = append(vectors, v)
			try.Do(t, x.Add(v))
		}
		if len(vectors) == 0 {
			continue
		}
		query := vectors[random.IntN(len(vectors))]
		var want []Hit
		for i, v := range vectors {
			if c := embed.Cosine(query, v); c >= least {
				want = append(want, Hit{i, c})
			}
		}
		slices.SortStableFunc(want, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
		got := Above(try.Get(x.Search(query, 5))(t), least)
		if want = want[:min(5, len(want))]; len(got) != len(want) {
			t.Fatalf("%d found, want %d", len(got), len(want))
		}
		for i := range want {
			if math.Abs(got[i].Score-want[i].Score) > 1e-6 {
				t.Fatalf("found %v, want %v", got, want)
			}
		}
	}
}

func TestGrowingFaults(t *testing.T) {
	var x Growing
	try.Do(t, x.Add([]float32{1, 0}))
	for _, v := range [][]float32{{1}, {float32(math.NaN()), 0}} {
		if err := x.Add(v); err == nil {
			t.Errorf("%v is added to vectors of two elements", v)
		}
		if _, err := x.Search(v, 1); err == nil {
			t.Errorf("%v is looked for among vectors of two elements", v)
		}
	}
}

// TestDenseSearch compares a search with all cosines in order, for few and many hits, of
// which many are equal.
func TestDenseSearch(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	vectors := make([][]float32, 3*passRows+5)
	for i := range vectors {
		vectors[i] = make([]float32, 20)
		for j := range vectors[i] {
			vectors[i][j] = float32(random.IntN(3) - 1)
		}
		if i%3 == 0 && i > 0 {
			vectors[i] = vectors[random.IntN(i)]
		}
	}
	d := new(Dense)
	try.Do(t, d.Add(vectors[:passRows+7]))
	try.Do(t, d.Add(vectors[passRows+7:]))
	for _, query := range append(vectors[:20:20], make([]float32, 20)) {
		cosines := try.Get(d.Cosines(query))(t)
		var all []Hit
		for i, c := range cosines {
			all = append(all, Hit{i, c})
		}
		slices.SortFunc(all, bestFirst)
		for _, k := range []int{-1, 0, 1, 2, 20, fewHits, fewHits + 1, len(all), len(all) + 9} {
			want := all[:max(0, min(k, len(all)))]
			if diff := gocmp.Diff(want, try.Get(d.Search(query, k))(t), cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("the best %d (-want +got):\n%s", k, diff)
			}
		}
	}
}

// TestCosines compares cosines with those of two vectors, of texts that came in two
// parts and of rows that are mostly 0 too.
func TestCosines(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		cols := 1 + random.IntN(300)
		vectors := make([][]float32, 1+random.IntN(40))
		for i := range vectors {
			vectors[i] = make([]float32, cols)
			for range cols / 10 {
				vectors[i][random.IntN(cols)] = float32(random.NormFloat64())
			}
		}
		query := make([]float32, cols)
		for i := range query {
			query[i] = float32(random.NormFloat64())
		}
		d := try.Get(NewDense(vectors[:len(vectors)/2]))(t)
		try.Do(t, d.Add(vectors[len(vectors)/2:]))
		got := try.Get(d.Cosines(query))(t)
		for i, v := range vectors {
			if want := embed.Cosine(query, v); math.Abs(got[i]-want) > 1e-6 {
				t.Fatalf("cosine %d is %v, want %v", i, got[i], want)
			}
		}
	}
}

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
