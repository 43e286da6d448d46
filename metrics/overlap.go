package metrics

import "slices"

// stack is the number of tokens that are held without allocating.
const stack = 32

// overlap returns the size of the intersection of a and b as multisets.
func overlap(a, b []string) int {
	left := make(map[string]int, len(a))
	for _, t := range a {
		left[t]++
	}
	n := 0
	for _, t := range b {
		if left[t] > 0 {
			left[t]--
			n++
		}
	}
	return n
}

// distinct sorts tokens in place and removes repeated ones.
func distinct(tokens []string) []string {
	slices.Sort(tokens)
	return slices.Compact(tokens)
}

// f1 returns the harmonic mean of precision n/pred and recall n/gold; 0 where
// nothing is in common.
func f1(n, pred, gold int) float64 {
	if n == 0 {
		return 0
	}
	p, r := float64(n)/float64(pred), float64(n)/float64(gold)
	return 2 * p * r / (p + r)
}

// setF1 returns the F1 of two sets of tokens. It reorders them.
func setF1(pred, gold []string) float64 {
	pred, gold = distinct(pred), distinct(gold)
	return f1(overlap(pred, gold), len(pred), len(gold))
}
