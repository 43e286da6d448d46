package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

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
