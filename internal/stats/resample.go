package stats

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/stat"
)

// Intervals returns what [Bootstrap.Interval] does for several series at once, such
// as the differences of all pairs of methods: series[k][i] holds the values of
// series k in cluster i. All series that have values in the same clusters are
// resampled with the same draws, so that a hundred of them cost little more than
// one. An interval that is not known is nil.
//
// The draws are not those of Interval, which has one sequence of them: here each
// block of resamples has its own, and so the result does not depend on how many
// processors there are.
func (b Bootstrap) Intervals(series [][]Cluster) []*Interval {
	intervals := make([]*Interval, len(series))
	done := make([]bool, len(series))
	for k := range series {
		if done[k] {
			continue
		}
		var of []int // the series with values in the same clusters
		for j := k; j < len(series); j++ {
			if !done[j] && sameClusters(series[k], series[j]) {
				of = append(of, j)
				done[j] = true
			}
		}
		b.alike(series, of, intervals)
	}
	return intervals
}

// sameClusters reports whether two series have values in the same clusters.
func sameClusters(a, b []Cluster) bool {
	return slices.EqualFunc(a, b, func(x, y Cluster) bool { return (x.N > 0) == (y.N > 0) })
}

// alike finds the intervals of the series at some places, which have values in the
// same clusters.
func (b Bootstrap) alike(series [][]Cluster, of []int, intervals []*Interval) {
	clusters := Count(series[of[0]])
	if clusters < 2 {
		return
	}
	m := newMatrix(clusters)
	type column struct{ sum, weight int } // lanes
	columns := make([]column, len(of))
	for i, k := range of {
		sums, weights := make([]float64, 0, clusters), make([]float64, 0, clusters)
		for _, c := range series[k] {
			if c.N > 0 {
				sums, weights = append(sums, c.Sum), append(weights, c.Weight)
			}
		}
		columns[i] = column{m.lane(sums), m.lane(weights)}
	}
	totals := m.resample(b)
	tail := expandedTail(clusters, b.Level)
	each(len(of), func(i int) {
		means := make([]float64, b.Resamples)
		for r := range means {
			means[r] = totals[columns[i].sum][r] / totals[columns[i].weight][r]
		}
		slices.Sort(means)
		interval := Interval{
			Lo: stat.Quantile(tail, stat.Empirical, means, nil),
			Hi: stat.Quantile(1-tail, stat.Empirical, means, nil),
		}
		if finite(interval.Lo) && finite(interval.Hi) {
			intervals[of[i]] = &interval
		}
	})
}

// width is how many lanes are added up at once: those of a line of the cache.
const width = 8

// A matrix holds lanes of numbers, one number a cluster. Eight lanes lie beside each
// other, so that a drawn cluster is one access to memory.
type matrix struct {
	clusters int
	lanes    [][]float64
	blocks   [][][width]float64
}

func newMatrix(clusters int) *matrix { return &matrix{clusters: clusters} }

// lane adds a lane and returns its number, or that of a lane with the same numbers.
func (m *matrix) lane(x []float64) int {
	for i, have := range m.lanes {
		if slices.Equal(have, x) {
			return i
		}
	}
	n := len(m.lanes)
	m.lanes = append(m.lanes, x)
	if n%width == 0 {
		m.blocks = append(m.blocks, make([][width]float64, m.clusters))
	}
	for i, v := range x {
		m.blocks[n/width][i][n%width] = v
	}
	return n
}

// blockResamples is how many resamples share a sequence of random numbers.
const blockResamples = 250

// resample returns the sums of the lanes over the clusters of each resample.
func (m *matrix) resample(b Bootstrap) [][]float64 {
	totals := make([][]float64, len(m.lanes))
	for i := range totals {
		totals[i] = make([]float64, b.Resamples)
	}
	blocks := (b.Resamples + blockResamples - 1) / blockResamples
	each(blocks, func(block int) {
		// Sequence 0 is that of Interval.
		source := rand.NewPCG(b.Seed, uint64(block)+1)
		drawn := make([]uint32, m.clusters+1)
		for r := block * blockResamples; r < min((block+1)*blockResamples, b.Resamples); r++ {
			draw(source, drawn, uint64(m.clusters))
			for k, rows := range m.blocks {
				sums := addUp(rows, drawn[:m.clusters])
				for lane := k * width; lane < min((k+1)*width, len(m.lanes)); lane++ {
					totals[lane][r] = sums[lane%width]
				}
			}
		}
	})
	return totals
}

// draw fills drawn with numbers below n, two from each random number, as
// [Bootstrap.Interval] does.
func draw(source *rand.PCG, drawn []uint32, n uint64) {
	for i := 0; i+1 < len(drawn); i += 2 {
		r := source.Uint64()
		drawn[i] = uint32((r >> 32) * n >> 32)
		drawn[i+1] = uint32((r & 0xffffffff) * n >> 32)
	}
}

// addUp adds rows up.
func addUp(rows [][width]float64, drawn []uint32) [width]float64 {
	var a, b, c, d, e, f, g, h float64
	for _, i := range drawn {
		row := &rows[i]
		a += row[0]
		b += row[1]
		c += row[2]
		d += row[3]
		e += row[4]
		f += row[5]
		g += row[6]
		h += row[7]
	}
	return [width]float64{a, b, c, d, e, f, g, h}
}

// each calls f for all numbers below n, on as many processors as there are.
func each(n int, f func(int)) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	all.Wait()
}
