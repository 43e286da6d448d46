package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// A Difference is that of the means of two sides that are not paired.
type Difference struct {
	Mean  float64 // of b less that of a, in the unit of the values
	Error float64 // its standard error, at least 0
	DF    float64 // degrees of freedom, at least 1
	P     float64 // that it is 0, by Student's t, two-tailed, in [0, 1]
}

// Unpaired compares the means of two sides, where a[i] and b[i] hold the values
// that they have in cluster i. A cluster may have values on both sides, such as
// other questions about the same conversation, or on one. The influence of a
// cluster on the difference is
//
//	e = sqrt(B/(B-1)) (s_b - m_b w_b) / W_b - sqrt(A/(A-1)) (s_a - m_a w_a) / W_a
//
// with the notation of [StandardError], A clusters of side a and B of side b, and
// the error is sqrt(Σ e²). The degrees of freedom are those of Welch and
// Satterthwaite, where V_a, V_b and V_ab are the sums of e² over the clusters of a
// alone, of b alone, and of both:
//
//	V² / (V_a²/(A-1) + V_b²/(B-1) + V_ab²/(min(A, B)-1)),  V = V_a + V_b + V_ab
//
// Where no cluster is on both sides and each has one value, this is Welch's test
// (1947); where all clusters are on both sides and have the same number of values
// there, it is the paired t-test of their means.
//
// Where there is neither a difference nor an error, P is 1. The test is not defined,
// and ok is false, where a side has fewer than two clusters, or there is a difference
// without an error, up to rounding.
func Unpaired(a, b []Cluster) (d Difference, ok bool) {
	if len(a) != len(b) {
		panic("stats: clusters of slices of unequal length")
	}
	ga, gb := float64(Count(a)), float64(Count(b))
	if ga < 2 || gb < 2 {
		return Difference{}, false
	}
	ta, tb := Total(a), Total(b)
	ma, mb := ta.Sum/ta.Weight, tb.Sum/tb.Weight
	fa, fb := math.Sqrt(ga/(ga-1))/ta.Weight, math.Sqrt(gb/(gb-1))/tb.Weight
	var va, vb, both float64
	for i := range a {
		e := fb*(b[i].Sum-mb*b[i].Weight) - fa*(a[i].Sum-ma*a[i].Weight)
		switch {
		case a[i].N > 0 && b[i].N > 0:
			both += e * e
		case a[i].N > 0:
			va += e * e
		default:
			vb += e * e
		}
	}
	v := va + vb + both
	d = Difference{Mean: mb - ma, Error: math.Sqrt(v)}
	if !finite(d.Mean) || !finite(d.Error) {
		return Difference{}, false
	}
	if rounding := 10 * epsilon * max(math.Abs(ma), math.Abs(mb)); d.Error <= rounding {
		return Difference{DF: min(ga, gb) - 1, P: 1}, math.Abs(d.Mean) <= rounding
	}
	// Of shares, no square is beyond the range of numbers.
	va, vb, both = va/v, vb/v, both/v
	d.DF = 1 / (va*va/(ga-1) + vb*vb/(gb-1) + both*both/(min(ga, gb)-1))
	d.P = twoTailed(d.Mean/d.Error, d.DF)
	return d, true
}

// Interval returns the interval of the difference at a confidence level in (0, 1):
//
//	Mean ± t Error
//
// where t is the quantile of Student's t at (1+level)/2.
func (d Difference) Interval(level float64) Interval {
	return Interval{d.Mean, d.Mean}.Widen(d.Error * distuv.StudentsT{Sigma: 1, Nu: d.DF}.Quantile((1+level)/2))
}
