package themes

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"recallbench/internal/testkit/try"
)

// drawn returns vectors of few directions with noise, and some that are equal
// or zero, so that all steps of a construction are met.
func drawn(t *rapid.T, most int) [][]float32 {
	n := rapid.IntRange(0, most).Draw(t, "n")
	dim := rapid.IntRange(1, 20).Draw(t, "dim")
	topics := rapid.IntRange(1, 12).Draw(t, "topics")
	noise := rapid.SampledFrom([]float64{0, .2, .6, 1, 2}).Draw(t, "noise")
	vectors := generated(n, dim, topics, noise, rapid.Uint32().Draw(t, "seed"))
	for i := range vectors {
		switch rapid.IntRange(0, 20).Draw(t, "kind") {
		case 0:
			vectors[i] = make([]float32, dim)
		case 1, 2:
			vectors[i] = slices.Clone(vectors[rapid.IntRange(0, i).Draw(t, "twin")])
		case 3:
			for j := range vectors[i] {
				vectors[i][j] *= 1e5
			}
		}
	}
	return vectors
}

func drawnOptions(t *rapid.T, profile Profile) Options {
	o := Defaults()
	o.Profile = profile
	o.Cap = rapid.IntRange(1, 14).Draw(t, "cap")
	o.Split = rapid.IntRange(0, 3).Draw(t, "split") > 0
	o.Merge = rapid.IntRange(0, 3).Draw(t, "merge") > 0
	o.Context = rapid.IntRange(0, 12).Draw(t, "context")
	o.Neighbours = rapid.IntRange(0, 12).Draw(t, "neighbours")
	o.AttachFloor = rapid.SampledFrom([]float64{.52, .3, -1}).Draw(t, "floor")
	o.MergePasses = rapid.IntRange(0, 4).Draw(t, "passes")
	o.CoalesceAt = rapid.SampledFrom([]float64{.5, .9, -1}).Draw(t, "coalesce")
	return o
}

func drawnBatches(t *rapid.T, n int) []int {
	batches := []int{}
	for n > 0 {
		size := rapid.IntRange(0, min(n, 9)).Draw(t, "batch")
		batches = append(batches, size)
		n -= size
	}
	return batches
}

// TestIsPlain compares with the reference: what is skipped changes nothing.
func TestIsPlain(t *testing.T) {
	for _, profile := range []Profile{Released, Paper} {
		t.Run(string(profile), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				vectors := drawn(t, 50)
				o := drawnOptions(t, profile)
				checkHierarchy(t, comparePlainly(t, vectors, drawnBatches(t, len(vectors)), o), len(vectors), o)
			})
		})
	}
}

// TestIsPlainWhenLarge has more themes than a list of nearest ones holds.
func TestIsPlainWhenLarge(t *testing.T) {
	for _, c := range []struct {
		profile   Profile
		n, topics int
	}{
		{Released, 400, 60},
		{Paper, 140, 50},
	} {
		batches := slices.Repeat([]int{10}, c.n/10)
		o := Defaults()
		o.Profile = c.profile
		comparePlainly(t, generated(c.n, 12, c.topics, .9, 3), batches, o)
	}
}

func comparePlainly(t rapid.TB, vectors [][]float32, batches []int, o Options) *Hierarchy {
	got := try.Get(Build(vectors, batches, o))(t)
	var want *plain
	if o.Profile == Released {
		want = plainReleased(vectors, o)
	} else {
		want = plainPaper(vectors, batches, o)
	}
	if diff := cmp.Diff(want.stats, got.Stats); diff != "" {
		t.Fatalf("stats (-want +got):\n%s", diff)
	}
	reassigned := 0
	var themes []Theme
	for _, w := range want.themes {
		themes = append(themes, Theme{ID: w.id, Members: w.members, Centroid: w.centroid})
		for _, i := range w.members {
			if want.first[i] != w.id {
				reassigned++
			}
		}
	}
	if diff := cmp.Diff(themes, got.Themes, cmpopts.IgnoreFields(Theme{}, "Neighbours")); diff != "" {
		t.Fatalf("themes (-want +got):\n%s", diff)
	}
	if reassigned != got.Reassigned {
		t.Fatalf("%d reassigned, want %d", got.Reassigned, reassigned)
	}
	if diff := cmp.Diff(plainGraph(want.space, batches, o.Neighbours), got.Neighbours, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("graph of semantics (-want +got):\n%s", diff)
	}
	want.o.Context = o.Neighbours
	for i, w := range want.themes {
		var list []Neighbour
		for _, near := range want.nearest(w) {
			if s := between(w, near); s > 0 {
				list = append(list, Neighbour{slices.Index(want.themes, near), s})
			}
		}
		if diff := cmp.Diff(list, got.Themes[i].Neighbours, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("neighbours of theme %d (-want +got):\n%s", i, diff)
		}
	}
	return got
}

