package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// Values from SciPy 1.10.1:
//
//	scipy.stats.permutation_test((x, np.zeros(n)), lambda a, b, axis: np.sum(a-b, axis=axis),
//	    vectorized=True, permutation_type="samples", n_resamples=np.inf).pvalue
var flipped = []struct {
	name  string
	units []float64
	want  float64
}{
	{"sleep", []float64{1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4}, 0.00390625},
	{"four", []float64{3, 1, -2, 5}, 0.375},
	{"conversations", []float64{-1.5, 2.25, -3.75, -4.5, -0.25, -6, 1, -2.5, -3, -1.25}, 0.041015625},
	// Sums that are equal but for rounding; the values are those of the same in tenths
	// and thirds.
	{"ties of tenths", []float64{0.1, 0.2, 0.3, -0.3, 0.1, 0.1, 0.7}, 0.21875},
	{"ties of thirds", []float64{1 / 3.0, 1 / 3.0, -1 / 3.0, 2 / 3.0, 0, 1 / 3.0, 1 / 3.0, 0}, 0.1875},
	// Fisher's maize, in The Design of Experiments (1935), section 21: 1,726 of the
	// 32,768 sums are as far out.
	{"maize", maize(), 1726.0 / 32768},
}

func maize() []float64 {
	d := make([]float64, len(crossed))
	for i := range d {
		d[i] = crossed[i] - selfed[i]
	}
	return d
}

func TestSignFlip(t *testing.T) {
	for _, c := range flipped {
		if len(c.units) <= exactUnits {
			p, ok := SignFlip{}.P(c.units)
			if !ok {
				t.Errorf("%s: no p", c.name)
			}
			near(t, c.name, p, c.want)
			continue
		}
		var sum float64
		for _, u := range c.units {
			sum += u
		}
		near(t, c.name, exactFlips(c.units, math.Abs(sum)), c.want)
	}
	for name, want := range map[string]float64{"zeros": 1, "one": 1} {
		p, ok := SignFlip{}.P(map[string][]float64{"zeros": {0, 0}, "one": {-2}}[name])
		if !ok || p != want {
			t.Errorf("%s: p = %g, %v, want %g", name, p, ok, want)
		}
	}
	for name, units := range map[string][]float64{"nothing": {}, "NaN": {1, math.NaN()}, "infinite": {math.Inf(-1), 1}} {
		if p, ok := (SignFlip{}).P(units); ok {
			t.Errorf("%s: p = %g, want none", name, p)
		}
	}
}

// Random flips find the share that all flips have, up to chance: three standard
// errors and the two that p adds.
func TestRandomFlips(t *testing.T) {
	const flips = 100_000
	for _, c := range flipped {
		var sum float64
		for _, u := range c.units {
			sum += u
		}
		f := SignFlip{Flips: flips, Seed: 3}
		got := float64(f.hits(c.units, math.Abs(sum)-1e-9)) / flips
		if se := math.Sqrt(c.want * (1 - c.want) / flips); math.Abs(got-c.want) > 3*se {
			t.Errorf("%s: %g of the random flips are as far out, want %g", c.name, got, c.want)
		}
	}
	units := make([]float64, 100)
	r := rand.New(rand.NewPCG(1, 1))
	for i := range units {
		units[i] = 0.2 + r.NormFloat64()
	}
	first, _ := SignFlip{Seed: 1}.P(units)
	if again, _ := (SignFlip{Seed: 1}).P(units); again != first {
		t.Errorf("the same seed gives %g and %g", first, again)
	}
	if other, _ := (SignFlip{Seed: 2}).P(units); other == first {
		t.Error("another seed gives the same p")
	}
	same := make([]float64, 40)
	for i := range same {
		same[i] = 0.1
	}
	if p, _ := (SignFlip{Flips: 999}).P(same); p != 1.0/1000 {
		t.Errorf("p = %g, want at least 1 of 1,000", p)
	}
}

// All flips are the sums that a plain loop finds, and do not depend on the order or
// the side of the differences.
func TestFlipsAreAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		units := rapid.SliceOfN(rapid.IntRange(-6, 6), 1, 10).Draw(t, "units")
		var sum, hits int
		x, turned := make([]float64, len(units)), make([]float64, len(units))
		for i, u := range units {
			sum += u
			x[i], turned[len(units)-1-i] = float64(u), -float64(u)
		}
		for flip := range 1 << len(units) {
			s := 0
			for i, u := range units {
				if flip>>i&1 == 1 {
					u = -u
				}
				s += u
			}
			if max(s, -s) >= max(sum, -sum) {
				hits++
			}
		}
		p, _ := SignFlip{}.P(x)
		other, _ := SignFlip{}.P(turned)
		if want := float64(hits) / float64(int(1)<<len(units)); p != want || other != want {
			t.Errorf("p of %v is %g, turned round %g, want %g", units, p, other, want)
		}
	})
}

func BenchmarkSignFlip(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	units := make([]float64, 1540)
	for i := range units {
		units[i] = r.NormFloat64()
	}
	for b.Loop() {
		SignFlip{Seed: 1}.P(units)
	}
}
