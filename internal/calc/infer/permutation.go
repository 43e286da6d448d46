package infer

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/combin"

	"recallbench/internal/calc/stats"
)

// exactPermutations is the largest number of permutations that are all gone through.
const exactPermutations = 20_000

// unpaired tests two sides that have no unit in common by permuting whole units: each
// has one value. The statistic is Welch's |t|, as studentised permutations hold their
// level where the spreads differ too (Janssen 1997; Chung and Romano 2013). The
// interval is Welch's.
func unpaired(base, now []float64, o Options) Result {
	r := Result{Units: min(len(base), len(now))}
	switch r.Units {
	case 0:
		r.Insufficient = NoUnits
		return r
	case 1:
		r.Insufficient = FewOnSide
		return r
	}
	w := newWelch(base, now)
	if !finite(w.mean) || !finite(w.se) {
		r.Insufficient = NoUnits
		return r
	}
	if w.se > 0 && !o.Bare {
		r.Interval = new(w.interval())
		r.Detectable = new(Detectable(w.se, w.freedom, 1-stats.Level, Power))
	}
	if r.Units < 3 {
		r.Insufficient = FewOnSide
		return r
	}
	r.Test, r.P, r.Least = Permutation, new(permute(base, now, o.Seed)), leastPermutations(len(base), len(now))
	return r
}

// newWelch returns the difference of two means with the error and the degrees of
// freedom of Welch (1947). Each side has at least two values.
func newWelch(base, now []float64) t {
	n, m := float64(len(base)), float64(len(now))
	mean, v := stat.MeanVariance(base, nil)
	other, w := stat.MeanVariance(now, nil)
	v, w = v/n, w/m
	x := t{mean: other - mean, se: math.Sqrt(v + w)}
	rounding := 10 * epsilon * max(floats.Norm(base, math.Inf(1)), floats.Norm(now, math.Inf(1)))
	if x.se <= rounding {
		x.se = 0
		if math.Abs(x.mean) <= rounding {
			x.mean = 0
		}
		return x
	}
	a, b := v/(v+w), w/(v+w)
	x.freedom = 1 / (a*a/(n-1) + b*b/(m-1))
	return x
}

// statistic is |t|, infinite if there is a difference and no spread.
func (x t) statistic() float64 {
	switch {
	case x.mean == 0:
		return 0
	case x.se == 0:
		return math.Inf(1)
	}
	return math.Abs(x.mean) / x.se
}

// permute returns the share of the ways to deal the values out to the sides that make
// a statistic at least as large.
func permute(base, now []float64, seed uint64) float64 {
	pool := slices.Concat(base, now)
	// In units of the largest, no square is beyond the range of numbers.
	if largest := floats.Norm(pool, math.Inf(1)); largest > 0 {
		for i := range pool {
			pool[i] /= largest
		}
	}
	seen := newWelch(pool[:len(base)], pool[len(base):]).statistic()
	seen -= 1e-12 * max(1, seen)
	if math.IsInf(seen, 1) || math.IsNaN(seen) {
		seen = math.MaxFloat64
	}
	hits := 0
	side := make([]bool, len(pool)) // whether a value is dealt to the new side
	var left, right []float64
	count := func() {
		left, right = left[:0], right[:0]
		for i, x := range pool {
			if side[i] {
				right = append(right, x)
			} else {
				left = append(left, x)
			}
		}
		if newWelch(left, right).statistic() >= seen {
			hits++
		}
	}
	if ways := binomial(len(pool), len(now)); ways <= exactPermutations {
		for deal := combin.NewCombinationGenerator(len(pool), len(now)); deal.Next(); {
			clear(side)
			for _, i := range deal.Combination(nil) {
				side[i] = true
			}
			count()
		}
		return float64(hits) / ways
	}
	r := rand.New(rand.NewPCG(seed, 0))
	for i := len(base); i < len(pool); i++ {
		side[i] = true
	}
	for range Draws {
		r.Shuffle(len(side), func(i, j int) { side[i], side[j] = side[j], side[i] })
		count()
	}
	return float64(1+hits) / float64(1+Draws)
}

// leastPermutations is the smallest p that permutations of two sides can have.
func leastPermutations(base, now int) float64 {
	ways := binomial(base+now, now)
	switch {
	case ways > exactPermutations:
		return 1 / float64(1+Draws)
	case base == now: // the sides the other way round are as far unpaired
		return 2 / ways
	}
	return 1 / ways
}

// binomial returns the number of ways to choose k of n.
func binomial(n, k int) float64 {
	ways, _ := new(big.Int).Binomial(int64(n), int64(k)).Float64()
	return ways
}
