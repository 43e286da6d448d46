package stats

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"recallbench/internal/calc/lists"
)

// Resamples is the number of resamples that reports draw.
const Resamples = 10_000

// A Bootstrap says how to resample.
type Bootstrap struct {
	Resamples int     // at least 1
	Level     float64 // confidence level, in (0, 1)
	Seed      uint64  // the same seed and clusters give the same interval
}

// Interval returns an interval for the mean over all values. Whole clusters
// are drawn with replacement, as many as there are, and the mean of the drawn
// values is computed again; the interval's ends are percentiles of these
// means.
//
// The percentiles are not (1-level)/2 and (1+level)/2 but the expanded ones of
// Hesterberg (2015): with G clusters
//
//	Φ(-t sqrt(G/(G-1))) and Φ(t sqrt(G/(G-1)))
//
// where t is the quantile of Student's t with G-1 degrees of freedom at
// (1+level)/2. The resampled means of a few clusters spread less than means of
// new conversations would, and this makes up for it: with ten clusters, plain
// percentiles hold the true mean clearly less often than they say.
//
// The interval is unknown, and ok is false, with fewer than two clusters that
// have a value.
func (b Bootstrap) Interval(clusters []Cluster) (i Interval, ok bool) {
	of := b.Intervals([][]Cluster{clusters})[0]
	if of == nil {
		return Interval{}, false
	}
	return *of, true
}

// Intervals returns the results of Interval for several series at once, such as the
// differences of all pairs of methods: series[k][i] has the values of series k in
// cluster i. All that have values in the same clusters are resampled with the same
// draws, so that a hundred of them take little longer than ten. An unknown interval
// is nil. No interval depends on the other series.
func (b Bootstrap) Intervals(series [][]Cluster) []*Interval {
	intervals := make([]*Interval, len(series))
	for _, alike := range sameClusters(series) {
		for i, means := range b.means(series, alike) {
			interval := b.percentiles(means, Count(series[alike[0]]))
			if finite(interval.Lo) && finite(interval.Hi) {
				intervals[alike[i]] = &interval
			}
		}
	}
	return intervals
}

// sameClusters returns the places of the series that have values in the same two
// clusters or more, those that do so together.
func sameClusters(series [][]Cluster) [][]int {
	same := func(a, b Cluster) bool { return (a.N > 0) == (b.N > 0) }
	var all [][]int
	for k, s := range series {
		if Count(s) < 2 {
			continue
		}
		i := slices.IndexFunc(all, func(of []int) bool { return slices.EqualFunc(series[of[0]], s, same) })
		if i < 0 {
			i, all = len(all), append(all, nil)
		}
		all[i] = append(all[i], k)
	}
	return all
}

// percentiles returns the expanded percentiles of sorted results of resampling
// clusters.
func (b Bootstrap) percentiles(sorted []float64, clusters int) Interval {
	tail := expandedTail(clusters, b.Level)
	return Interval{
		Lo: stat.Quantile(tail, stat.Empirical, sorted, nil),
		Hi: stat.Quantile(1-tail, stat.Empirical, sorted, nil),
	}
}

// expandedTail returns the lower of the two percentiles, as a share.
func expandedTail(clusters int, level float64) float64 {
	g := float64(clusters)
	t := distuv.StudentsT{Sigma: 1, Nu: g - 1}.Quantile((1 + level) / 2)
	return distuv.UnitNormal.CDF(-t * math.Sqrt(g/(g-1)))
}

// means returns the means of the resamples of the series at some places, which have
// values in the same clusters, each in ascending order.
func (b Bootstrap) means(series [][]Cluster, at []int) [][]float64 {
	m := matrix{clusters: Count(series[at[0]])}
	sums, weights := make([]int, len(at)), make([]int, len(at)) // lanes
	same, constant := make([]bool, len(at)), make([]float64, len(at))
	for i, k := range at {
		full := lists.Filter(series[k], func(c Cluster) bool { return c.N > 0 })
		weight := lists.Map(full, func(c Cluster) float64 { return c.Weight })
		sums[i] = m.lane(lists.Map(full, func(c Cluster) float64 { return c.Sum }))
		if same[i] = slices.Min(weight) == slices.Max(weight); same[i] {
			constant[i] = weight[0] * float64(len(weight)) // of any draws
			continue
		}
		weights[i] = m.lane(weight)
	}
	totals := m.resample(b)
	all := make([][]float64, len(at))
	for i := range all {
		all[i] = make([]float64, b.Resamples)
		for r := range all[i] {
			weight := constant[i]
			if !same[i] {
				weight = totals[weights[i]][r]
			}
			all[i][r] = totals[sums[i]][r] / weight
		}
		slices.Sort(all[i])
	}
	return all
}

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
