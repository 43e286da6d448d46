package stats_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"recallbench/internal/calc/stats"
)

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
		if got, ok := stats.KendallTauB(c.x, c.y); ok != c.ok || math.Abs(got-c.want) > 1e-12 {
			t.Errorf("KendallTauB(%v, %v) = %v, %v, want %v, %v", c.x, c.y, got, ok, c.want, c.ok)
		}
	}
}

// TestKendallTauBSigns wants the same of the lists exchanged, and the opposite of one
// of them reversed in value.
func TestKendallTauBSigns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranks := rapid.SliceOfN(rapid.Float64Range(0, 5), 6, 6)
		x, y := ranks.Draw(t, "x"), ranks.Draw(t, "y")
		tau, ok := stats.KendallTauB(x, y)
		if swapped, ok2 := stats.KendallTauB(y, x); ok2 != ok || math.Abs(swapped-tau) > 1e-12 {
			t.Fatalf("exchanged: %v and %v", tau, swapped)
		}
		negative := slices.Clone(y)
		for i := range negative {
			negative[i] = -negative[i]
		}
		if got, _ := stats.KendallTauB(x, negative); math.Abs(got+tau) > 1e-12 || math.Abs(tau) > 1+1e-12 {
			t.Fatalf("reversed: %v and %v", tau, got)
		}
	})
}
