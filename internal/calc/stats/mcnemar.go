package stats

import "gonum.org/v1/gonum/mathext"

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
