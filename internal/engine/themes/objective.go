package themes

import (
	"math"
	"slices"

	"recallbench/internal/calc/lists"
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
func (s *set) score(parts []*theme) float64 {
	nearest := make([]float64, len(parts))
	for k, t := range parts {
		nearest[k] = math.Inf(-1)
		for j, o := range parts {
			if j != k {
				nearest[k] = max(nearest[k], s.cosine(t, o))
			}
		}
	}
	return s.objective(parts, nearest)
}

// objective returns f of the themes, given the largest cosine of each with another,
// which the released code keeps in float32.
func (s *space) objective(parts []*theme, nearest []float64) float64 {
	if len(parts) == 0 {
		return 0
	}
	n, squares := 0, 0
	for k, t := range parts {
		n += len(t.members)
		squares += len(t.members) * len(t.members)
		nearest[k] = rounded(nearest[k])
	}
	if len(parts) == 1 {
		nearest[0] = 0
	}
	b := newBell(slices.Sorted(slices.Values(nearest)))
	sum := 0.0
	for k, t := range parts {
		sum += s.cohesionOf(t) * b.at(nearest[k])
	}
	return sparsity(n, len(parts), squares) + sum/float64(len(parts))
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
	m := median(sorted)
	distances := lists.Map(sorted, func(s float64) float64 { return math.Abs(s - m) })
	slices.Sort(distances)
	return bell{m, median(distances) + epsilon}
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
