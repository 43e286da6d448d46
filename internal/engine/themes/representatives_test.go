package themes

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"recallbench/internal/testkit/try"
)

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
	check := func(name string, nodes []Node, budget int, target float64, want ...int) {
		t.Helper()
		try.Equal(t, name, want, Representatives(nodes, budget, .7, target))
	}
	check("budget 1", five(), 1, 1, 0)
	check("budget 2", five(), 2, 1, 0, 1)
	check("budget 3", five(), 3, 1, 0, 1, 2)
	check("budget 5", five(), 5, 1, 0, 1, 2, 3)
	check("no budget", five(), math.MaxInt, 1, 0, 1, 2, 3)
	equal, apart := five(), five()
	for i := range equal {
		equal[i].Relevance = .4
		apart[i].Neighbours = nil
	}
	check("all equal", equal, math.MaxInt, 1, 0, 3)
	check("no edges", apart, math.MaxInt, 1, 0, 1, 2, 3, 4)

	check("none", nil, 5, 1)
	check("no room", five(), 0, 1)
	check("half is enough", five(), 5, .5, 0)
	check("edges of no use", []Node{{1, []Neighbour{{0, .1}, {7, 1}, {-1, 1}, {1, -.5}, {1, math.NaN()}}}, {0, nil}}, 5, 1, 0, 1)
	check("the stronger of two edges", []Node{
		{.5, []Neighbour{{1, .1}, {1, .9}}}, {.5, []Neighbour{{0, .5}}},
	}, 1, 1, 0)
}

func TestRepresentativesScores(t *testing.T) {
	// With no weight on relevance and a candidate that covers nothing new, no
	// score is above 0; the first pick stands.
	try.Equal(t, "", []int{0}, Representatives([]Node{{1, nil}, {1, nil}}, 2, 0, .5))
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
		picked := Representatives(nodes, budget, rapid.Float64Range(0, 1).Draw(t, "alpha"), 1)
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
