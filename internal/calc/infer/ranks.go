package infer

import (
	"cmp"
	"slices"
)

// A Rank is the places that a system may have among several, best first, from 1: those
// that are shown to be better stand before it, those shown to be worse behind it.
type Rank struct {
	Lowest, Highest int
	// Groups are the groups of systems that cannot be told different which it is in, from 0.
	Groups []int
}

// Ranks returns the intervals of the ranks of k systems (Mogstad, Romano, Shaikh and
// Wilhelm, 2024) from all tests of two of them, adjusted by Holm, or with [Options].Joint
// by max-T over flips that all pairs share, which finds more. Differences returns
// those of system i less j, where higher is better, and mean the value of a system, by
// which groups are numbered.
func Ranks(k int, differences func(i, j int) []Unit, mean func(i int) float64, o Options) []Rank {
	ranks := make([]Rank, k)
	var pairs [][2]int
	var rows []Row
	for i := range k {
		ranks[i] = Rank{Lowest: 1, Highest: k}
		for j := range i {
			rows = append(rows, Row{Pair: len(pairs), Units: differences(i, j)})
			pairs = append(pairs, [2]int{i, j})
		}
	}
	o.Correct, o.Bare = Holm, true
	if o.Joint {
		o.Correct = MaxT
		for i := range rows {
			rows[i].Pair = 0
		}
	}
	var different [][2]int
	for n, r := range Decide(rows, o) {
		if !r.Shown {
			continue
		}
		better, worse := pairs[n][0], pairs[n][1]
		sum := 0.0
		for _, u := range rows[n].Units {
			sum += u.Sum
		}
		if sum < 0 {
			better, worse = worse, better
		}
		ranks[better].Highest--
		ranks[worse].Lowest++
		different = append(different, pairs[n])
	}
	sets := alike(k, different)
	slices.SortStableFunc(sets, func(a, b []int) int { return cmp.Compare(best(b, mean), best(a, mean)) })
	for g, set := range sets {
		for _, i := range set {
			ranks[i].Groups = append(ranks[i].Groups, g)
		}
	}
	return ranks
}

// alike returns the largest sets of systems that no test tells different: all in one,
// parted at each pair, without those within others (Piepho, 2004).
func alike(k int, different [][2]int) [][]int {
	all := make([]int, k)
	for i := range all {
		all[i] = i
	}
	sets := [][]int{all}
	for _, pair := range different {
		var next [][]int
		for _, set := range sets {
			if !slices.Contains(set, pair[0]) || !slices.Contains(set, pair[1]) {
				next = append(next, set)
				continue
			}
			for _, out := range pair {
				next = append(next, slices.DeleteFunc(slices.Clone(set), func(i int) bool { return i == out }))
			}
		}
		sets = nil
		for i, set := range next {
			// No two sets are equal: each has a member that the others lack, or has lost one.
			absorbed := false
			for j, other := range next {
				absorbed = absorbed || i != j && !slices.ContainsFunc(set, func(s int) bool { return !slices.Contains(other, s) })
			}
			if !absorbed {
				sets = append(sets, set)
			}
		}
	}
	return sets
}

// best is the greatest mean in a set.
func best(set []int, mean func(int) float64) float64 {
	x := mean(set[0])
	for _, i := range set {
		x = max(x, mean(i))
	}
	return x
}
