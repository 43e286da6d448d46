package infer

// A Rank is the range of ranks of a system among several, best first, from 1: systems
// that are significantly better come before it, significantly worse ones after it.
type Rank struct{ Lowest, Highest int }

// Ranks returns the intervals of the ranks of k systems (Mogstad, Romano, Shaikh and
// Wilhelm, 2024) from all tests of two of them, adjusted by Holm, or with [Options].Joint
// by max-T over flips that all pairs share, which finds more. Differences returns
// those of system i less j, where higher is better.
func Ranks(k int, differences func(i, j int) []Unit, o Options) []Rank {
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
	}
	return ranks
}
