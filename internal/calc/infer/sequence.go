package infer

import (
	"math"
	"slices"

	"recallbench/internal/calc/stats"
)

// Confident is the evidence at which a difference is shown at any time, with a chance of
// 5 % to be wrong (Ville).
const Confident = 20

// ConfidenceSequence returns the differences that the evidence after the last conversation
// does not reject: from the outermost θ on each side with E(x - θ) below [Confident]. It
// holds the true one at all times together with a chance of 95 %, where differences of
// conversations are symmetric about it. ok is false where nothing is rejected, as before
// the sixth conversation.
func ConfidenceSequence(differences []float64, delta float64) (i stats.Interval, ok bool) {
	if len(differences) == 0 {
		return i, false
	}
	shifted := make([]float64, len(differences))
	rejects := func(theta float64) bool {
		for k, x := range differences {
			shifted[k] = x - theta
		}
		e := EValues(shifted, delta)
		return e[len(e)-1] >= Confident
	}
	// Beyond all differences E grows to the bound of its bets.
	far := 10 * delta / bets[0]
	i.Lo, ok = outermost(rejects, slices.Min(differences)-far, slices.Max(differences))
	var ok2 bool
	i.Hi, ok2 = outermost(rejects, slices.Max(differences)+far, slices.Min(differences))
	return i, ok && ok2 && finite(i.Lo) && finite(i.Hi)
}

// outermost returns the first number on the way between two that is not rejected; false
// where the first is not rejected, or all are.
func outermost(rejects func(float64) bool, from, to float64) (float64, bool) {
	const steps = 400
	if !rejects(from) {
		return 0, false
	}
	for n := 1; n <= steps; n++ {
		at := from + (to-from)*float64(n)/steps
		if rejects(at) {
			continue
		}
		out := from + (to-from)*float64(n-1)/steps
		for math.Abs(at-out) > 1e-12*(1+math.Abs(at)) {
			mid := (at + out) / 2
			if mid == at || mid == out {
				break
			}
			if rejects(mid) {
				out = mid
			} else {
				at = mid
			}
		}
		return at, true
	}
	return 0, false
}
