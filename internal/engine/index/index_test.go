package index

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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
	var x Growing
	try.Do(t, x.Add([]float32{1, 0}))
	for _, v := range [][]float32{{1}, {float32(math.NaN()), 0}} {
		_, err := x.Search(v, 1)
		if added := x.Add(v); err == nil || added == nil {
			t.Errorf("%v is taken among vectors of two elements: %v, %v", v, added, err)
		}
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

// TestCoarse: sums of products in steps are those of plain Go, also of the largest steps, and
// a step is as small as the largest element allows.
func TestCoarse(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 200 {
		cols, rows := lanes*r.IntN(30), 1+r.IntN(20)
		draw := func() []float32 {
			row := make([]float32, cols)
			for i := range row {
				if row[i] = float32(r.NormFloat64()); n%4 == 0 {
					row[i] = -1
				}
			}
			return row
		}
		var c coarse
		for range rows {
			c.add(draw())
		}
		query := draw()
		row, _ := quantise([]int16(nil), query)
		for i, steps := range row {
			if want := float64(query[i]) * mostSteps / float64(max(slices.Max(query), -slices.Min(query))); math.Abs(float64(steps)-want) > 0.5001 {
				t.Fatalf("%v is %d steps, want %v", query[i], steps, want)
			}
		}
		ids := make([]uint32, r.IntN(30))
		for i := range ids {
			ids[i] = uint32(r.IntN(rows))
		}
		sums, out := make([]int32, len(ids)), make([]float32, len(ids))
		c.products(row, ids, sums, out)
		for i, id := range ids {
			if cols > 0 && out[i] != float32(sumGo(row, c.rows[int(id)*cols:]))*c.scales[id] {
				t.Fatalf("%d elements: product %d is %v, in plain Go %d steps of %v", cols, i, out[i], sumGo(row, c.rows[int(id)*cols:]), c.scales[id])
			}
		}
	}
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

// clustered returns n vectors and queries of their kind: clusters of a hundred
// around centres that lie in twenty groups themselves. A vector differs from its
// centre in 32 directions of its group's own, as embeddings of texts do, whose
// dimension is far below their length, and a little in all.
func clustered(n, queries, cols int, seed uint64) (vectors, asked [][]float32) {
	r := rand.New(rand.NewPCG(seed, 0))
	draw := func() []float32 {
		v := make([]float32, cols)
		for i := range v {
			v[i] = float32(r.NormFloat64() / math.Sqrt(float64(cols)))
		}
		return v
	}
	add := func(to []float32, x float64, v []float32) {
		for i := range to {
			to[i] += float32(x) * v[i]
		}
	}
	const groups, directions = 20, 32
	var spread [groups][directions][]float32
	var middle [groups][]float32
	for g := range groups {
		middle[g] = draw()
		for d := range directions {
			spread[g][d] = draw()
		}
	}
	centres := make([][]float32, max(groups, n/100))
	for c := range centres {
		centres[c] = slices.Clone(middle[c%groups])
		add(centres[c], .8, draw())
	}
	one := func() []float32 {
		c := r.IntN(len(centres))
		v := slices.Clone(centres[c])
		for _, d := range spread[c%groups] {
			add(v, .1*r.NormFloat64(), d)
		}
		add(v, .1, draw())
		return v
	}
	for range n {
		vectors = append(vectors, one())
	}
	for range queries {
		asked = append(asked, one())
	}
	return vectors, asked
}

func mustBuild(tb testing.TB, vectors [][]float32) *HNSW {
	tb.Helper()
	return try.Get(BuildHNSW(vectors, 0))(tb)
}

func mustDense(tb testing.TB, vectors [][]float32) *Dense {
	tb.Helper()
	return try.Get(NewDense(vectors))(tb)
}

type searcher interface {
	Search(query []float32, k int) ([]Hit, error)
}

func mustSearch(tb testing.TB, x searcher, query []float32, k int) []Hit {
	tb.Helper()
	return try.Get(x.Search(query, k))(tb)
}

// recall returns the share of the k nearest texts that an index finds.
func recall(tb testing.TB, x, exact searcher, queries [][]float32, k int) float64 {
	tb.Helper()
	found, all := 0, 0
	for _, q := range queries {
		got := map[int]bool{}
		for _, h := range mustSearch(tb, x, q, k) {
			got[h.Index] = true
		}
		for _, h := range mustSearch(tb, exact, q, k) {
			all++
			if got[h.Index] {
				found++
			}
		}
	}
	return float64(found) / float64(all)
}

// TestHNSWRecall searches for vectors of the kind the index is for.
func TestHNSWRecall(t *testing.T) {
	vectors, queries := clustered(5000, 100, 32, 7)
	exact := mustDense(t, vectors)
	h := mustBuild(t, vectors)
	if got := recall(t, h, exact, queries, 10); got < .995 {
		t.Errorf("recall@10 is %.4f, want at least .995", got)
	}
	if lost := len(vectors) - reached(h); lost > 0 {
		t.Errorf("%d texts are out of reach", lost)
	}
	h.ef = 1
	if got := recall(t, h, exact, queries, 1); got == 1 {
		t.Error("a search that keeps one text finds the nearest each time: the others prove nothing")
	}
}

// reached returns how many nodes can be reached on layer 0.
func reached(h *HNSW) int {
	met := map[uint32]bool{h.entry: true}
	for next := []uint32{h.entry}; len(next) > 0; {
		node := next[len(next)-1]
		next = next[:len(next)-1]
		for _, n := range h.links[node][0] {
			if !met[n] {
				met[n] = true
				next = append(next, n)
			}
		}
	}
	return len(met)
}

// TestHNSWIslands searches among clusters so tight that every member has a
// hundred neighbours in its own before one in another.
func TestHNSWIslands(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	var vectors [][]float32
	for range 20 {
		centre := make([]float32, 32)
		for i := range centre {
			centre[i] = float32(r.NormFloat64())
		}
		for range 100 {
			v := slices.Clone(centre)
			for i := range v {
				v[i] += float32(.02 * r.NormFloat64())
			}
			vectors = append(vectors, v)
		}
	}
	h := mustBuild(t, vectors)
	if got := reached(h); got != len(vectors) {
		t.Errorf("%d of %d texts can be reached", got, len(vectors))
	}
	if got := recall(t, h, mustDense(t, vectors), vectors[:400], 10); got < .99 {
		t.Errorf("recall@10 is %.4f", got)
	}
}

// TestHNSWTwins has more texts with one vector than a node has neighbours.
func TestHNSWTwins(t *testing.T) {
	vectors, queries := clustered(1000, 20, 16, 9)
	for i := range 500 {
		vectors[2*i] = vectors[0]
	}
	h := mustBuild(t, vectors)
	if got := recall(t, h, mustDense(t, vectors), queries, 10); got < .99 {
		t.Errorf("recall@10 is %.4f", got)
	}
	hits := mustSearch(t, h, vectors[0], 600)
	for i := range 500 {
		if hits[i].Index != 2*i || hits[i].Score < .9999 {
			t.Fatalf("hit %d is %v, want text %d", i, hits[i], 2*i)
		}
	}
}

func TestHNSWIsSeeded(t *testing.T) {
	vectors, _ := clustered(400, 20, 32, 5)
	build := func(seed uint64) *HNSW { return try.Get(BuildHNSW(vectors, seed))(t) }
	one, again, other := build(1), build(1), build(2)
	if diff := gocmp.Diff(one.links, again.links); diff != "" {
		t.Errorf("built twice (-first +second):\n%s", diff)
	}
	if gocmp.Equal(one.links, other.links) {
		t.Error("another seed gives the same layers")
	}
}

// TestHNSWSmall is exact, and gives what Dense gives, below efSearch.
func TestHNSWSmall(t *testing.T) {
	vectors := [][]float32{{0, 2}, {3, 0}, {1, 1}, {0, 0}, {0, -1}, {0, 7}, {0, 0}}
	h, d := mustBuild(t, vectors), mustDense(t, vectors)
	for _, query := range [][]float32{{0, 5}, {1, 0}, {0, 0}, {-1, -1}} {
		for _, k := range []int{0, 1, 4, 7, 100} {
			if diff := gocmp.Diff(mustSearch(t, d, query, k), mustSearch(t, h, query, k), approx); diff != "" {
				t.Errorf("%v, %d (-dense +hnsw):\n%s", query, k, diff)
			}
		}
	}
	if hits := mustSearch(t, mustBuild(t, nil), []float32{1}, 3); hits != nil {
		t.Errorf("empty index: %v", hits)
	}
	if hits := mustSearch(t, mustBuild(t, [][]float32{{}, {}}), nil, 3); len(hits) != 2 {
		t.Errorf("vectors without elements: %v", hits)
	}
}

func TestHNSWFaults(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for name, c := range map[string]struct {
		vectors [][]float32
		want    string
	}{
		"uneven":     {[][]float32{{1}, {1, 2}}, "vector 1 has 2 elements, the first has 1"},
		"not finite": {[][]float32{{1}, {nan}}, "vector 1: an element is not finite"},
		"infinite":   {[][]float32{{inf}}, "vector 0: an element is not finite"},
	} {
		if _, err := BuildHNSW(c.vectors, 0); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	h := mustBuild(t, [][]float32{{1, 0}})
	for _, v := range [][]float32{{1}, {nan, 1}, nil} {
		if _, err := h.Search(v, 1); err == nil {
			t.Errorf("%v is searched", v)
		}
	}
}

// BenchmarkNearest times searches for the 10 nearest of vectors in a folder, by their
// median; scripts/real/nearest.py runs it beside FAISS.
func BenchmarkNearest(b *testing.B) {
	folder := os.Getenv("BENCH_VECTORS")
	if folder == "" {
		b.Skip("BENCH_VECTORS names no folder of vectors")
	}
	texts, queries := readVectors(b, filepath.Join(folder, "texts.f32")), readVectors(b, filepath.Join(folder, "queries.f32"))
	for _, n := range []int{500, 5000, 20000} {
		exact := mustDense(b, texts[:n])
		b.Run(fmt.Sprintf("exact/%d", n), func(b *testing.B) { timeSearches(b, exact, queries) })
	}
	for _, n := range []int{5000, 20000} {
		var graph *HNSW
		for _, ef := range []int{16, 32, 64, 128, 256} {
			b.Run(fmt.Sprintf("graph/%d/%d", n, ef), func(b *testing.B) {
				if graph == nil {
					graph = mustBuild(b, texts[:n])
				}
				graph.ef = ef
				timeSearches(b, graph, queries)
				b.ReportMetric(recall(b, graph, mustDense(b, texts[:n]), queries, 10), "recall@10")
			})
		}
	}
}

func timeSearches(b *testing.B, x searcher, queries [][]float32) {
	b.Helper()
	var took []time.Duration
	for b.Loop() {
		for _, q := range queries {
			start := time.Now()
			mustSearch(b, x, q, 10)
			took = append(took, time.Since(start))
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "median-ns")
}

// readVectors reads vectors of 384 float32, as MiniLM makes them.
func readVectors(b *testing.B, path string) (vectors [][]float32) {
	b.Helper()
	data := try.Get(os.ReadFile(path))(b)
	for row := range slices.Chunk(data, 4*384) {
		v := make([]float32, 384)
		for i := range v {
			v[i] = math.Float32frombits(binary.LittleEndian.Uint32(row[4*i:]))
		}
		vectors = append(vectors, v)
	}
	return vectors
}
