package stats

import (
	"math"
	"slices"
	"testing"
)

// near fails t unless got is within 1e-9 of want, relative to want where that
// is large.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*max(1, math.Abs(want)) {
		t.Errorf("%s = %.12g, want %.12g", what, got, want)
	}
}

func clustersOf(values ...[]float64) []Cluster {
	cs := make([]Cluster, len(values))
	for i, vs := range values {
		for _, v := range vs {
			cs[i].Add(v)
		}
	}
	return cs
}

// Values from SciPy 1.10.1:
//
//	scipy.stats.binomtest(k, n).proportion_ci(level, method="wilson")
//
// 15 of 148 and 81 of 263 at 0.95 are the cases of Newcombe (1998), table I.
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		k, n, level float64
		lo, hi      float64
	}{
		{0, 10, 0.95, 0, 0.27753279986288926},
		{10, 10, 0.95, 0.7224672001371109, 1},
		{15, 148, 0.95, 0.06238639953073629, 0.16048724172330803},
		{81, 263, 0.95, 0.2552885198782742, 0.36620957698280004},
		{83, 100, 0.95, 0.7445199523239887, 0.8910643388594006},
		{1, 1, 0.95, 0.20654931437723745, 1},
		{0, 1, 0.95, 0, 0.7934506856227626},
		{770, 1540, 0.99, 0.46725136661058203, 0.532748633389418},
		{3, 20, 0.9, 0.061582410477368316, 0.3218280756753068},
	} {
		i, ok := Wilson(c.k/c.n, c.n, c.level)
		if !ok {
			t.Errorf("Wilson(%g/%g) is not known", c.k, c.n)
		}
		near(t, "low", i.Lo, c.lo)
		near(t, "high", i.Hi, c.hi)
	}
}

// Of values from their own clusters the interval is Wilson's; of clustered
// ones it is that of SciPy's quantiles:
//
//	n = 1.2 * (scipy.stats.t.ppf(.975, 5) / scipy.stats.t.ppf(.975, 1))**2
//	scipy.stats.norm.ppf(.975) in Wilson's formula, p = 0.5
func TestRateInterval(t *testing.T) {
	var single []Cluster
	for i := range 148 {
		single = append(single, clustersOf([]float64{map[bool]float64{true: 1}[i < 15]})...)
	}
	for _, c := range []struct {
		name   string
		cs     []Cluster
		lo, hi float64
	}{
		{"independent", single, 0.06238639953073629, 0.16048724172330803},
		{"clustered", clustersOf([]float64{1, 1, 1}, []float64{0, 0, 0}), 0.003166036820415395, 0.9968339631795846},
		{"all alike", clustersOf(slices.Repeat([]float64{0}, 5), slices.Repeat([]float64{0}, 5)), 0, 0.27753279986288926},
		{"one cluster", clustersOf([]float64{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1}), 0.05236874589621662, 0.3604188647407569},
	} {
		i, ok := RateInterval(c.cs, Level)
		if !ok {
			t.Errorf("%s: not known", c.name)
		}
		near(t, c.name+" low", i.Lo, c.lo)
		near(t, c.name+" high", i.Hi, c.hi)
	}
	if i, ok := RateInterval(nil, Level); ok {
		t.Errorf("RateInterval(nil) = %v, want unknown", i)
	}
}

func TestWilsonUnknown(t *testing.T) {
	nan := math.NaN()
	for _, c := range [][2]float64{{0.5, 0}, {0.5, -1}, {0.5, nan}, {0.5, math.Inf(1)}, {nan, 3}, {1.1, 3}, {-0.1, 3}} {
		if i, ok := Wilson(c[0], c[1], Level); ok {
			t.Errorf("Wilson(%g, %g) = %v, want unknown", c[0], c[1], i)
		}
	}
}

// Values from NumPy: the formulas of StandardError and EffectiveN written out
// over the values. The second case has one value a cluster, where the error is
// scipy.stats.sem.
func TestStandardError(t *testing.T) {
	cs := clustersOf([]float64{0.2, 0.4, 0.9}, nil, []float64{1, 1}, []float64{0, 0.1, 0.3, 0.5}, []float64{0.7})
	mean, n := Mean(cs)
	near(t, "mean", mean, 0.51)
	if n != 10 || Count(cs) != 4 {
		t.Errorf("%d values in %d clusters, want 10 in 4", n, Count(cs))
	}
	se, ok := StandardError(cs)
	if !ok {
		t.Error("the standard error is not known")
	}
	near(t, "standard error", se, 0.17500476183997588)
	eff, ok := EffectiveN(cs)
	if !ok {
		t.Error("the effective number is not known")
	}
	near(t, "effective n", eff, 4.531272674502973)

	single := clustersOf([]float64{2}, []float64{4}, []float64{4}, []float64{5}, []float64{7}, []float64{9})
	se, _ = StandardError(single)
	near(t, "standard error", se, 1.0137937550497034)
	eff, _ = EffectiveN(single)
	near(t, "effective n", eff, 6)
}

