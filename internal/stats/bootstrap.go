package stats

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
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
// The interval is not known, and ok is false, with fewer than two clusters
// that have a value.
func (b Bootstrap) Interval(clusters []Cluster) (i Interval, ok bool) {
	means := b.means(clusters)
	if means == nil {
		return Interval{}, false
	}
	tail := expandedTail(Count(clusters), b.Level)
	i = Interval{
		Lo: stat.Quantile(tail, stat.Empirical, means, nil),
		Hi: stat.Quantile(1-tail, stat.Empirical, means, nil),
	}
	return i, finite(i.Lo) && finite(i.Hi)
}

// expandedTail returns the lower of the two percentiles, as a share.
func expandedTail(clusters int, level float64) float64 {
	g := float64(clusters)
	t := distuv.StudentsT{Sigma: 1, Nu: g - 1}.Quantile((1 + level) / 2)
	return distuv.UnitNormal.CDF(-t * math.Sqrt(g/(g-1)))
}

// means returns the means of the resamples in ascending order; nil for fewer
// than two clusters with values, or for sums beyond the range of numbers.
func (b Bootstrap) means(clusters []Cluster) []float64 {
	type sums struct{ sum, weight float64 }
	var full []sums
	for _, c := range clusters {
		if c.N > 0 {
			full = append(full, sums{c.Sum, c.Weight})
		}
	}
	if len(full) < 2 || !finite(Total(clusters).Sum) {
		return nil
	}
	means := make([]float64, b.Resamples)
	source := rand.NewPCG(b.Seed, 0)
	g := uint64(len(full))
	for k := range means {
		var s sums
		// Two draws from each random number: the high parts of the products of
		// its halves with g. Each is off from uniform by at most g in 2³².
		for drawn := uint64(0); drawn < g; drawn += 2 {
			r := source.Uint64()
			a := full[(r>>32)*g>>32]
			s.sum += a.sum
			s.weight += a.weight
			if drawn+1 < g {
				a = full[(r&math.MaxUint32)*g>>32]
				s.sum += a.sum
				s.weight += a.weight
			}
		}
		means[k] = s.sum / s.weight
	}
	slices.Sort(means)
	return means
}
