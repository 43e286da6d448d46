package themes

import (
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
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
		want    string
	}{
		{"unequal", [][]float32{{1, 2}, {1}}, "vector 1 has 1 elements, the first has 2"},
		{"infinite", [][]float32{{1}, {inf}}, "vector 1 is not finite"},
		{"NaN", [][]float32{{nan}}, "vector 0 is not finite"},
		{"too long", [][]float32{{math.MaxFloat32, math.MaxFloat32}}, "too long for float32"},
	} {
		if _, err := Build(c.vectors, nil, Defaults()); err == nil || !strings.Contains(err.Error(), c.want) {
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

// five are the candidates of the golden sequences, a to e.
func five() []Node {
	return []Node{
		{.8, []Neighbour{{1, .9}, {2, .5}}},
		{.75, []Neighbour{{0, .9}}},
		{.6, []Neighbour{{0, .5}, {3, .7}}},
		{.5, []Neighbour{{2, .7}, {4, .2}}},
		{.3, []Neighbour{{3, .2}}},
	}
}

// TestRepresentatives compares with sequences of the released code.
func TestRepresentatives(t *testing.T) {
	check := func(name string, nodes []Node, budget int, want ...int) {
		t.Helper()
		try.Equal(t, name, want, Representatives(nodes, budget, .7))
	}
	check("budget 1", five(), 1, 0)
	check("budget 2", five(), 2, 0, 1)
	check("budget 3", five(), 3, 0, 1, 2)
	check("budget 5", five(), 5, 0, 1, 2, 3)
	check("no budget", five(), math.MaxInt, 0, 1, 2, 3)
	equal, apart := five(), five()
	for i := range equal {
		equal[i].Relevance = .4
		apart[i].Neighbours = nil
	}
	check("all equal", equal, math.MaxInt, 0, 3)
	check("no edges", apart, math.MaxInt, 0, 1, 2, 3, 4)

	check("none", nil, 5)
	check("no room", five(), 0)
	check("edges of no use", []Node{{1, []Neighbour{{0, .1}, {7, 1}, {-1, 1}, {1, -.5}, {1, math.NaN()}}}, {0, nil}}, 5, 0, 1)
	check("the stronger of two edges", []Node{
		{.5, []Neighbour{{1, .1}, {1, .9}}}, {.5, []Neighbour{{0, .5}}},
	}, 1, 0)
}

func TestRepresentativesProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "n")
		nodes := make([]Node, n)
		for i := range nodes {
			nodes[i].Relevance = rapid.Float64Range(-1, 1).Draw(t, "relevance")
			for range rapid.IntRange(0, 4).Draw(t, "edges") {
				nodes[i].Neighbours = append(nodes[i].Neighbours, Neighbour{
					rapid.IntRange(-1, n).Draw(t, "to"), rapid.Float64Range(-1, 1).Draw(t, "similarity"),
				})
			}
		}
		budget := rapid.IntRange(1, 14).Draw(t, "budget")
		picked := Representatives(nodes, budget, rapid.Float64Range(0, 1).Draw(t, "alpha"))
		if len(picked) > min(budget, n) || n > 0 && len(picked) == 0 {
			t.Fatalf("picked %v of %d with budget %d", picked, n, budget)
		}
		seen := make(map[int]bool)
		for _, i := range picked {
			if i < 0 || i >= n || seen[i] {
				t.Fatalf("picked %v", picked)
			}
			seen[i] = true
		}
	})
}

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
