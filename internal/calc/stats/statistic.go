package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"recallbench/internal/calc/lists"
)

// A Statistic is a number that is computed from sums over clusters, such as an
// agreement of raters from counts of their labels.
type Statistic struct {
	// Sums are those of each cluster, all of one length.
	Sums [][]float64
	// Of returns the statistic of the sums over some clusters; ok is false if it is
	// undefined.
	Of func(total []float64) (x float64, ok bool)
}

// Value returns the statistic of all clusters; ok is false if it is undefined.
func (s Statistic) Value() (x float64, ok bool) { return s.without(-1) }

// without returns the statistic of all clusters but one.
func (s Statistic) without(skip int) (float64, bool) {
	if len(s.Sums) == 0 {
		return 0, false
	}
	total := make([]float64, len(s.Sums[0]))
	for c, sums := range s.Sums {
		if c == skip {
			continue
		}
		for i, x := range sums {
			total[i] += x
		}
	}
	x, ok := s.Of(total)
	return x, ok && finite(x)
}

// JackknifeError returns the delete-one-cluster standard error:
//
//	SE = sqrt( (G-1)/G Σ (θ₋c - θ̄)² )
//
// where θ₋c is the statistic without cluster c, θ̄ the mean of these, and G the
// number of clusters. It has no random part. It is unknown, and ok is false, with
// fewer than two clusters or where a θ₋c is undefined.
//
// Source: Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 11.
func (s Statistic) JackknifeError() (se float64, ok bool) {
	g := len(s.Sums)
	if g < 2 {
		return 0, false
	}
	left := make([]float64, g)
	for c := range left {
		if left[c], ok = s.without(c); !ok {
			return 0, false
		}
	}
	return math.Sqrt(stat.PopVariance(left, nil) * float64(g-1)), true
}

// Statistic returns an interval for a statistic: expanded percentiles over resamples
// of whole clusters, as in [Bootstrap.Interval]. Resamples with an undefined
// statistic are left out. The interval is unknown, and ok is false, with fewer than
// two clusters or if half of the resamples are left out.
func (b Bootstrap) Statistic(s Statistic) (i Interval, ok bool) {
	if len(s.Sums) < 2 {
		return Interval{}, false
	}
	m := matrix{clusters: len(s.Sums)}
	lanes := make([]int, len(s.Sums[0]))
	for k := range lanes {
		lanes[k] = m.lane(lists.Map(s.Sums, func(sums []float64) float64 { return sums[k] }))
	}
	totals := m.resample(b)
	values, total := make([]float64, 0, b.Resamples), make([]float64, len(lanes))
	for r := range b.Resamples {
		for k, lane := range lanes {
			total[k] = totals[lane][r]
		}
		if x, ok := s.Of(total); ok && finite(x) {
			values = append(values, x)
		}
	}
	if 2*len(values) <= b.Resamples {
		return Interval{}, false
	}
	slices.Sort(values)
	return b.percentiles(values, len(s.Sums)), true
}
