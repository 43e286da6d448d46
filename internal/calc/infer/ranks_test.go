package infer

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"recallbench/internal/calc/stats"
)

// Six real rows: a full-context system and one that is vague on purpose are not told
// apart under the recorded judge.
func TestRanksOfAudit(t *testing.T) {
	all := votes(t)
	names := []string{"fc-gpt-4.1-mini-cot", "fc-gpt-4.1-mini-memos", "fc-gpt-4o-mini-cot", "fc-gpt-4o-mini-memos", "ap-v2", "ap-v1"}
	differences := func(i, j int) []Unit { return auditRow(all, names[i], names[j], "").Units }
	want := []Rank{{1, 1}, {2, 3}, {2, 3}, {4, 5}, {4, 5}, {6, 6}}
	for i, r := range Ranks(len(names), differences, Options{}) {
		if r != want[i] {
			t.Errorf("%s: %+v, want %+v", names[i], r, want[i])
		}
	}
	var rows []Row
	for i := range names {
		for j := range i {
			rows = append(rows, Row{Pair: len(rows), Units: differences(i, j)})
		}
	}
	for n, r := range Decide(rows, Options{Correct: Holm, Bare: true}) {
		if d, _ := stats.Mean(clustersOf(rows[n].Units)); r.Shown == (*r.Adjusted > 0.05) {
			t.Errorf("pair %d: shown %t, p %g of %g", n, r.Shown, *r.Adjusted, d)
		} else if !r.Shown && d < -0.1 {
			near(t, "difference of a true and a vague row", d, -0.11471861471861472)
			near(t, "its p", *r.P, 28./1024)
			near(t, "Holm", *r.Adjusted, 0.0546875)
		}
	}
}

// Nine systems of which six are alike, in ten conversations: the joint adjustment finds
// the other three, where Holm's 36 tests cannot, and at the level finds nothing else.
func TestJointRanks(t *testing.T) {
	const systems, alike, conversations, trials = 9, 6, 10, 400
	random := rand.New(rand.NewPCG(3, 9))
	mistaken, found := 0, 0
	for range trials {
		var scores [systems][conversations]float64
		for c := range conversations {
			hard := random.NormFloat64()
			for s := range systems {
				scores[s][c] = hard + 0.5*random.NormFloat64() - 3*float64(max(0, s-alike+1))
			}
		}
		differences := func(i, j int) []Unit {
			units := make([]Unit, conversations)
			for c := range units {
				units[c] = Unit{ID: strconv.Itoa(c), Cluster: stats.Cluster{Sum: scores[i][c] - scores[j][c], Weight: 1, N: 1}}
			}
			return units
		}
		ranks := Ranks(systems, differences, Options{Joint: true})
		wrong := false
		for i, r := range ranks[:alike] {
			wrong = wrong || r.Lowest != 1 || r.Highest != alike && i < alike
		}
		if wrong {
			mistaken++
		}
		if ranks[alike].Lowest == alike+1 && ranks[systems-1].Lowest == systems {
			found++
		}
	}
	t.Logf("of %d trials %d find a difference that is none, %d find all that are there", trials, mistaken, found)
	if mistaken > trials*7/100 || found < trials*9/10 {
		t.Errorf("%d false, %d found, want at most %d and at least %d", mistaken, found, trials*7/100, trials*9/10)
	}
	holm := Ranks(systems, func(i, j int) []Unit {
		return slices.Repeat([]Unit{{ID: "x", Cluster: stats.Cluster{Sum: float64(j - i), Weight: 1, N: 1}}}, conversations)
	}, Options{})
	if holm[0].Highest != systems {
		t.Errorf("Holm's smallest p is %g, and it shows something", 36.0/512)
	}
}
