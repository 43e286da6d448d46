package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// A matrix holds lanes of numbers, one number a cluster.
type matrix struct {
	clusters int
	lanes    [][]float64
}

// lane adds a lane and returns its number, or that of a lane with the same numbers.
func (m *matrix) lane(x []float64) int {
	if i := slices.IndexFunc(m.lanes, func(have []float64) bool { return slices.Equal(have, x) }); i >= 0 {
		return i
	}
	m.lanes = append(m.lanes, x)
	return len(m.lanes) - 1
}

// resample returns the sums of the lanes over the clusters of each resample.
func (m *matrix) resample(b Bootstrap) [][]float64 {
	totals := make([][]float64, len(m.lanes))
	for i := range totals {
		totals[i] = make([]float64, b.Resamples)
	}
	rows := make([][]float64, m.clusters) // the numbers of a cluster beside each other
	for i := range rows {
		for _, x := range m.lanes {
			rows[i] = append(rows[i], x[i])
		}
	}
	source := rand.NewPCG(b.Seed, 0)
	drawn, sums := make([]uint32, m.clusters+m.clusters%2), make([]float64, len(m.lanes))
	for r := range b.Resamples {
		m.draw(source, drawn)
		clear(sums)
		for _, i := range drawn[:m.clusters] {
			for lane, x := range rows[i] {
				sums[lane] += x
			}
		}
		for lane, sum := range sums {
			totals[lane][r] = sum
		}
	}
	return totals
}

// draw draws clusters, two from each random number: the high parts of the products of
// its halves with their number. Each is off from uniform by at most the number of
// clusters in 2³².
func (m *matrix) draw(source *rand.PCG, drawn []uint32) {
	g := uint64(m.clusters)
	for i := 0; i+1 < len(drawn); i += 2 {
		r := source.Uint64()
		drawn[i], drawn[i+1] = uint32((r>>32)*g>>32), uint32((r&math.MaxUint32)*g>>32)
	}
}
