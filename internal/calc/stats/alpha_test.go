package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

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

// TestAlphaByDefinition compares with the definition spelt out: every pair of
// pairable ratings, one by one, each with the ratings counted between the two.
func TestAlphaByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		units := rapid.SliceOfN(rapid.SliceOfN(rapid.Map(rapid.IntRange(1, 5), func(i int) float64 { return float64(i) }), 0, 5), 0, 12).Draw(t, "units")
		scale := rapid.SampledFrom([]Scale{Nominal, Ordinal, Metric}).Draw(t, "scale")
		got, ok := Alpha(units, scale)
		want, known := alphaByDefinition(units, scale)
		if ok != known || math.Abs(got-want) > 1e-9 {
			t.Fatalf("%v, %v, want %v, %v", got, ok, want, known)
		}
		shuffled := make([][]float64, len(units))
		for i, j := range rand.New(rand.NewPCG(1, 1)).Perm(len(units)) {
			shuffled[i] = units[j]
		}
		if again, _ := Alpha(shuffled, scale); math.Abs(again-got) > 1e-9 {
			t.Fatalf("%v in another order, %v", again, got)
		}
	})
}

func alphaByDefinition(units [][]float64, s Scale) (alpha float64, known bool) {
	var all []float64
	for _, u := range units {
		if len(u) > 1 {
			all = append(all, u...)
		}
	}
	squared := func(c, k float64) float64 {
		if c == k {
			return 0
		}
		switch s {
		case Nominal:
			return 1
		case Metric:
			return (c - k) * (c - k)
		case Ordinal:
		}
		between := 0.0
		for _, g := range all {
			switch {
			case g == c, g == k:
				between += .5
			case min(c, k) < g && g < max(c, k):
				between++
			}
		}
		return between * between
	}
	n := float64(len(all))
	var within, overall float64
	for _, u := range units {
		for i := range u {
			for j := range u {
				if i != j {
					within += squared(u[i], u[j]) / float64(len(u)-1) / n
				}
			}
		}
	}
	for i := range all {
		for j := range all {
			if i != j {
				overall += squared(all[i], all[j]) / (n * (n - 1))
			}
		}
	}
	if overall == 0 || n == 0 {
		return 0, false
	}
	return 1 - within/overall, true
}
