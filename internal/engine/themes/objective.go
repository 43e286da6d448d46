package themes

import (
	"fmt"
	"math"
	"slices"
)

// Objective returns f of a partition (equations 1 to 3), as the released code
// computes it for the part of the hierarchy that it looks at:
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
//
// A theme holds places in vectors; none may be empty.
func Objective(vectors [][]float32, themes [][]int) (float64, error) {
	s, err := newSpace(vectors)
	if err != nil {
		return 0, fmt.Errorf("objective: %w", err)
	}
	parts := make([]*theme, len(themes))
	for k, members := range themes {
		if len(members) == 0 {
			return 0, fmt.Errorf("objective: theme %d is empty", k)
		}
		for _, i := range members {
			if i < 0 || i >= len(vectors) {
				return 0, fmt.Errorf("objective: theme %d holds semantic %d, want 0 to %d", k, i, len(vectors)-1)
			}
		}
		parts[k] = s.newTheme(k, members)
	}
	return s.score(parts), nil
}

// score returns f of the themes.
func (s *space) score(parts []*theme) float64 {
	if len(parts) == 0 {
		return 0
	}
	n, squares := 0, 0
	cohesion := make([]float64, len(parts))
	for k, t := range parts {
		n += len(t.members)
		squares += len(t.members) * len(t.members)
		cohesion[k] = s.cohesionOf(t)
	}
	nearest := s.nearestOf(parts)
	sorted := slices.Sorted(slices.Values(nearest))
	b := newBell(sorted)
	sum := 0.0
	for k, c := range cohesion {
		sum += c * b.at(nearest[k])
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
	m := (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
	return bell{m, deviation(sorted, m) + epsilon}
}

func (b bell) at(s float64) float64 {
	d := (s - b.m) / b.sigma
	return math.Exp(-d * d / 2)
}

// deviation returns the median of |s-m| for the sorted numbers s and their
// median m. The distances grow from m to both sides, so that the two in the
// middle are found by walking outwards.
func deviation(sorted []float64, m float64) float64 {
	n := len(sorted)
	// The smallest k distances are those of a window around m.
	right, _ := slices.BinarySearch(sorted, m)
	left := right - 1
	var before, last float64
	for range n/2 + 1 {
		before = last
		if left >= 0 && (right >= n || m-sorted[left] <= sorted[right]-m) {
			last = m - sorted[left]
			left--
		} else {
			last = sorted[right] - m
			right++
		}
	}
	if n%2 == 1 {
		return last
	}
	return (before + last) / 2
}

// nearestOf returns for each theme the largest cosine of its centroid with
// another one's.
func (s *space) nearestOf(parts []*theme) []float64 {
	nearest := make([]float64, len(parts))
	if len(parts) < 2 {
		return nearest
	}
	near := newMatrix(s.dim)
	near.grow(len(parts))
	for k, t := range parts {
		copy(near.row(k), t.row)
	}
	if near.stride == 0 {
		return nearest
	}
	width := len(near.data) / near.stride
	products := make([]float32, width*width)
	near.products(products, near.data, 0, width)
	slack := 2 * near.slack()
	for k, t := range parts {
		line := products[k*width : k*width+len(parts)]
		top := float32(math.Inf(-1))
		for j, p := range line {
			if j != k {
				top = max(top, p)
			}
		}
		best := math.Inf(-1)
		for j, p := range line {
			if j != k && p >= top-slack {
				best = max(best, between(t, parts[j]))
			}
		}
		nearest[k] = rounded(best)
	}
	return nearest
}

// rounded returns a similarity as the objective sees it: the released code
// keeps similarities of centroids in float32.
func rounded(similarity float64) float64 { return float64(float32(similarity)) }
