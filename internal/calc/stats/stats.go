// Package stats quantifies the certainty of a mean: how many values it is based
// on, and an interval that says how much it could change with another sample of
// conversations.
//
// The questions of one conversation share its speakers, its topics and its
// memory, so they are not independent draws. Everything here works on
// [Cluster]s, the sums of one conversation, and treats the conversations as the
// sampling units. Nothing returns NaN: undefined results are reported as
// missing.
//
// docs/comparing.md says why these methods were chosen and how well they work.
package stats

import "math"

// Level is the confidence level of the intervals that reports print.
const Level = 0.95

// FewClusters is the number of clusters below which an interval is only
// approximate: its true confidence level then depends on how similar the
// clusters are.
const FewClusters = 20

// An Interval is a range from Lo to Hi, both included.
type Interval struct {
	Lo float64 `json:"low"`
	Hi float64 `json:"high"`
}

// Contains reports whether x lies in the interval.
func (i Interval) Contains(x float64) bool { return i.Lo <= x && x <= i.Hi }

// Widen returns the interval with both ends moved outward by d.
func (i Interval) Widen(d float64) Interval { return Interval{i.Lo - d, i.Hi + d} }

// Scale returns the interval with both ends multiplied by a positive factor.
func (i Interval) Scale(by float64) Interval { return Interval{i.Lo * by, i.Hi * by} }

// finite reports whether x is a number.
func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// A Cluster holds the sums of the values of one cluster, such as the scores of
// the questions about one conversation. The zero Cluster has no values. Sums
// are all that means, errors and resampling need: a cluster of two hundred
// questions costs as much as one of two.
type Cluster struct {
	N       int     // number of values
	Weight  float64 // sum of their weights; N where each counts the same
	Sum     float64 // of the values, each times its weight
	Squares float64 // of the squares of the values, each times its weight
}

// Add adds a value of weight 1.
func (c *Cluster) Add(x float64) { c.AddWeighted(x, 1) }

// AddWeighted adds a value that counts for weight values. A weight of 0 or
// less adds nothing.
func (c *Cluster) AddWeighted(x, weight float64) {
	if !(weight > 0) {
		return
	}
	c.N++
	c.Weight += weight
	c.Sum += weight * x
	c.Squares += weight * x * x
}

// Merge adds the values of d.
func (c *Cluster) Merge(d Cluster) {
	c.N += d.N
	c.Weight += d.Weight
	c.Sum += d.Sum
	c.Squares += d.Squares
}

// One returns the cluster with its values counted as one: their mean, with their
// mean weight.
func (c *Cluster) One() Cluster {
	if c.N == 0 {
		return Cluster{}
	}
	n := float64(c.N)
	return Cluster{N: 1, Weight: c.Weight / n, Sum: c.Sum / n, Squares: c.Squares / n}
}

// Total returns the sums over all values of all clusters.
func Total(clusters []Cluster) Cluster {
	var t Cluster
	for _, c := range clusters {
		t.Merge(c)
	}
	return t
}

// Mean returns the weighted mean over all values, whatever cluster they are
// in, and their number. Without values both are 0.
func Mean(clusters []Cluster) (mean float64, n int) {
	t := Total(clusters)
	if t.N == 0 {
		return 0, 0
	}
	return t.Sum / t.Weight, t.N
}

// Count returns the number of clusters that have a value.
func Count(clusters []Cluster) int {
	n := 0
	for _, c := range clusters {
		if c.N > 0 {
			n++
		}
	}
	return n
}

// StandardError returns the cluster-robust standard error of [Mean]:
//
//	SE = sqrt( G/(G-1) Σ (s_g - m w_g)² ) / W
//
// where s_g is the weighted sum of the values of cluster g and w_g the sum of their
// weights; m is the mean, W = Σ w_g and G is the number of clusters that have a
// value. It is in the unit of the values, at least 0. It is not known, and ok is
// false, with fewer than two clusters.
//
// This is the sandwich estimator of Liang and Zeger (1986) for a constant,
// with the usual factor G/(G-1) for few clusters.
func StandardError(clusters []Cluster) (se float64, ok bool) {
	g := Count(clusters)
	if g < 2 {
		return 0, false
	}
	t := Total(clusters)
	mean := t.Sum / t.Weight
	var ss float64
	for _, c := range clusters {
		e := c.Sum - mean*c.Weight
		ss += e * e
	}
	se = math.Sqrt(ss*float64(g)/float64(g-1)) / t.Weight
	return se, finite(se)
}

// EffectiveN returns the number of independent values that would pin down the
// mean as well as these clustered ones do: N over the design effect, which is
// the square of [StandardError] over the variance that the mean would have if
// the values were independent (Kish, 1965). It lies between 1 and N; clusters
// that are more even than chance do not count for more than N. It is not
// known, and ok is false, with fewer than two clusters, when all values are
// equal, or when values are weighted.
func EffectiveN(clusters []Cluster) (n float64, ok bool) {
	se, ok := StandardError(clusters)
	t := Total(clusters)
	if !ok || t.N < 2 || t.Weight != float64(t.N) {
		return 0, false
	}
	size := float64(t.N)
	mean := t.Sum / size
	independent := (t.Squares/size - mean*mean) / (size - 1)
	// The difference of two nearly equal numbers can come out as rounding
	// noise, or below 0, when all values are equal.
	if independent <= 1e-15*t.Squares/size || !finite(independent) {
		return 0, false
	}
	if se == 0 {
		return size, true
	}
	return min(max(independent/(se*se)*size, 1), size), true
}
