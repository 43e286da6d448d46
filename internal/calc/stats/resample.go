package stats

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
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

// turn is how many resamples are drawn by one goroutine before another takes over.
const turn = 250

// resample returns the sums of the lanes over the clusters of each resample. The
// random numbers are one sequence; each resample has its part, whoever draws it: a
// goroutine takes the generator as it is, and leaves it as it will be after its turn.
func (m *matrix) resample(b Bootstrap) [][]float64 {
	totals := make([][]float64, len(m.lanes))
	for i := range totals {
		totals[i] = make([]float64, b.Resamples)
	}
	draws := (m.clusters + 1) / 2 // random numbers of a resample
	turn := turn
	if runtime.GOMAXPROCS(0) == 1 {
		turn = b.Resamples
	}
	source, next := rand.NewPCG(b.Seed, 0), 0
	var mu sync.Mutex
	take := func() (own rand.PCG, from, to int) {
		mu.Lock()
		defer mu.Unlock()
		own, from, to = *source, next, min(next+turn, b.Resamples)
		next = to
		if to < b.Resamples {
			for range (to - from) * draws {
				source.Uint64()
			}
		}
		return own, from, to
	}
	rows := make([][]float64, m.clusters) // the numbers of a cluster beside each other
	for i := range rows {
		rows[i] = make([]float64, len(m.lanes))
		for lane, x := range m.lanes {
			rows[i][lane] = x[i]
		}
	}
	each(runtime.GOMAXPROCS(0), func(int) {
		drawn := make([]uint32, 2*draws)
		sums := make([]float64, len(m.lanes))
		for own, from, to := take(); from < to; own, from, to = take() {
			for r := from; r < to; r++ {
				m.draw(&own, drawn)
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
		}
	})
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

// each calls f for the numbers below n, at the same time where there are several
// processors.
func each(n int, f func(int)) {
	if runtime.GOMAXPROCS(0) == 1 {
		for i := range n {
			f(i)
		}
		return
	}
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { f(i) })
	}
	all.Wait()
}
