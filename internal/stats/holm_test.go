package stats

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestHolm(t *testing.T) {
	for _, c := range []struct {
		name    string
		p, want []float64
	}{
		{"none", nil, []float64{}},
		{"one", []float64{0.04}, []float64{0.04}},
		// The example of stdlib.io's @stdlib/stats/padjust, which is a port of
		// R's p.adjust; its documentation prints ~0.957, 0.804, ~0.957, ~0.957,
		// ~0.565.
		{"padjust", []float64{0.319, 0.201, 0.4, 0.374, 0.113}, []float64{0.957, 0.804, 0.957, 0.957, 0.565}},
		// By hand: 3·0.01, 2·0.02, 1·0.03 held up at 0.04.
		{"held up", []float64{0.03, 0.01, 0.02}, []float64{0.04, 0.03, 0.04}},
		{"equal", []float64{0.05, 0.01, 0.05}, []float64{0.1, 0.03, 0.1}},
		{"capped", []float64{0.9, 0.6}, []float64{1, 1}},
		{"ends", []float64{1, 0}, []float64{1, 0}},
	} {
		before := slices.Clone(c.p)
		got := Holm(c.p)
		if len(got) != len(c.want) || !slices.Equal(c.p, before) {
			t.Errorf("%s: %v of %v, want %v", c.name, got, before, c.want)
			continue
		}
		for i := range got {
			near(t, c.name, got[i], c.want[i])
		}
	}
}

// The procedure as Holm tells it: at level α, reject the smallest value while it
// is at most α over the number of those left, and stop at the first that is
// not. A hypothesis is rejected when its adjusted value is at most α.
func TestHolmRejects(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.Float64Range(0, 0.2), 1, 12).Draw(t, "p")
		alpha := rapid.Float64Range(0.001, 0.3).Draw(t, "alpha")
		adjusted := Holm(p)
		left := slices.Sorted(slices.Values(p))
		reached := -1.0 // the largest value that is rejected
		for len(left) > 0 && float64(len(left))*left[0] <= alpha {
			reached, left = left[0], left[1:]
		}
		for i := range p {
			if got, want := adjusted[i] <= alpha, p[i] <= reached; got != want {
				t.Errorf("value %d of %v at %g: adjusted to %g, step-down rejects: %v", i, p, alpha, adjusted[i], want)
			}
		}
	})
}

func TestHolmRefuses(t *testing.T) {
	for _, bad := range []float64{math.NaN(), -0.1, 1.1, math.Inf(1)} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a p-value of %g is taken", bad)
				}
			}()
			Holm([]float64{0.5, bad})
		}()
	}
}
