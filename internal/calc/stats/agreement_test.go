package stats

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

func close9(t *testing.T, what string, got float64, ok bool, want float64) {
	t.Helper()
	if !ok || math.Abs(got-want) > 1e-9 {
		t.Errorf("%s is %.10f, known %t; want %.10f", what, got, ok, want)
	}
}

// TestKappa has values by hand: of ten pairs seven are equal; the margins are 6 and 4,
// and 5 and 5, so that p_e is 0.5 and kappa (0.7 - 0.5) / 0.5.
func TestKappa(t *testing.T) {
	pairs := [][][2]float64{
		{{1, 1}, {1, 1}, {1, 1}, {1, 0}, {0, 0}},
		{{1, 1}, {1, 0}, {0, 1}, {0, 0}, {0, 0}},
	}
	got, ok := Kappa(pairs).Value()
	close9(t, "kappa", got, ok, 0.4)
	for _, same := range [][][][2]float64{nil, {{}}, {{{1, 1}, {1, 1}}}} {
		if x, ok := Kappa(same).Value(); ok {
			t.Errorf("%v: kappa is %g, want none", same, x)
		}
	}
}

// TestJackknifeError compares with the closed form of a mean of clusters of one size,
// which is the standard error of their means.
func TestJackknifeError(t *testing.T) {
	mean := Statistic{
		Sums: [][]float64{{3, 4}, {1, 4}, {2, 4}, {4, 4}},
		Of:   func(s []float64) (float64, bool) { return s[0] / s[1], s[1] > 0 },
	}
	se, ok := mean.JackknifeError()
	want, _ := StandardError([]Cluster{{4, 4, 3, 3}, {4, 4, 1, 1}, {4, 4, 2, 2}, {4, 4, 4, 4}})
	close9(t, "error", se, ok, want)
	i, ok := Bootstrap{Resamples: 2000, Level: Level, Seed: 1}.Statistic(mean)
	same, _ := Bootstrap{Resamples: 2000, Level: Level, Seed: 1}.Interval([]Cluster{{4, 4, 3, 3}, {4, 4, 1, 1}, {4, 4, 2, 2}, {4, 4, 4, 4}})
	if !ok || i != same {
		t.Errorf("interval %v, want that of the mean, %v", i, same)
	}
	if _, ok := (Statistic{Sums: mean.Sums[:1], Of: mean.Of}).JackknifeError(); ok {
		t.Error("one cluster has an error")
	}
}

// TestRecordedVotes compares agreement of the recorded votes of locomo-audit with an
// independent program's.
func TestRecordedVotes(t *testing.T) {
	data := try.Get(os.ReadFile(filepath.Join(realdata.Datasets(t), "locomo-audit", "model_answers.jsonl")))(t)
	type answer struct {
		System, ID string
		Votes      [3]bool
	}
	place := make(map[string]int) // of conversations
	pairs, triples := make(map[string][][][2]float64), make(map[string][][][]float64)
	number := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	for line := range strings.Lines(string(data)) {
		var a answer
		try.Do(t, json.Unmarshal([]byte(line), &a))
		conversation, _, _ := strings.Cut(a.ID, "/")
		if _, ok := place[conversation]; !ok {
			place[conversation] = len(place)
		}
		if pairs[a.System] == nil {
			pairs[a.System], triples[a.System] = make([][][2]float64, 10), make([][][]float64, 10)
		}
		c := place[conversation]
		v := [3]float64{number(a.Votes[0]), number(a.Votes[1]), number(a.Votes[2])}
		pairs[a.System][c] = append(pairs[a.System][c], [2]float64{v[0], v[1]})
		triples[a.System][c] = append(triples[a.System][c], v[:])
	}
	for system, want := range map[string][4]float64{
		"fc-gpt-4o-mini-memos": {0.981318841, 0.004772425, 0.980741025, 0.003128861},
		"fc-gpt-4.1-mini-cot":  {0.971807952, 0.007302353, 0.968344346, 0.005653160},
		"ap-v1":                {0.955761208, 0.012327469, 0.958915847, 0.010937531},
		"ap-v2":                {0.961118124, 0.008966976, 0.961088615, 0.006671493},
	} {
		kappa, alpha := Kappa(pairs[system]), Agreement(triples[system], Nominal)
		for i, get := range []func() (float64, bool){kappa.Value, kappa.JackknifeError, alpha.Value, alpha.JackknifeError} {
			got, ok := get()
			close9(t, system, got, ok, want[i])
		}
	}
}
