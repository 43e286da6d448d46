package infer

import (
	"cmp"
	"math"
	"slices"

	"recallbench/internal/calc/lists"
)

// A block is rows whose p-values are adjusted together already.
type block struct {
	rows []int
	p    []float64
}

// adjust fills in the adjusted p-values of rows and what follows from them. Rows of
// two conversations that nobody accepts show nothing and are no tests. One of units
// that differ by the same mean counts as a test with p 1, since only the data tell.
func adjust(rows []Row, results []Result, o Options) {
	var all []block
	flips := make(map[int]int) // by pair of sides, the place of its block
	for i, r := range results {
		switch {
		case r.Insufficient == SameMean, r.Insufficient == FewDiffer:
			all = append(all, block{[]int{i}, []float64{1}})
			continue
		case r.P == nil || r.Insufficient != "":
			continue
		}
		joint := r.Test == SignFlip && (o.Correct == MaxT || o.Correct == "")
		if at, ok := flips[rows[i].Pair]; joint && ok {
			all[at].rows, all[at].p = append(all[at].rows, i), append(all[at].p, *r.P)
			continue
		}
		if joint {
			flips[rows[i].Pair] = len(all)
		}
		all = append(all, block{[]int{i}, []float64{*r.P}})
	}
	for _, b := range all {
		if len(b.rows) < 2 {
			continue
		}
		units := lists.Map(b.rows, func(i int) []Unit { return rows[i].Units })
		for k, p := range stepDown(units, o.Seed) {
			// Units beyond those of a row can make its flips random ones.
			b.p[k] = max(b.p[k], p)
		}
	}
	tests := len(all)
	switch o.Correct {
	case None:
		tests = 1
	case BH:
		tests = 1
		benjaminiHochberg(all)
	default:
		holmBlocks(all)
	}
	for _, b := range all {
		for k, i := range b.rows {
			r := &results[i]
			if r.Tests = tests; r.P == nil {
				continue
			}
			r.Adjusted = &b.p[k]
			r.Shown = b.p[k] <= o.Alpha
			if !r.Shown && r.Least*float64(tests) > o.Alpha {
				r.Insufficient, r.Needed = Coarse, needed(*r, o.Alpha)
			}
		}
	}
}

// needed returns how many units could show something among as many tests.
func needed(r Result, alpha float64) int {
	for n := r.Units + 1; n <= exactUnits+1; n++ {
		least := leastFlips(n)
		if r.Test == Permutation {
			least = leastPermutations(n, n)
		}
		if least*float64(r.Tests) <= alpha {
			return n
		}
	}
	return 0
}

// holmBlocks adjusts the p-values of blocks for each other. Within a level α, rows of
// each of m blocks are shown whose p is at most α/m. A block leaves once all its rows
// are shown, and m is one less for the others. The chance of any false finding is at
// most α: until the first, all blocks with a row that is not different are there.
// With one row a block this is Holm's procedure (1979).
func holmBlocks(all []block) {
	order := make([]int, len(all)) // by the largest p, at which a block leaves
	for i := range order {
		order[i] = i
	}
	largest := func(i int) float64 { return slices.Max(all[i].p) }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(largest(a), largest(b)) })
	leave := make([]float64, len(all)) // level at which so many blocks have left
	for k, i := range order {
		leave[k] = math.Min(1, float64(len(all)-k)*largest(i))
		if k > 0 {
			leave[k] = max(leave[k], leave[k-1])
		}
	}
	for k, i := range order {
		for n, p := range all[i].p {
			// With the first j blocks gone, a row is shown at the level (m-j) p. Blocks
			// behind its own leave at higher levels than it does.
			best := math.Min(1, float64(len(all))*p)
			for j := 1; j <= k; j++ {
				best = math.Min(best, max(leave[j-1], math.Min(1, float64(len(all)-j)*p)))
			}
			all[i].p[n] = best
		}
	}
}

// benjaminiHochberg adjusts p-values by the step-up procedure of Benjamini and
// Hochberg (1995): p'(i) = min over j ≥ i of m p(j)/j.
func benjaminiHochberg(all []block) {
	var p []*float64
	for _, b := range all {
		for k := range b.p {
			p = append(p, &b.p[k])
		}
	}
	slices.SortStableFunc(p, func(a, b *float64) int { return cmp.Compare(*a, *b) })
	least := 1.0
	for i, x := range slices.Backward(p) {
		least = math.Min(least, *x*float64(len(p))/float64(i+1))
		*x = least
	}
}
