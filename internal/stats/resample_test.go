package stats

import (
	"math"
	"math/rand/v2"
	"runtime"
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

// One series has the interval of Interval, up to the chance of other draws, and so
// has each of several, with empty clusters and clusters of all sizes.
func TestIntervalsAreIntervals(t *testing.T) {
	series := append(pairsOf(5, 10, 203), pairsOf(2, 300, 300)...)
	series[3][4], series[3][7] = Cluster{}, Cluster{}
	series = append(series, clustersOf([]float64{1, 2}, nil), nil) // no interval
	b := Bootstrap{Resamples: 40_000, Level: Level, Seed: 5}
	got := b.Intervals(series)
	for i, s := range series {
		want, ok := b.Interval(s)
		if ok != (got[i] != nil) {
			t.Errorf("series %d: %v, %v alone", i, got[i], ok)
		}
		if !ok {
			continue
		}
		if width := want.Hi - want.Lo; math.Abs(got[i].Lo-want.Lo) > width/25 || math.Abs(got[i].Hi-want.Hi) > width/25 {
			t.Errorf("series %d: %v, alone %v", i, *got[i], want)
		}
	}
}

// A series has the same interval whatever stands beside it, and however many
// processors there are.
func TestIntervalsAreStable(t *testing.T) {
	series := pairsOf(6, 40, 120)
	b := Bootstrap{Resamples: 1100, Level: Level, Seed: 5}
	want := b.Intervals(series)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if got := b.Intervals(series); !cmp.Equal(got, want) {
		t.Error("one processor gives other intervals than several")
	}
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
