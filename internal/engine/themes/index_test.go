package themes

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestIndexIsPlain compares with a sort of all cosines.
func TestIndexIsPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vectors := drawn(t, 100)
		if len(vectors) == 0 {
			return
		}
		query := vectors[rapid.IntRange(0, len(vectors)-1).Draw(t, "query")]
		k := rapid.IntRange(1, 50).Draw(t, "k")
		x, err := NewIndex(vectors)
		if err != nil {
			t.Fatal(err)
		}
		got, err := x.Search(query, k)
		if err != nil {
			t.Fatal(err)
		}
		all, err := newSpace(append(slices.Clone(vectors), query))
		if err != nil {
			t.Fatal(err)
		}
		var list []Neighbour
		for i := range vectors {
			list = append(list, Neighbour{i, all.similarity(len(vectors), i)})
		}
		slices.SortStableFunc(list, nearestFirst)
		want := Ranking{list[:min(k, len(list))], list[len(list)-1].Similarity, list[0].Similarity}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

func TestIndexEdges(t *testing.T) {
	empty, err := NewIndex(nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := empty.Search([]float32{1}, 3); err != nil || len(got.Nearest) > 0 {
		t.Errorf("empty index: %v, %v", got, err)
	}
	x, err := NewIndex([][]float32{{1, 0}, {0, 0}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x.Search([]float32{1}, 3); err == nil || !strings.Contains(err.Error(), "the query has 1 elements, the vectors have 2") {
		t.Errorf("short query: %v", err)
	}
	if _, err := x.Search([]float32{1, float32(math.NaN())}, 3); err == nil {
		t.Error("NaN is accepted")
	}
	if _, err := NewIndex([][]float32{{1}, {1, 2}}); err == nil {
		t.Error("uneven vectors are accepted")
	}
}

// TestKernels compares the kernels of this processor with those in Go.
func TestKernels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stride := 8 * rapid.IntRange(1, 40).Draw(t, "stride")
		quads := rapid.IntRange(0, 5).Draw(t, "quads")
		m := generated(2+4*quads, stride, 3, 1, rapid.Uint32().Draw(t, "seed"))
		a, b := slices.Concat(m[:2]...), slices.Concat(m[2:]...)
		var got, want [2][]float32
		for i := range 2 {
			got[i], want[i] = make([]float32, 4*quads), make([]float32, 4*quads)
		}
		multiply(a, b, stride, got[0], got[1])
		multiplyGo(a, b, stride, want[0], want[1])
		for i := range 2 {
			for j := range want[i] {
				if math.Abs(float64(got[i][j]-want[i][j])) > 1e-5 {
					t.Fatalf("product %d, %d: %v, want %v", i, j, got[i][j], want[i][j])
				}
			}
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		words := make([]int16, 32*rapid.IntRange(1, 6).Draw(t, "words"))
		for i := range words {
			words[i] = rapid.Int16().Draw(t, "word")
		}
		got := make([]int32, rapid.IntRange(0, 5).Draw(t, "rows"))
		rows := make([]int8, len(got)*len(words))
		for i := range rows {
			rows[i] = rapid.Int8().Draw(t, "byte")
		}
		want := make([]int32, len(got))
		multiplyBytes(words, rows, got)
		multiplyBytesGo(words, rows, want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}
