package themes

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"recallbench/internal/testkit/try"
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
		x := try.Get(NewIndex(vectors))(t)
		got := try.Get(x.Search(query, k))(t)
		all := try.Get(newSpace(append(slices.Clone(vectors), query)))(t)
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
	empty := try.Get(NewIndex(nil))(t)
	if got, err := empty.Search([]float32{1}, 3); err != nil || len(got.Nearest) > 0 {
		t.Errorf("empty index: %v, %v", got, err)
	}
	x := try.Get(NewIndex([][]float32{{1, 0}, {0, 0}}))(t)
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
