package stats

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
	if got := (Bootstrap{Resamples: 10, Level: Level}).Intervals([][]Cluster{clustersOf([]float64{1, 2}, nil), nil}); got[0] != nil || got[1] != nil {
		t.Errorf("fewer than two clusters have the intervals %v", got)
	}
}

// A series has the same interval whatever stands beside it.
func TestIntervalsAreStable(t *testing.T) {
	series := pairsOf(6, 40, 120)
	b := Bootstrap{Resamples: 1100, Level: Level, Seed: 5}
	want := b.Intervals(series)
	for i, s := range series {
		if got := b.Intervals([][]Cluster{s}); !cmp.Equal(got[0], want[i]) {
			t.Errorf("series %d alone has %v, among others %v", i, got[0], want[i])
		}
	}
	b.Seed++
	if got := b.Intervals(series); cmp.Equal(got, want) {
		t.Error("another seed gives the same intervals")
	}
}

// All 15 pairs of six methods.
func BenchmarkIntervals(b *testing.B) {
	for name, conversations := range map[string]int{"1540 questions of 10 conversations": 10, "1540 questions of their own": 1540} {
		b.Run(name, func(b *testing.B) {
			series := pairsOf(6, conversations, 1540)
			boot := Bootstrap{Resamples: Resamples, Level: Level, Seed: 1}
			for b.Loop() {
				boot.Intervals(series)
			}
		})
	}
}
