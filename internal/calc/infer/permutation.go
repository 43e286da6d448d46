package infer

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

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
	m, v, n := [2]float64{}, [2]float64{}, [2]float64{}
	largest := 0.0
	for i, values := range [][]float64{base, now} {
		n[i] = float64(len(values))
		for _, x := range values {
			m[i] += x / n[i]
			largest = max(largest, math.Abs(x))
		}
		for _, x := range values {
			v[i] += (x - m[i]) * (x - m[i]) / (n[i] - 1) / n[i]
		}
	}
	x := t{mean: m[1] - m[0], se: math.Sqrt(v[0] + v[1])}
	if x.se <= 10*epsilon*largest {
		x.se = 0
		if math.Abs(x.mean) <= 10*epsilon*largest {
			x.mean = 0
		}
		return x
	}
	a, b := v[0]/(v[0]+v[1]), v[1]/(v[0]+v[1])
	x.freedom = 1 / (a*a/(n[0]-1) + b*b/(n[1]-1))
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
	if largest := max(slices.Max(pool), -slices.Min(pool)); largest > 0 {
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
	var dealt [2][]float64
	count := func() {
		dealt[0], dealt[1] = dealt[0][:0], dealt[1][:0]
		for i, x := range pool {
			if side[i] {
				dealt[1] = append(dealt[1], x)
			} else {
				dealt[0] = append(dealt[0], x)
			}
		}
		if newWelch(dealt[0], dealt[1]).statistic() >= seen {
			hits++
		}
	}
	n := len(now)
	if ways := binomial(len(pool), n); ways <= exactPermutations {
		chosen := make([]int, n)
		for deal := combin.NewCombinationGenerator(len(pool), n); deal.Next(); {
			clear(side)
			for _, i := range deal.Combination(chosen) {
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
