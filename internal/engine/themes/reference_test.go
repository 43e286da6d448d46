package themes

import (
	"cmp"
	"math"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"recallbench/internal/testkit/try"
)

// TestIsPlain compares what a set finds while themes come, grow and go with what comparing
// everything with everything finds: what is skipped changes nothing.
func TestIsPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vectors := drawn(t, 60)
		s := newSet(try.Get(newSpace(vectors))(t))
		for i := range vectors {
			if len(s.themes) > 0 && rapid.Bool().Draw(t, "attach") {
				to := rapid.SampledFrom(s.themes).Draw(t, "to")
				s.attach(to, i)
				s.moved(to)
			} else {
				s.add([]int{i})
			}
			if rapid.IntRange(0, 5).Draw(t, "check") == 0 {
				comparePlainly(t, s)
			}
			if len(s.themes) > 1 && rapid.IntRange(0, 5).Draw(t, "join") == 0 {
				from := rapid.IntRange(1, len(s.themes)-1).Draw(t, "from")
				(&builder{set: s}).join(s.themes[0], s.themes[from])
			}
		}
	})
}

// comparePlainly compares the themes nearest to one, and the objective after changes.
func comparePlainly(t *rapid.T, s *set) {
	x := rapid.SampledFrom(s.themes).Draw(t, "x")
	k := rapid.IntRange(0, 12).Draw(t, "k")
	least := rapid.SampledFrom([]float64{anyCosine, 0, .5}).Draw(t, "least")
	var want, got []Neighbour
	for _, o := range s.themes {
		if similarity := between(x, o); o != x && similarity >= least {
			want = append(want, Neighbour{o.id, similarity})
		}
	}
	slices.SortFunc(want, nearestFirst)
	for _, e := range s.nearest(x, k, least) {
		got = append(got, Neighbour{e.to.id, e.similarity})
	}
	if diff := gocmp.Diff(want[:min(k, len(want))], got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("nearest (-want +got):\n%s", diff)
	}
	y := rapid.SampledFrom(s.themes).Draw(t, "y")
	c := change{gone: []*theme{x, y}, come: []*theme{s.newTheme(-1, x.members)}}
	if x != y {
		c.come = append(c.come, s.newTheme(-1, y.members), s.newTheme(-1, union(x, y)))
	}
	s.refresh()
	stay := slices.DeleteFunc(slices.Clone(s.themes), func(t *theme) bool { return slices.Contains(c.gone, t) })
	if got, want := s.after(c), plainScore(s.space, append(stay, c.come...)); got != want {
		t.Fatalf("after a change the objective is %v, want %v", got, want)
	}
}

// plainScore is the objective of themes, worked out by comparing each with each.
func plainScore(s *space, parts []*theme) float64 {
	if len(parts) == 0 {
		return 0
	}
	var n, squares int
	nearest := make([]float64, len(parts))
	for k, t := range parts {
		n += len(t.members)
		squares += len(t.members) * len(t.members)
		if len(parts) > 1 {
			nearest[k] = math.Inf(-1)
		}
		for j, o := range parts {
			if j != k {
				nearest[k] = max(nearest[k], rounded(between(t, o)))
			}
		}
	}
	median := func(list []float64) float64 {
		list = slices.Sorted(slices.Values(list))
		return (list[(len(list)-1)/2] + list[len(list)/2]) / 2
	}
	m := median(nearest)
	distances := make([]float64, len(nearest))
	for k, x := range nearest {
		distances[k] = math.Abs(x - m)
	}
	g := bell{m, median(distances) + epsilon}
	sum := 0.0
	for k, t := range parts {
		cohesion := 0.0
		for _, i := range t.members {
			cohesion += s.toCentroid(i, t)
		}
		sum += cohesion / float64(len(t.members)) * g.at(nearest[k])
	}
	return sparsity(n, len(parts), squares) + sum/float64(len(parts))
}

// plainGraph compares each semantic with all that it may be joined to.
func plainGraph(s *space, batches []int, k int) [][]Neighbour {
	graph := make([][]Neighbour, len(s.vectors))
	first := 0
	for _, size := range batches {
		for i := first; i < first+size; i++ {
			var list []Neighbour
			for j := range first + size {
				if similarity := s.similarity(i, j); j != i && similarity > 0 {
					list = append(list, Neighbour{j, similarity})
				}
			}
			slices.SortStableFunc(list, nearestFirst)
			graph[i] = list[:min(k, len(list))]
		}
		first += size
	}
	return graph
}

func nearestFirst(a, b Neighbour) int {
	return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), a.Index-b.Index)
}
