package infer

import "recallbench/internal/calc/stats"

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
	var clusters []stats.Cluster
	for _, u := range units {
		if u.N > 0 {
			clusters = append(clusters, u.Cluster)
		}
	}
	if len(clusters) < 2 || margin <= 0 {
		return Margin{}, false
	}
	x, ok := newT(clusters)
	if !ok || x.se == 0 && len(clusters) < FlipUnits {
		return Margin{}, false
	}
	above := func(shift float64) float64 {
		return t{x.mean + shift, x.se, x.freedom}.above()
	}
	return Margin{
		Same: max(above(margin), 1-above(-margin)), NotLess: above(margin),
		Interval: stats.Interval{Lo: x.mean, Hi: x.mean}.Widen(x.se * quantile(0.95, max(x.freedom, 1))),
	}, true
}

// above is the one-sided p-value of a mean above 0.
func (x t) above() float64 {
	if x.mean > 0 {
		return x.p() / 2
	}
	return 1 - x.p()/2
}