// A weight counts as that many equal values.
func TestWeights(t *testing.T) {
	cs := make([]Cluster, 2)
	cs[0].AddWeighted(0.5, 4)
	cs[0].AddWeighted(1, 2)
	cs[1].AddWeighted(0.25, 4)
	cs[1].AddWeighted(9, 0)
	spelled := clustersOf([]float64{0.5, 0.5, 0.5, 0.5, 1, 1}, []float64{0.25, 0.25, 0.25, 0.25})
	mean, n := Mean(cs)
	want, _ := Mean(spelled)
	near(t, "mean", mean, want)
	if n != 3 {
		t.Errorf("%d values, want 3", n)
	}
	se, _ := StandardError(cs)
	want, _ = StandardError(spelled)
	near(t, "standard error", se, want)
	b := Bootstrap{Resamples: 100, Level: Level, Seed: 3}
	i, ok := b.Interval(cs)
	if j, _ := b.Interval(spelled); !ok || i != j {
		t.Errorf("interval %v, want %v", i, j)
	}
	if n, ok := EffectiveN(cs); ok {
		t.Errorf("EffectiveN of weighted values = %g, want unknown", n)
	}
}

func TestEffectiveNBounds(t *testing.T) {
	for _, c := range []struct {
		name string
		cs   []Cluster
		want float64
	}{
		// (0.25/5) / (2·(1.5² + 1.5²)/6²) · 6
		{"clusters of equal values", clustersOf([]float64{1, 1, 1}, []float64{0, 0, 0}), 1.2},
		{"clusters more even than chance", clustersOf([]float64{0, 1}, []float64{1, 0}), 4},
	} {
		got, ok := EffectiveN(c.cs)
		if !ok {
			t.Errorf("%s: not known", c.name)
		}
		near(t, c.name, got, c.want)
	}
	if got, ok := EffectiveN(clustersOf([]float64{0.1, 0.1}, []float64{0.1, 0.1, 0.1})); ok {
		t.Errorf("EffectiveN of equal values = %g, want unknown", got)
	}
}

func TestEmpty(t *testing.T) {
	huge := clustersOf([]float64{math.MaxFloat64, math.MaxFloat64}, []float64{1})
	for _, cs := range [][]Cluster{nil, {}, {{}, {}}, clustersOf([]float64{0.5, 0.7}), huge} {
		if se, ok := StandardError(cs); ok {
			t.Errorf("StandardError(%v) = %g, want unknown", cs, se)
		}
		if n, ok := EffectiveN(cs); ok {
			t.Errorf("EffectiveN(%v) = %g, want unknown", cs, n)
		}
		if i, ok := (Bootstrap{Resamples: 10, Level: Level}).Interval(cs); ok {
			t.Errorf("Interval(%v) = %v, want unknown", cs, i)
		}
	}
	if mean, n := Mean(nil); mean != 0 || n != 0 {
		t.Errorf("Mean(nil) = %g of %d, want 0 of 0", mean, n)
	}
}

// Values from SciPy 1.10.1, those of statsmodels 0.13.5 (mcnemar(exact=True)) are
// the same:
//
//	scipy.stats.binomtest(min(first, second), first+second, 0.5).pvalue
//
// 86 and 150 are Agresti's approval ratings (Categorical Data Analysis, 1990, section
// 10.1). Values are held to 1e-9 of themselves.
func TestMcNemar(t *testing.T) {
	for _, c := range []struct {
		first, second int
		want          float64
	}{
		{0, 0, 1}, // the convention for no pairs
		{0, 1, 1},
		{0, 5, 0.0625},
		{6, 0, 0.03125},
		{1, 12, 0.00341796875},
		{5, 15, 0.04138946533203125},
		{10, 10, 1},
		{10, 11, 1},
		{59, 6, 4.964650327128616e-12},
		{86, 150, 3.715936139571387e-05},
		{400, 500, 0.0009564441369189373},
		{700, 900, 6.319484959450108e-07},
		{0, 1000, 1.8665272370064378e-301},
	} {
		for _, got := range []float64{McNemar(c.first, c.second), McNemar(c.second, c.first)} {
			if math.Abs(got-c.want) > 1e-9*c.want {
				t.Errorf("McNemar(%d, %d) = %.15g, want %.15g", c.first, c.second, got, c.want)
			}
		}
	}
}

// The values are those of scipy.stats.kendalltau(variant="b"), SciPy 1.10.1.
func TestKendallTauB(t *testing.T) {
	for _, c := range []struct {
		x, y []float64
		want float64
		ok   bool
	}{
		{[]float64{1, 2, 3, 4, 5}, []float64{1, 2, 2, 4, 5}, 0.9486832980505137, true},
		{[]float64{1, 2, 3, 4}, []float64{2, 1, 4, 3}, 1.0 / 3, true},
		{[]float64{1, 1, 2, 3}, []float64{1, 2, 2, 3}, 0.8, true},
		{[]float64{1, 2, 3}, []float64{3, 2, 1}, -1, true},
		{[]float64{1, 1}, []float64{1, 2}, 0, false},
		{[]float64{1}, []float64{1}, 0, false},
		{nil, nil, 0, false},
	} {
		if got, ok := KendallTauB(c.x, c.y); ok != c.ok || math.Abs(got-c.want) > 1e-12 {
			t.Errorf("KendallTauB(%v, %v) = %v, %v, want %v, %v", c.x, c.y, got, ok, c.want, c.ok)
		}
	}
}
