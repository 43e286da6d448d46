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
func (s *space) score(parts []*theme) float64 {
	nearest := make([]float64, len(parts))
	for k, t := range parts {
		nearest[k] = math.Inf(-1)
		for j, o := range parts[:k] {
			c := between(t, o)
			nearest[k], nearest[j] = max(nearest[k], c), max(nearest[j], c)
		}
	}
	return s.objective(parts, nearest)
}

// objective returns f of the themes, given the largest cosine of each with another, which
// the released code keeps in float32. NaN leaves a theme out, and one by itself has -Inf.
func (s *space) objective(parts []*theme, nearest []float64) float64 {
	nearest = lists.Map(nearest, rounded)
	k := len(lists.Filter(nearest, func(x float64) bool { return x == x }))
	if k == 0 {
		return 0
	}
	if k == 1 {
		nearest = lists.Map(nearest, func(x float64) float64 { return max(x, 0) - max(x, 0) }) // 0 or NaN
	}
	b := newBell(nearest)
	n, squares, sum := 0, 0, 0.0
	for i, t := range parts {
		if x := nearest[i]; x == x {
			n += len(t.members)
			squares += len(t.members) * len(t.members)
			sum += s.cohesionOf(t) * b.at(x)
		}
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

// newBell returns the bell of the nearest similarities; NaN is left out.
func newBell(nearest []float64) bell {
	m := median(nearest)
	return bell{m, median(lists.Map(nearest, func(x float64) float64 { return math.Abs(x - m) })) + epsilon}
}

func median(list []float64) float64 {
	sorted := slices.DeleteFunc(slices.Sorted(slices.Values(list)), math.IsNaN)
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

func (b bell) at(s float64) float64 {
	d := (s - b.m) / b.sigma
	return math.Exp(-d * d / 2)
}

// rounded returns a similarity as the objective sees it.
func rounded(similarity float64) float64 { return float64(float32(similarity)) }
