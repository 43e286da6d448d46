package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
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
	means := Bootstrap{Resamples: 200_000, Level: 0.95, Seed: 1}.means([][]Cluster{cs}, []int{0})[0]
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

// locomoSizes are the numbers of questions of LoCoMo's conversations in
// categories 1 to 4.
var locomoSizes = []int{152, 81, 152, 199, 178, 123, 150, 191, 156, 158}

// simulate draws scores of some conversations, as many each as LoCoMo has. A
// conversation has a mean of its own, spread by 0.05 around 0.4; a score is 0,
// 1 or between, as F1 is, or 0 or 1 alone.
func simulate(r *rand.Rand, conversations int, binary bool) []Cluster {
	cs := make([]Cluster, conversations)
	for i := range cs {
		mean := 0.4 + 0.05*r.NormFloat64()
		for range locomoSizes[i%len(locomoSizes)] {
			x := 0.0
			switch {
			case binary && r.Float64() < mean:
				x = 1
			case !binary && r.Float64() < 1.5*mean:
				x = 1/3.0 + 2/3.0*r.Float64() // of mean 2/3
			}
			cs[i].Add(x)
		}
	}
	return cs
}

// The intervals are meant for new conversations of the same kind: of a hundred
// samples of them, about 95 should hold the true mean.
func TestCoverage(t *testing.T) {
	const runs, truth = 500, 0.4
	for _, conversations := range []int{5, 10, 20, 50} {
		r := rand.New(rand.NewPCG(20, uint64(conversations)))
		var expanded, plain, rate, naive int
		count := func(n *int, i Interval) {
			if i.Contains(truth) {
				*n++
			}
		}
		for k := range runs {
			cs := simulate(r, conversations, false)
			b := Bootstrap{Resamples: 500, Level: Level, Seed: uint64(k)}
			i, _ := b.Interval(cs)
			count(&expanded, i)
			means := b.means([][]Cluster{cs}, []int{0})[0]
			count(&plain, Interval{means[12], means[487]})

			rates := simulate(r, conversations, true)
			i, _ = RateInterval(rates, Level)
			count(&rate, i)
			mean, n := Mean(rates)
			i, _ = Wilson(mean, float64(n), Level)
			count(&naive, i)
		}
		share := func(n int) float64 { return 100 * float64(n) / runs }
		t.Logf("%2d conversations: bootstrap %.1f %% (plain percentiles %.1f %%), rate %.1f %% (Wilson of all n %.1f %%)",
			conversations, share(expanded), share(plain), share(rate), share(naive))
		// Five clusters tell too little for any method; reports say so.
		least := 93.0
		if conversations < FewClusters {
			least = 90
		}
		for name, s := range map[string]float64{"bootstrap": share(expanded), "rate": share(rate)} {
			if s < least || s > 98 {
				t.Errorf("%d conversations: the interval by %s holds the true mean in %.1f %%, want %g to 98", conversations, name, s, least)
			}
		}
		if plain >= expanded || naive >= rate {
			t.Errorf("%d conversations: the corrections do nothing", conversations)
		}
	}
}

// pairsOf makes up the scores of some methods on questions about conversations, and
// returns the differences of each two of them.
func pairsOf(methods, conversations, questions int) [][]Cluster {
	r := rand.New(rand.NewPCG(24, uint64(conversations)))
	scores := make([][]float64, methods)
	for m := range scores {
		scores[m] = make([]float64, questions)
		for i := range scores[m] {
			scores[m][i] = r.Float64()
		}
	}
	var series [][]Cluster
	for a := range methods {
		for b := range a {
			cs := make([]Cluster, conversations)
			for i := range questions {
				cs[i%conversations].Add(scores[a][i] - scores[b][i])
			}
			series = append(series, cs)
		}
	}
	return series
}

// drawnMeans resamples a series in the plainest way, one cluster after the other.
func drawnMeans(b Bootstrap, clusters []Cluster) []float64 {
	full := slices.DeleteFunc(slices.Clone(clusters), func(c Cluster) bool { return c.N == 0 })
	source := rand.NewPCG(b.Seed, 0)
	means := make([]float64, b.Resamples)
	for k := range means {
		var sum, weight float64
		var r uint64
		for i := range full {
			if i%2 == 0 {
				r = source.Uint64()
			}
			c := full[(r>>32)*uint64(len(full))>>32]
			r <<= 32
			sum += c.Sum
			weight += c.Weight
		}
		means[k] = sum / weight
	}
	slices.Sort(means)
	return means
}

// All series have the resamples that each has by itself: with empty clusters, with
// clusters of all sizes, and as many of them as fill lines of the cache and not.
func TestMeansAreThoseOfDraws(t *testing.T) {
	for _, methods := range []int{2, 3, 5, 6} {
		series := append(pairsOf(methods, 11, 203), pairsOf(2, 300, 300)...)
		series[0] = slices.Clone(series[0])
		series[0][4], series[0][7] = Cluster{}, Cluster{}
		b := Bootstrap{Resamples: 1030, Level: Level, Seed: 5}
		for _, at := range sameClusters(series) {
			for i, got := range b.means(series, at) {
				if want := drawnMeans(b, series[at[i]]); !slices.Equal(got, want) {
					t.Errorf("%d methods: series %d has other means among others than alone", methods, at[i])
				}
			}
		}
	}
	series := pairsOf(6, 40, 120)
	b := Bootstrap{Resamples: 1100, Level: Level, Seed: 5}
	want := b.Intervals(series)
	if b.Seed++; cmp.Equal(b.Intervals(series), want) {
		t.Error("another seed gives the same intervals")
	}
	if got := (Bootstrap{Resamples: 10, Level: Level}).Intervals([][]Cluster{clustersOf([]float64{1, 2}, nil), nil}); got[0] != nil || got[1] != nil {
		t.Errorf("fewer than two clusters have the intervals %v", got)
	}
}
