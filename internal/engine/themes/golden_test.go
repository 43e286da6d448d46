package themes

import (
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"recallbench/internal/testkit/try"
)

// corners are the themes of the objective's golden values.
var corners = [][][]float32{
	{{1, 0}, {.8, .6}},
	{{0, 1}},
	{{.6, .8}, {.6, .8}, {0, 1}},
	{{-1, 0}},
	{{-.6, .8}, {-.8, .6}},
}

// TestObjective compares with values of the released code.
func TestObjective(t *testing.T) {
	check := func(themes [][][]float32, want float64) {
		t.Helper()
		var vectors [][]float32
		var partition [][]int
		for _, each := range themes {
			var members []int
			for _, v := range each {
				members = append(members, len(vectors))
				vectors = append(vectors, v)
			}
			partition = append(partition, members)
		}
		s := try.Get(newSpace(vectors))(t)
		parts := make([]*theme, len(partition))
		for k, members := range partition {
			parts[k] = s.newTheme(k, members)
		}
		got := s.score(parts)
		if math.Abs(got-want) > 1e-10 {
			t.Errorf("%d themes: %.10f, want %.10f", len(themes), got, want)
		}
	}
	check(nil, 0)
	for k, want := range []float64{1.9486832850, 1.8743416374, 1.5086499864, 1.2568873683, 1.3657026291} {
		check(corners[:k+1], want)
	}
	joined := slices.Concat(corners[2], corners[1])
	check([][][]float32{corners[0], joined, corners[3], corners[4]}, 1.3994442065)
}

// generated returns the vectors of the golden partitions: n items around
// topics, from one stream of a linear congruential generator.
func generated(n, dim, topics int, noise float64, seed uint32) [][]float32 {
	next := func() float64 {
		seed = seed*1664525 + 1013904223
		return float64(seed)/(1<<32) - .5
	}
	unit := func(v []float64) []float64 {
		length := math.Sqrt(dot(v, v))
		for i := range v {
			v[i] /= length
		}
		return v
	}
	draw := func() []float64 {
		v := make([]float64, dim)
		for i := range v {
			v[i] = next()
		}
		return v
	}
	centres := make([][]float64, topics)
	for i := range centres {
		centres[i] = unit(draw())
	}
	vectors := make([][]float32, n)
	for i := range vectors {
		v := draw()
		for j, c := range centres[i%topics] {
			v[j] = c + noise*v[j]
		}
		for _, x := range unit(v) {
			vectors[i] = append(vectors[i], float32(x))
		}
	}
	return vectors
}

// digest is the short name of a partition in the golden values.
func digest(h *Hierarchy) string {
	lists := [][]string{}
	for _, t := range h.Themes {
		list := []string{}
		for _, i := range t.Members {
			list = append(list, fmt.Sprintf("s%03d", i))
		}
		slices.Sort(list)
		lists = append(lists, list)
	}
	slices.SortFunc(lists, slices.Compare)
	text, _ := json.Marshal(lists)
	sum := sha1.Sum(text)
	return hex.EncodeToString(sum[:])[:12]
}

// TestGrown has a theme of one semantic that another joins before its own turn in the
// sweep, and that then joins a third at 0.99, as in the released code.
func TestGrown(t *testing.T) {
	h := try.Get(Build(generated(140, 8, 9, .6, 24), nil, Defaults()))(t)
	if got := slices.Sorted(slices.Values(h.Themes[h.ThemeOf[15]].Members)); !slices.Equal(got, []int{15, 16, 114, 115}) {
		t.Errorf("the theme has %v, want 15, 16, 114 and 115", got)
	}
}

// TestPartitions compares with partitions of the released code. That for cap 8
// also depends on the order in which components are searched and on the number
// of themes that the objective looks at.
func TestPartitions(t *testing.T) {
	vectors := generated(60, 8, 6, .6, 7)
	for _, want := range []struct {
		cap, themes int
		digest      string
	}{
		{8, 12, "b7bb30bf4f00"},
		{10, 7, "b97a120729d2"},
		{12, 6, "59d468d8f886"},
		{14, 6, "59d468d8f886"},
	} {
		o := Defaults()
		o.Cap = want.cap
		h := try.Get(Build(vectors, nil, o))(t)
		if got := digest(h); got != want.digest || len(h.Themes) != want.themes {
			t.Errorf("cap %d: %d themes, %s, want %d, %s; %+v", want.cap, len(h.Themes), got, want.themes, want.digest, h.Stats)
		}
	}
}
