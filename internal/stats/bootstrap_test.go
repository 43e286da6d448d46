package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// Values from SciPy 1.10.1:
//
//	scipy.stats.norm.cdf(-scipy.stats.t.ppf(.975, g-1) * sqrt(g/(g-1)))
func TestExpandedTail(t *testing.T) {
	for g, want := range map[int]float64{
		2:    1.695219061483072e-72,
		3:    6.834137304562962e-08,
		10:   0.008550639025807874,
		50:   0.02117941134692262,
		1000: 0.024804305905564344,
	} {
		near(t, "tail", expandedTail(g, 0.95), want)
	}
}

// Three clusters have 27 equally likely resamples; their smallest, mean and
// largest mean are known exactly.
func TestMeansOfResamples(t *testing.T) {
	cs := []Cluster{{N: 2, Weight: 2, Sum: 0.3}, {}, {N: 3, Weight: 3, Sum: 1.5}, {N: 1, Weight: 1, Sum: 0.9}}
	means := Bootstrap{Resamples: 200_000, Level: 0.95, Seed: 1}.means(cs)
	near(t, "smallest", means[0], 0.15)
	near(t, "largest", means[len(means)-1], 0.9)
	if m := stat.Mean(means, nil); math.Abs(m-0.463478835978836) > 0.002 {
		t.Errorf("mean of means = %g, want 0.4635", m)
	}
	i, ok := Bootstrap{Resamples: 1000, Level: 0.95, Seed: 1}.Interval(cs)
	if !ok || i.Lo != 0.15 || math.Abs(i.Hi-0.9) > 1e-12 {
		t.Errorf("interval = %v, %v, want all of [0.15, 0.9] for three clusters", i, ok)
	}
}

func TestBootstrapIsSeeded(t *testing.T) {
	cs := locomoLike(rand.New(rand.NewPCG(1, 2)))
	b := Bootstrap{Resamples: 500, Level: Level, Seed: 7}
	first, _ := b.Interval(cs)
	if again, _ := b.Interval(cs); again != first {
		t.Errorf("second interval %v, first %v", again, first)
	}
	b.Seed = 8
	if other, _ := b.Interval(cs); other == first {
		t.Error("another seed gives the same interval")
	}
}

// locomoLike draws scores of ten conversations with as many questions each as
// LoCoMo's categories 1 to 4. A conversation has its own mean, spread by 0.05
// around 0.4; a score is 0, 1 or between, as F1 is.
func locomoLike(r *rand.Rand) []Cluster {
	sizes := []int{152, 81, 152, 199, 178, 123, 150, 191, 156, 158}
	cs := make([]Cluster, len(sizes))
	for i, n := range sizes {
		mean := 0.4 + 0.05*r.NormFloat64()
		for range n {
			x := 0.0
			if r.Float64() < 1.5*mean {
				x = 1/3.0 + 2/3.0*r.Float64() // of mean 2/3
			}
			cs[i].Add(x)
		}
	}
	return cs
}

// The intervals are meant for new conversations of the same kind. With ten of
// them, the interval should hold the true mean about 95 times in 100, and
// plain percentiles fall short.
func TestCoverage(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates")
	}
	const runs, truth = 2000, 0.4
	r := rand.New(rand.NewPCG(20, 26))
	var expanded, plain int
	var widths []float64
	for k := range runs {
		cs := locomoLike(r)
		b := Bootstrap{Resamples: 1000, Level: Level, Seed: uint64(k)}
		i, _ := b.Interval(cs)
		if i.Contains(truth) {
			expanded++
		}
		means := b.means(cs)
		if (Interval{means[24], means[974]}).Contains(truth) {
			plain++
		}
		widths = append(widths, i.Hi-i.Lo)
	}
	slices.Sort(widths)
	share := func(n int) float64 { return 100 * float64(n) / runs }
	t.Logf("of %d samples of 10 conversations, the 95 %% interval held the true mean in %.1f %% with expanded percentiles and %.1f %% with plain ones; median width %.3f",
		runs, share(expanded), share(plain), widths[runs/2])
	if s := share(expanded); s < 93 || s > 97 {
		t.Errorf("expanded percentiles hold the true mean in %.1f %%, want 95 ± 2", s)
	}
	if plain >= expanded {
		t.Errorf("plain percentiles held it %d times, expanded %d: the expansion does nothing", plain, expanded)
	}
}

func BenchmarkBootstrap(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	single := make([]Cluster, 1540)
	for i := range single {
		single[i].Add(r.Float64())
	}
	for _, c := range []struct {
		name     string
		clusters []Cluster
	}{
		{"1540 questions of 10 conversations", locomoLike(r)},
		{"1540 questions of their own", single},
	} {
		b.Run(c.name, func(b *testing.B) {
			boot := Bootstrap{Resamples: Resamples, Level: Level, Seed: 1}
			for b.Loop() {
				boot.Interval(c.clusters)
			}
		})
	}
}
