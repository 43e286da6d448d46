package infer

import (
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"

	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
)

// A t is a mean difference with its standard error.
type t struct{ mean, se, freedom float64 }

// newT returns the mean over all values with the CR2 error of whole units. The
// degrees of freedom are those of Bell and McCaffrey (2002; Imbens and Kolesár,
// 2016), reduced to a constant and a working model of independent errors:
//
//	Var = Σ u²/(1 - p) / N²
//	ν   = 1 / (Σ p² + (Σ w)² - Σ w²),  w = p²/(1 - p)
//
// where a unit has the share p of the weight N, and u is its sum less the mean times
// its weight. With units of equal size Var is the usual sandwich with the factor
// G/(G-1), and ν is G-1. There are at least two units; ok is false if a value is
// beyond the range of numbers.
func newT(units []stats.Cluster) (_ t, ok bool) {
	total := stats.Total(units)
	mean := total.Sum / total.Weight
	var variance, squares, w, ww, largest float64
	for _, c := range units {
		p := c.Weight / total.Weight
		u := (c.Sum - mean*c.Weight) / total.Weight
		variance += u * u / (1 - p)
		squares += p * p
		share := p * p / (1 - p)
		w += share
		ww += share * share
		largest = max(largest, math.Abs(c.Sum/c.Weight))
	}
	x := t{mean, math.Sqrt(variance), 1 / (squares + w*w - ww)}
	if x.se <= 10*epsilon*largest { // nothing but rounding
		x.se = 0
	}
	return x, finite(x.mean) && finite(x.se) && finite(x.freedom)
}

// p is that of a mean of 0, two-sided.
func (x t) p() float64 {
	switch {
	case x.se > 0:
		return tails(x.mean/x.se, x.freedom)
	case x.mean == 0:
		return 1
	}
	return 0
}

// interval is the 95 % interval of the mean.
func (x t) interval() stats.Interval {
	return stats.Interval{Lo: x.mean, Hi: x.mean}.Widen(x.se * quantile((1+stats.Level)/2, x.freedom))
}

// epsilon is the distance from 1 to the next larger number.
const epsilon = 0x1p-52

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// tails returns the probability that Student's t with ν degrees of freedom, which
// need not be whole, is at least as far from 0 as t:
//
//	P = I(ν/(ν+t²); ν/2, 1/2) = 1 - I(t²/(ν+t²); 1/2, ν/2)
//
// where I is the regularized incomplete beta function (Abramowitz and Stegun,
// 26.7.1 and 26.5.27). The first keeps the digits of small P, where one minus a
// distribution function has none, the second those of small t.
func tails(t, nu float64) float64 {
	switch square := t * t; {
	case math.IsInf(square, 1):
		return 0
	case square < 1:
		return 1 - mathext.RegIncBeta(0.5, nu/2, square/(nu+square))
	default:
		return mathext.RegIncBeta(nu/2, 0.5, nu/(nu+square))
	}
}

// quantile returns the quantile of Student's t at p, above one half.
func quantile(p, nu float64) float64 { return distuv.StudentsT{Sigma: 1, Nu: nu}.Quantile(p) }

// Power is the chance of finding a difference for [Detectable].
const Power = 0.8

// Detectable returns the smallest difference that a two-sided t-test at the level
// alpha finds with the chance power, if its standard error is se: the δ for which
//
//	P(|T| > t(1-alpha/2; ν)) = power
//
// where T is noncentral t with ν degrees of freedom and noncentrality δ/se. It is in
// the unit of se.
func Detectable(se, freedom, alpha, power float64) float64 {
	critical := quantile(1-alpha/2, freedom)
	short := func(delta float64) float64 { return noncentralTails(critical, freedom, delta) - power }
	lo, hi := 0.0, critical
	for short(hi) < 0 {
		lo, hi = hi, 2*hi
	}
	for range 44 { // to 13 digits
		if mid := (lo + hi) / 2; short(mid) < 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return se * hi
}

// noncentralTails returns the probability that a noncentral t with ν degrees of
// freedom is at least as far from 0 as t:
//
//	Σ Poisson(j; δ²/2) I(ν/(ν+t²); ν/2, j + 1/2),  j = 0, 1, ...
//
// with δ above 0, as its square is a noncentral F with 1 and ν degrees of freedom.
func noncentralTails(t, nu, delta float64) float64 {
	half := delta * delta / 2
	x := nu / (nu + t*t)
	var sum float64
	// The terms far from the mean of the Poisson distribution vanish.
	spread := 8*math.Sqrt(half) + 16
	for j := math.Floor(max(0, half-spread)); j <= half+spread; j++ {
		sum += distuv.Poisson{Lambda: half}.Prob(j) * mathext.RegIncBeta(nu/2, j+0.5, x)
	}
	return sum
}

// MeanError returns the mean over all values of clusters and its CR2 error, see [newT].
// It is unknown, and ok is false, with fewer than two clusters that have a value.
func MeanError(clusters []stats.Cluster) (mean, se float64, ok bool) {
	clusters = withValues(clusters)
	if len(clusters) < 2 {
		return 0, 0, false
	}
	x, ok := newT(clusters)
	return x.mean, x.se, ok
}

func withValues(clusters []stats.Cluster) []stats.Cluster {
	return lists.Filter(clusters, func(c stats.Cluster) bool { return c.N > 0 })
}

// A Margin is the result of testing a mean difference against a margin Δ.
type Margin struct {
	// Same is the p-value of two one-sided t-tests (Schuirmann, 1987) that the
	// difference lies outside (-Δ, Δ), and NotLess that it is -Δ or less.
	Same, NotLess float64
	// Interval is the 90 % interval: it lies in (-Δ, Δ) where Same is at most 0.05.
	Interval stats.Interval
}

// Within tests the mean difference of units against a margin above 0, in the unit of
// the differences. It uses the CR2 error with the degrees of freedom of Bell and
// McCaffrey:
//
//	Same = max(P(T > (m+Δ)/se), P(T < (m-Δ)/se)),  NotLess = P(T > (m+Δ)/se)
//
// It is unknown, and ok is false, with fewer than two units, or if a value is beyond
// the range of numbers. Two to five units that all differ by the same mean have no
// usable error, and ok is false too.
func Within(units []Unit, margin float64) (_ Margin, ok bool) {
	clusters := withValues(lists.Map(units, func(u Unit) stats.Cluster { return u.Cluster }))
	if len(clusters) < 2 || margin <= 0 {
		return Margin{}, false
	}
	x, ok := newT(clusters)
	if !ok || x.se == 0 && len(clusters) < FlipUnits {
		return Margin{}, false
	}
	// above is the one-sided p-value of a mean above a shift downwards.
	above := func(shift float64) float64 {
		p := t{x.mean + shift, x.se, x.freedom}.p() / 2
		if x.mean+shift > 0 {
			return p
		}
		return 1 - p
	}
	return Margin{
		Same: max(above(margin), 1-above(-margin)), NotLess: above(margin),
		Interval: stats.Interval{Lo: x.mean, Hi: x.mean}.Widen(x.se * quantile(0.95, max(x.freedom, 1))),
	}, true
}
