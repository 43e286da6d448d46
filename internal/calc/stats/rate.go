package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// RateInterval returns an interval for the mean of values that are 0 or 1: the
// [Wilson] interval of
//
//	n = EffectiveN · (t(N-1) / t(G-1))²
//
// independent trials, where t(d) is the quantile of Student's t with d degrees
// of freedom at (1+level)/2, N the number of values and G of clusters that have
// one. The factor compensates for an [EffectiveN] that is itself estimated from
// few clusters. With one value per cluster, n is N. If EffectiveN is unknown,
// as with one cluster or equal trials, n is N too.
//
// It follows Korn and Graubard (1998), with Wilson's interval in place of
// Clopper and Pearson's. The interval is unknown, and ok is false, without
// values.
func RateInterval(clusters []Cluster, level float64) (i Interval, ok bool) {
	mean, size := Mean(clusters)
	n, known := EffectiveN(clusters)
	if !known {
		return Wilson(mean, float64(size), level)
	}
	student := func(freedom int) float64 {
		return distuv.StudentsT{Sigma: 1, Nu: float64(freedom)}.Quantile((1 + level) / 2)
	}
	f := student(size-1) / student(Count(clusters)-1)
	return Wilson(mean, n*f*f, level)
}

// Wilson returns the score interval of a rate p seen in n independent trials,
// at a confidence level in (0, 1):
//
//	(p + z²/2n ± z sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n)
//
// where z is the normal quantile of the level. Unlike an interval by the
// standard error it stays inside [0, 1] and has a width at p = 0 and p = 1.
// n need not be whole: for clustered trials it is the number of independent
// ones that they are worth, see [EffectiveN]. The interval is not known, and
// ok is false, when n is not positive or p is not in [0, 1].
//
// It follows Wilson (1927), without continuity correction.
func Wilson(p, n, level float64) (i Interval, ok bool) {
	if !(n > 0) || math.IsInf(n, 1) || !(p >= 0 && p <= 1) {
		return Interval{}, false
	}
	z := distuv.UnitNormal.Quantile((1 + level) / 2)
	center := p + z*z/(2*n)
	spread := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	scale := 1 + z*z/n
	return Interval{max((center-spread)/scale, 0), min((center+spread)/scale, 1)}, true
}

// McNemar returns the p-value of the exact test that two answerers are right
// equally often, from the pairs on which they disagree: those that only the
// first has right, and those that only the second has. It is two-sided and in
// (0, 1]:
//
//	p = min(1, 2 P(X ≤ min(first, second))), X binomial of first + second and 1/2
//
// so that it is 1 if there are none. Pairs on which both agree do not count.
// Pairs are treated as independent of each other. It panics if a number is
// negative.
//
// The test is McNemar's (1947), with the binomial distribution in place of χ².
func McNemar(first, second int) float64 {
	least, n := min(first, second), first+second
	if least < 0 {
		panic("stats: a negative number of pairs")
	}
	if 2*least >= n-1 { // more than half of the distribution
		return 1
	}
	// P(X ≤ k) = I(1/2; n-k, k+1) (Abramowitz and Stegun, 26.5.24).
	return 2 * mathext.RegIncBeta(float64(n-least), float64(least+1), 0.5)
}
