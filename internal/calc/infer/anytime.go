package infer

import "math"

// bets are the five multiples of 1/δ that are laid.
var bets = []float64{0.25, 0.5, 1, 2, 4}

// EValues returns the evidence against the absence of a difference after each
// conversation, by the mean differences of conversations in an order that was fixed
// before:
//
//	E_n = 1/5 Σ_k cosh(λ_k Σ x) / Π cosh(λ_k x),  λ_k = c_k/δ,  c = 0.25, 0.5, 1, 2, 4
//
// where δ above 0 is the smallest difference of interest. Where labels of sides do
// not matter, E reaches 20 at any time with a chance of at most 5 % (Ville), so that
// one may stop there. Equal signs need six conversations (de la Peña, 1999; Howard,
// Ramdas, McAuliffe and Sekhon, 2020). E is at least 0 and finite.
func EValues(differences []float64, delta float64) []float64 {
	values := make([]float64, len(differences))
	var sum float64
	products := make([]float64, len(bets)) // logarithms
	for i, x := range differences {
		sum += x
		var mixture float64
		for k, c := range bets {
			products[k] += logCosh(c / delta * x)
			mixture += math.Exp(logCosh(c/delta*sum)-products[k]) / float64(len(bets))
		}
		values[i] = min(mixture, math.MaxFloat64)
	}
	return values
}

// logCosh returns ln cosh x without overflow.
func logCosh(x float64) float64 {
	x = min(math.Abs(x), 1e300) // sums of many stay finite
	return x + math.Log1p(math.Exp(-2*x)) - math.Ln2
}

// Confident is the evidence at which a difference is significant at any time, with a 5 %
// chance of error (Ville).
const Confident = 20
