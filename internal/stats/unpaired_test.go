package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// single puts each value into a cluster of its own, those of a first.
func single(a, b []float64) (x, y []Cluster) {
	for _, v := range a {
		x, y = append(x, clustersOf([]float64{v})...), append(y, Cluster{})
	}
	for _, v := range b {
		x, y = append(x, Cluster{}), append(y, clustersOf([]float64{v})...)
	}
	return x, y
}

func TestUnpaired(t *testing.T) {
	// The values of Welch's test are from SciPy 1.10.1, scipy.stats.ttest_ind(b, a,
	// equal_var=False); error, degrees and interval by its formulas in NumPy 1.24.2.
	a, b := single(
		[]float64{27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4},
		[]float64{27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 30.5, 0.5},
	)
	// Those of clusters on both sides are from statsmodels 0.13.5: OLS of the values on
	// the side, cov_type="cluster" without correction, times sqrt(4/3). Those of
	// clusters on one side and on both are the formula in NumPy.
	for _, c := range []struct {
		name string
		a, b []Cluster
		want Difference
	}{
		{"Welch", a, b, Difference{1.24, 1.8316789071907824, 19.016109896608512, 0.5065746538053166}},
		{
			"clusters of both sides",
			clustersOf([]float64{.1, .4, .5}, []float64{.3}, []float64{0, .2}, []float64{.9, .8}),
			clustersOf([]float64{.2, .9}, []float64{.7, .6, 1}, []float64{.5}, []float64{.4, .3, .1, .2}),
			Difference{0.09, 0.28222331583340177, 3, 0.770718707198574},
		},
		{
			"some of both",
			clustersOf([]float64{.1, .4, .5}, []float64{.3}, []float64{0, .2}, nil),
			clustersOf(nil, []float64{.7, .6, 1}, []float64{.5}, []float64{.4, .3, .1, .2}),
			Difference{0.225, 0.20282028426252963, 4.516721537169607, 0.3228199108189527},
		},
	} {
		got, ok := Unpaired(c.a, c.b)
		if !ok {
			t.Errorf("%s: no test", c.name)
		}
		near(t, c.name+": mean", got.Mean, c.want.Mean)
		near(t, c.name+": error", got.Error, c.want.Error)
		near(t, c.name+": degrees of freedom", got.DF, c.want.DF)
		near(t, c.name+": P", got.P, c.want.P)
	}
	d, _ := Unpaired(a, b)
	i := d.Interval(Level)
	near(t, "low", i.Lo, -2.59352820164894)
	near(t, "high", i.Hi, 5.073528201648944)
}

func TestUnpairedNotDefined(t *testing.T) {
	for name, c := range map[string][2][]Cluster{
		"one cluster": {clustersOf([]float64{1, 2}, nil, nil), clustersOf(nil, []float64{1}, []float64{3})},
		"nothing":     {},
		"all alike":   {clustersOf([]float64{0.1}, []float64{0.1}), clustersOf([]float64{0.3}, []float64{0.3})},
		"infinite":    {clustersOf([]float64{1}, []float64{2}), clustersOf([]float64{math.Inf(1)}, []float64{3})},
	} {
		if d, ok := Unpaired(c[0], c[1]); ok {
			t.Errorf("%s: %+v, want none", name, d)
		}
	}
}

func TestUnpairedAlike(t *testing.T) {
	same := clustersOf([]float64{0.1, 0.7}, []float64{0.3}, []float64{0.4})
	if d, ok := Unpaired(same, same); !ok || d != (Difference{DF: 2, P: 1}) {
		t.Errorf("the same values on both sides: %+v, %v", d, ok)
	}
}

// Where all clusters have one value on both sides, the test is the paired one.
func TestUnpairedIsPaired(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.IntRange(-9, 9), 4, 24).Draw(t, "values")
		n := len(values) / 2
		a, b := make([]Cluster, n), make([]Cluster, n)
		x, y := make([]float64, n), make([]float64, n)
		for i := range n {
			x[i], y[i] = float64(values[i]), float64(values[n+i])
			a[i].Add(x[i])
			b[i].Add(y[i])
		}
		want, _ := PairedT(y, x)
		got, ok := Unpaired(a, b)
		if ok && (math.Abs(got.P-want.P) > 1e-9 || math.Abs(got.DF-float64(want.DF)) > 1e-9) {
			t.Errorf("%+v, the paired test gives %+v", got, want)
		}
	})
}

// The test is the same in any unit, or there is none.
func TestUnpairedScale(t *testing.T) {
	at := func(scale float64) (Difference, bool) {
		return Unpaired(single([]float64{scale, 2 * scale, 4 * scale}, []float64{2 * scale, 5 * scale, 17 * scale}))
	}
	want, _ := at(1)
	for _, scale := range []float64{1e-300, 1e-100, 1e100} {
		if d, ok := at(scale); ok && !(math.Abs(d.P-want.P) < 1e-9 && math.Abs(d.DF-want.DF) < 1e-9) || !ok && scale != 1e-300 {
			t.Errorf("times %g: %+v, %t, want P and DF of %+v", scale, d, ok, want)
		}
	}
}

// Of two sides that are alike, drawn from conversations that are not, about 5 of 100
// should be found to differ. Sides of other conversations are those of a dataset
// split by conversation, sides of the same ones those of a dataset split by
// question.
func TestLevelOfUnpaired(t *testing.T) {
	const runs = 1000
	for _, conversations := range []int{5, 10, 20} {
		r := rand.New(rand.NewPCG(22, uint64(conversations)))
		found := make(map[string]int)
		count := func(kind string, a, b []Cluster) {
			if d, ok := Unpaired(a, b); ok && d.P <= 0.05 {
				found[kind]++
			}
		}
		none := make([]Cluster, conversations)
		for range runs {
			x, y := simulate(r, conversations, false), simulate(r, conversations, false)
			count("conversations", append(append([]Cluster{}, x...), none...), append(append([]Cluster{}, none...), y...))
			a, b := make([]Cluster, conversations), make([]Cluster, conversations)
			for i := range a {
				mean := 0.1 * r.NormFloat64()
				for range 40 {
					side := &a[i]
					if r.IntN(2) == 0 {
						side = &b[i]
					}
					side.Add(mean + 0.4*r.NormFloat64())
				}
			}
			count("questions", a, b)
		}
		for _, kind := range []string{"conversations", "questions"} {
			share := 100 * float64(found[kind]) / runs
			t.Logf("%2d conversations, split by %s: a difference is found in %.1f %%", conversations, kind, share)
			if share < 2.5 || share > 7.5 {
				t.Errorf("%d conversations, split by %s: a difference is found in %.1f %%, want about 5", conversations, kind, share)
			}
		}
	}
}