// checkHierarchy checks what is true of any hierarchy.
func checkHierarchy(t *rapid.T, h *Hierarchy, n int, o Options) {
	seen := make([]int, n)
	last := -1
	for i, theme := range h.Themes {
		if theme.ID <= last {
			t.Fatalf("theme %d has id %d after %d", i, theme.ID, last)
		}
		last = theme.ID
		if len(theme.Members) == 0 || o.Split && len(theme.Members) > o.Cap {
			t.Fatalf("theme %d has %d members, the cap is %d", i, len(theme.Members), o.Cap)
		}
		for _, m := range theme.Members {
			seen[m]++
			if h.ThemeOf[m] != i {
				t.Fatalf("semantic %d is in theme %d, and ThemeOf says %d", m, i, h.ThemeOf[m])
			}
		}
		for _, x := range theme.Centroid {
			if math.IsNaN(x) {
				t.Fatalf("theme %d has centroid %v", i, theme.Centroid)
			}
		}
		checkEdges(t, theme.Neighbours, i, len(h.Themes), o.Neighbours)
	}
	for m, times := range seen {
		if times != 1 {
			t.Fatalf("semantic %d is in %d themes", m, times)
		}
	}
	if len(h.Neighbours) != n || len(h.ThemeOf) != n {
		t.Fatalf("%d lists and %d themes for %d semantics", len(h.Neighbours), len(h.ThemeOf), n)
	}
	for i, list := range h.Neighbours {
		checkEdges(t, list, i, n, o.Neighbours)
	}
	if h.Reassigned < 0 || h.Reassigned > n || !o.Split && !o.Merge && h.Reassigned > 0 {
		t.Fatalf("%d of %d reassigned", h.Reassigned, n)
	}
}

func checkEdges(t *rapid.T, list []Neighbour, from, n, most int) {
	if len(list) > most {
		t.Fatalf("%d edges, want at most %d", len(list), most)
	}
	for i, e := range list {
		if e.Index < 0 || e.Index >= n || e.Index == from || !(e.Similarity > 0) || e.Similarity > 1.001 {
			t.Fatalf("node %d has the edge %v", from, e)
		}
		if i > 0 && nearestFirst(list[i-1], e) >= 0 {
			t.Fatalf("edges out of order: %v", list)
		}
	}
}

func TestBuildFaults(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, c := range []struct {
		name    string
		vectors [][]float32
		batches []int
		want    string
	}{
		{"unequal", [][]float32{{1, 2}, {1}}, nil, "vector 1 has 1 elements, the first has 2"},
		{"infinite", [][]float32{{1}, {inf}}, nil, "vector 1 is not finite"},
		{"NaN", [][]float32{{nan}}, nil, "vector 0 is not finite"},
		{"too long", [][]float32{{math.MaxFloat32, math.MaxFloat32}}, nil, "too long for float32"},
		{"few", [][]float32{{1}, {1}}, []int{1}, "the batches have 1 semantics, but there are 2 vectors"},
		{"many", [][]float32{{1}}, []int{1, 2}, "batch 1 holds 2 semantics, want 0 to 0"},
		{"negative", [][]float32{{1}}, []int{-1, 2}, "batch 0 holds -1 semantics"},
	} {
		if _, err := Build(c.vectors, c.batches, Defaults()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := Build(nil, nil, Options{}); err == nil {
		t.Error("options of no profile are accepted")
	}
}

func TestValidate(t *testing.T) {
	for _, p := range Released.Values() {
		o := Defaults()
		o.Profile = Profile(p)
		if err := o.Validate(); err != nil {
			t.Error(err)
		}
	}
	o := Options{Profile: "papers"}
	err := o.Validate()
	if err == nil {
		t.Fatal("no fault")
	}
	for _, want := range []string{`unknown profile "papers"; did you mean "paper"?`, "cap is 0"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no fault %q in:\n%v", want, err)
		}
	}
}

func ExampleBuild() {
	vectors := [][]float32{{1, 0}, {.9, .1}, {0, 1}, {.1, .9}, {.2, .8}}
	h, err := Build(vectors, []int{2, 3}, Defaults())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range h.Themes {
		fmt.Println(t.Members)
	}
	fmt.Println(h.Neighbours[0])
	// Output:
	// [0 1]
	// [2 3 4]
	// [{1 0.9938837289810181}]
}

// TestNearest has a theme at exactly the similarity that is asked for.
func TestNearest(t *testing.T) {
	space := try.Get(newSpace([][]float32{{1, 0}, {.6, .8}, {.8, .6}, {0, 1}}))(t)
	s := newSet(space)
	for i := range space.vectors {
		s.add([]int{i})
	}
	var got []int
	for _, e := range s.nearest(s.themes[0], len(s.themes), between(s.themes[0], s.themes[1])) {
		got = append(got, e.to.id)
	}
	try.Equal(t, "", []int{2, 1}, got)
}
