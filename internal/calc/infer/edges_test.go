package infer

import (
	"math"
	"testing"

	"recallbench/internal/calc/stats"
)

// Means that differ by rounding alone are the same, in whatever unit.
func TestSameMean(t *testing.T) {
	for _, c := range []struct {
		means []float64
		want  bool
	}{
		{nil, false},
		{[]float64{0, 0}, false},
		{[]float64{0, 0.1, 0.1}, true},
		{[]float64{100, 100 + 5e-8}, true},
		{[]float64{-100, -100 - 5e-8}, true},
		{[]float64{1e-5, 1e-5 + 1e-13}, false},
		{[]float64{1, 1 + 1e-8}, false},
	} {
		if got := sameMean(ones(c.means)); got != c.want {
			t.Errorf("same mean of %v is %v, want %v", c.means, got, c.want)
		}
	}
}

// With fewer than six units, the detectable difference of six has their spread: the
// error of a mean falls with the root of the number of units.
func TestAtSix(t *testing.T) {
	for _, n := range []int{3, 5} {
		units := sums([]float64{1, 1, 1, 1, 1}[:n], []float64{3, 1, 2, 5, 4}[:n])
		r := Decide([]Row{{Units: units}}, Options{})[0]
		x, _ := newT(clustersOf(units))
		near(t, "detectable", *r.Detectable, Detectable(x.se, x.freedom, 0.05, 0.8))
		near(t, "detectable with six", *r.AtSix, Detectable(x.se*math.Sqrt(float64(n)/6), 5, 0.05, 0.8))
	}
	six := sums([]float64{1, 1, 1, 1, 1, 1}, []float64{3, 1, 2, 5, 4, 2})
	if r := Decide([]Row{{Units: six}}, Options{})[0]; r.AtSix != nil || r.Test != SignFlip {
		t.Errorf("six units: %+v", r)
	}
}

// Two units show something only to those who accept it.
func TestTwoUnits(t *testing.T) {
	units := sums([]float64{1, 1}, []float64{100, 100.001})
	for _, accept := range []bool{false, true} {
		r := Decide([]Row{{Units: units}}, Options{AcceptTwo: accept})[0]
		if r.Shown != accept || (r.Insufficient == TwoUnits) == accept {
			t.Errorf("accepted %v: shown %v, insufficient %q", accept, r.Shown, r.Insufficient)
		}
	}
}

func TestMeanErrorOfFew(t *testing.T) {
	var empty stats.Cluster
	if _, _, ok := MeanError([]stats.Cluster{empty, ones([]float64{1})[0]}); ok {
		t.Error("one cluster with a value has an error")
	}
	if mean, se, ok := MeanError(append(ones([]float64{1, 3}), empty)); !ok || mean != 2 || se != 1 {
		t.Errorf("mean %v, error %v, %v", mean, se, ok)
	}
}

// Where there are too many permutations, the random ones are counted with the one that
// was seen.
func TestRandomPermutations(t *testing.T) {
	low, high := make([]float64, 12), make([]float64, 12)
	for i := range low {
		low[i], high[i] = float64(i), float64(i+100)
	}
	if p := permute(low, high, 1); p != 1./(1+Draws) {
		t.Errorf("p is %v, want 1 of %d", p, 1+Draws)
	}
	if p := leastPermutations(12, 12); p != 1./(1+Draws) {
		t.Errorf("the least p is %v", p)
	}
	if p := leastPermutations(3, 4); p != 1./35 {
		t.Errorf("the least p of 3 and 4 is %v, want 1 of 35", p)
	}
}
