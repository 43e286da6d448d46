package infer

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"recallbench/internal/testkit/longtest"
)

// Values in plain Python.
func TestEValues(t *testing.T) {
	for i, want := range []float64{1, 1.5590919177, 1.0623379309, 1.7166641090, 3.0039931682, 4.9000028132, 9.2847778190, 14.6346819317} {
		near(t, "E", EValues([]float64{.04, .07, -.01, .05, .06, .03, .08, .02}, 0.05)[i], want)
	}
	same := EValues(slices.Repeat([]float64{0.05}, 10), 0.05)
	for n, want := range map[int]float64{6: 16.4853898663, 7: 31.2143384513, 10: 221.6038956294} {
		near(t, "E of equal differences", same[n-1], want)
	}
	var means []float64
	for _, u := range d10 {
		means = append(means, u.Sum/u.Weight)
	}
	e := EValues(means, 0.05)
	near(t, "E after six of D10", e[5], 13.5612806547)
	near(t, "E after seven of D10", e[6], 25.5367935657)
	for _, x := range EValues([]float64{1e300, -1e300, 0}, 1e-9) {
		if math.IsNaN(x) || x < 0 {
			t.Errorf("E is %v", x)
		}
	}
}

// Symmetric differences reach 20 at any time in at most 5 % of runs.
func TestEValuesHoldTheirLevel(t *testing.T) {
	r, runs, crossed := rand.New(rand.NewPCG(1, 2)), longtest.N(400, 20000), 0
	for range runs {
		x := make([]float64, 30)
		for i := range x {
			x[i] = r.NormFloat64() / math.Sqrt((r.ExpFloat64()+r.ExpFloat64())/2)
		}
		if slices.Max(EValues(x, 1)) >= 20 {
			crossed++
		}
	}
	if share, spread := float64(crossed)/float64(runs), math.Sqrt(0.05*0.95/float64(runs)); share > 0.05+3*spread {
		t.Errorf("%v of runs without a difference reach 20", share)
	}
}
