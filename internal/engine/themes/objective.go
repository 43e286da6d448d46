package themes

import (
	"math"
	"slices"
)

// score returns f of themes (equations 1 to 3), as the released code computes it for
// the part of the hierarchy that it looks at. They need not be in the set.
//
//	f        = Sparsity + Semantic
//	Sparsity = N/(K+ε) · N/(Σ n_k² + ε)
//	Semantic = mean_k( cohesion_k · exp(-(s_k - m)² / 2σ²) )
//
// for K themes of n_k semantics, N in all; cohesion_k is the mean cosine of the
// members and the centroid, which is their mean; s_k is the largest cosine of
// the centroid with another one, rounded to float32; m is the median of s, and
// σ = median|s-m| + ε. It lies between -1 and 2, and higher is better. No theme
// gives 0; for one theme s is 0, and with one or two themes the exponential is
// 1. Where more than half of the s are equal, σ is ε, and every theme with
// another s counts as good as nothing: so does the code, and it is kept.
func (s *space) score(parts []*theme) float64 {
	nearest := make([]float64, len(parts))
	for k, t := range parts {
		nearest[k] = math.Inf(-1)
		for j, o := range parts[:k] {
			c := between(t, o)
			nearest[k], nearest[j] = max(nearest[k], c), max(nearest[j], c)
		}
	}
	for k := range nearest {
		nearest[k] = rounded(nearest[k])
	}
	return s.objective(parts, nearest, slices.Sorted(slices.Values(nearest)))
}

// objective returns f of the themes, given the largest cosine of each with another, which
// the released code keeps in float32, in their order and sorted. NaN leaves a theme out.
func (s *space) objective(themes []*theme, nearest, sorted []float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	k, n, squares := len(sorted), 0, 0
	b := newBell(sorted)
	sum := 0.0
	for i, t := range themes {
		if nearest[i] != nearest[i] {
			continue
		}
		n += len(t.members)
		squares += len(t.members) * len(t.members)
		if k == 1 {
			nearest[i] = b.m
		}
		sum += s.cohesionOf(t) * b.at(nearest[i])
	}
	return sparsity(n, k, squares) + sum/float64(k)
}

// sparsity is equation 2 for n semantics in k themes, the squares of whose
// sizes add up to squares.
func sparsity(n, k, squares int) float64 {
	return float64(n) / (float64(k) + epsilon) * (float64(n) / (float64(squares) + epsilon))
}

// A bell is the function g of equation 3.
type bell struct{ m, sigma float64 }

// newBell returns the bell of the nearest similarities, which are sorted.
func newBell(sorted []float64) bell {
	if len(sorted) == 1 {
		return bell{0, epsilon}
	}
	m := median(sorted)
	var middle [2]float64 // the last two distances from m, of which half are taken
	above, _ := slices.BinarySearch(sorted, m)
	below := above - 1
	for range len(sorted)/2 + 1 {
		middle[0] = middle[1]
		if above == len(sorted) || below >= 0 && m-sorted[below] < sorted[above]-m {
			middle[1] = m - sorted[below]
			below--
		} else {
			middle[1] = sorted[above] - m
			above++
		}
	}
	return bell{m, median(middle[len(sorted)%2:]) + epsilon}
}

func median(sorted []float64) float64 {
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

func (b bell) at(s float64) float64 {
	d := (s - b.m) / b.sigma
	return math.Exp(-d * d / 2)
}

// rounded returns a similarity as the objective sees it.
func rounded(similarity float64) float64 { return float64(float32(similarity)) }
