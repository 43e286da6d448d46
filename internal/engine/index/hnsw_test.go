package index

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"recallbench/internal/testkit/try"
)

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
