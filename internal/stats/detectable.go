package stats

import "gonum.org/v1/gonum/stat/distuv"

// Power is the chance of a difference to be shown that [Detectable] is about.
const Power = 0.8

// Detectable returns the smallest difference that a two-sided test at the level
// alpha shows with the chance power, both in (0, 1), where its standard error is se,
// with some degrees of freedom:
//
//	se (t(1-alpha/2) + t(power))
//
// where t are quantiles of Student's t. It is in the unit of se. For 0.05 and 0.8 and
// many degrees of freedom it is 2.80 standard errors.
//
// It follows Bloom, "Minimum Detectable Effects" (1995).
func Detectable(se, freedom, alpha, power float64) float64 {
	t := distuv.StudentsT{Sigma: 1, Nu: freedom}
	return se * (t.Quantile(1-alpha/2) + t.Quantile(power))
}
