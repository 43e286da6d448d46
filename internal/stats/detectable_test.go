package stats

import (
	"math/rand/v2"
	"testing"
)

// Values from SciPy 1.10.1: scipy.stats.t.ppf(.975, df) + scipy.stats.t.ppf(.8, df).
// Bloom (1995) prints 2.80 for many degrees of freedom.
func TestDetectable(t *testing.T) {
	for freedom, want := range map[float64]float64{
		5:    3.4901256168510653,
		9:    3.145561022426512,
		49:   2.858593632888131,
		1539: 2.803361464481118,
	} {
		near(t, "detectable", Detectable(2, freedom, 0.05, Power), 2*want)
	}
}

// A difference as large as that is found in about four comparisons of five, by the
// test that it is meant for and by sign flips.
func TestPower(t *testing.T) {
	const runs = 1000
	for _, conversations := range []int{10, 50} {
		r := rand.New(rand.NewPCG(23, uint64(conversations)))
		draw := func(effect float64) []Cluster {
			cs := make([]Cluster, conversations)
			for i := range cs {
				d := effect + 0.05*r.NormFloat64()
				for range 30 {
					cs[i].Add(d + 0.4*r.NormFloat64())
				}
			}
			return cs
		}
		var found struct{ t, flips int }
		for range runs {
			se, _ := StandardError(draw(0))
			cs := draw(Detectable(se, float64(conversations-1), 0.05, Power))
			if test, ok := ClusterT(cs); ok && test.P <= 0.05 {
				found.t++
			}
			sums := make([]float64, len(cs))
			for i, c := range cs {
				sums[i] = c.Sum
			}
			if p, ok := (SignFlip{Flips: 500}).P(sums); ok && p <= 0.05 {
				found.flips++
			}
		}
		for name, n := range map[string]int{"t": found.t, "sign flips": found.flips} {
			share := 100 * float64(n) / runs
			t.Logf("%d conversations: the detectable difference is found in %.1f %% by %s", conversations, share, name)
			if share < 72 || share > 88 {
				t.Errorf("%d conversations: the detectable difference is found in %.1f %% by %s, want about 80", conversations, share, name)
			}
		}
	}
}
