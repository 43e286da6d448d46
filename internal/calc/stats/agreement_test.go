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

// TestKappa has values by hand: of ten pairs seven are equal; the margins are 6 and 4,
// and 5 and 5, so that p_e is 0.5 and kappa (0.7 - 0.5) / 0.5.
func TestKappa(t *testing.T) {
	pairs := [][][2]float64{
		{{1, 1}, {1, 1}, {1, 1}, {1, 0}, {0, 0}},
		{{1, 1}, {1, 0}, {0, 1}, {0, 0}, {0, 0}},
	}
	got, _ := Kappa(pairs).Value()
	near(t, "kappa", got, 0.4)
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
	se, _ := mean.JackknifeError()
	want, _ := StandardError([]Cluster{{4, 4, 3, 3}, {4, 4, 1, 1}, {4, 4, 2, 2}, {4, 4, 4, 4}})
	near(t, "error", se, want)
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
			got, _ := get()
			near(t, system, got, want[i])
		}
	}
}

// krippendorff are the ratings of example C of "Computing Krippendorff's
// Alpha-Reliability" (2011), by unit: 12 units, four observers, values 1 to 5.
var krippendorff = [][]float64{
	{1, 1, 1},
	{2, 2, 3, 2},
	{3, 3, 3, 3},
	{3, 3, 3, 3},
	{2, 2, 2, 2},
	{1, 2, 3, 4},
	{4, 4, 4, 4},
	{1, 1, 2, 1},
	{2, 2, 2, 2},
	{5, 5, 5},
	{1, 1},
	{3},
}

func TestAlpha(t *testing.T) {
	for _, c := range []struct {
		name  string
		units [][]float64
		scale Scale
		want  float64
		print float64 // how exactly want is known
	}{
		// The values that the source prints.
		{"example C", krippendorff, Nominal, .743, .0005},
		{"example C", krippendorff, Ordinal, .815, .0005},
		{"example C", krippendorff, Metric, .849, .0005},
		// By hand: of 40 pairable ratings, 9 have the value 1, 13 the value 2, 10
		// the value 3, 5 the value 4 and 3 the value 5. Observed: units 2 and 8
		// have 3 unlike pairs of 6, unit 6 all 6, so 2·(3+6+3)/3 = 8. Expected:
		// (40² - 9² - 13² - 10² - 5² - 3²)/39 = 1216/39.
		{"example C by hand", krippendorff, Nominal, 1 - 8*39.0/1216, 1e-9},
		// By hand: pairable are 1, 1, 1 and 2; observed 2·1 = 2, expected 2·3·1/3.
		{"one is alone", [][]float64{{1, 1}, {1, 2}, {2}}, Nominal, 0, 1e-9},
		// By hand: two of each value; observed 2·2 = 4, expected 2·2·2/3 = 8/3; on
		// the ordinal scale all differences are twice as great.
		{"never agree", [][]float64{{1, 2}, {1, 2}}, Nominal, 1 - 4/(8.0/3), 1e-9},
		{"never agree", [][]float64{{1, 2}, {1, 2}}, Ordinal, 1 - 4/(8.0/3), 1e-9},
		// By hand: values 1, 2, 5 with 2, 1, 1 ratings. Ordinal: δ(1,2) = 1.5,
		// δ(1,5) = 2.5, δ(2,5) = 1; observed 2·1 = 2, expected
		// 2(2·2.25 + 2·6.25 + 1)/3 = 12. Interval: observed 18, expected
		// 2(2·1 + 2·16 + 9)/3 = 86/3.
		{"one agrees", [][]float64{{1, 1}, {2, 5}}, Ordinal, 1 - 2/12.0, 1e-9},
		{"one agrees", [][]float64{{1, 1}, {2, 5}}, Metric, 1 - 18/(86/3.0), 1e-9},
		{"all agree", [][]float64{{1, 1, 1}, {4, 4}}, Ordinal, 1, 0},
	} {
		got, ok := Alpha(c.units, c.scale)
		if !ok || math.Abs(got-c.want) > c.print {
			t.Errorf("%s, scale %d: %v, %v, want %v", c.name, c.scale, got, ok, c.want)
		}
	}
	for name, units := range map[string][][]float64{
		"nothing":       nil,
		"one rater":     {{1}, {2}, {3}},
		"no difference": {{3, 3}, {3, 3}},
		"not finite":    {{1, math.NaN()}, {2, 3}},
	} {
		if got, ok := Alpha(units, Ordinal); ok {
			t.Errorf("%s: %v is known", name, got)
		}
	}
}
