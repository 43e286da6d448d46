package stats

import (
	"cmp"
	"math"
	"slices"
)

// Holm adjusts the p-values of several tests, so that the chance of one or
// more false findings among those with an adjusted value of at most α is at
// most α, however the tests depend on each other:
//
//	p'(i) = max over j ≤ i of min(1, (m - j + 1) p(j))
//
// where p(1) ≤ p(2) ≤ ... ≤ p(m) are the values in order. The result has the
// order of p, which stays as it is; each value is in [0, 1] and at least the
// one it comes from, and equal values stay equal.
//
// It follows Holm, "A Simple Sequentially Rejective Multiple Test Procedure"
// (1979), as adjusted values are usually written (Wright, 1992). It panics
// where a value is not in [0, 1], which no test returns.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i, x := range p {
		if !(x >= 0 && x <= 1) {
			panic("stats: a p-value that is not in [0, 1]")
		}
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	adjusted := make([]float64, len(p))
	least := 0.0
	for j, i := range order {
		least = math.Max(least, math.Min(1, float64(len(p)-j)*p[i]))
		adjusted[i] = least
	}
	return adjusted
}
