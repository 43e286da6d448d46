package infer

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
)

// Draws is the number of random flips or permutations, where there are too many to go
// through them all.
const Draws = 10_000

// exactUnits is the largest number of units for which all flips are gone through.
const exactUnits = 14

// A flipper goes through flips of the signs of units, the same for all lanes.
type flipper struct {
	lanes [][]float64 // of numbers, one a unit
	seed  uint64
}

// batch is how many flips are drawn at once.
const batch = 2048

// exact reports whether all flips are gone through. The sign of the first unit then
// stays: a flip of all units is as far from 0.
func (f flipper) exact() bool { return len(f.lanes[0]) <= exactUnits }

// count is the number of flips.
func (f flipper) count() int {
	if f.exact() {
		return 1 << (len(f.lanes[0]) - 1)
	}
	return Draws
}

// share returns the p-value that some hits of the flips make. Random ones are counted
// with the one that was seen, which holds the level for any number of them (Phipson
// and Smyth, 2010).
func (f flipper) share(hits int) float64 {
	if f.exact() {
		return float64(hits) / float64(f.count())
	}
	return float64(1+hits) / float64(1+f.count())
}

// each calls visit with the sums of the lanes under some flips, until all were there.
// visit must not keep the sums.
func (f flipper) each(visit func(sums [][]float64)) {
	if f.exact() {
		visit(lists.Map(f.lanes, func(lane []float64) []float64 { return allFlips(lane[0], lane[1:]) }))
		return
	}
	f.draw(visit)
}

// allFlips returns the sums of a number and of units for each flip of the units: bit i of
// a place tells whether unit i is taken off.
func allFlips(fixed float64, units []float64) []float64 {
	sums := append(make([]float64, 0, 1<<len(units)), fixed)
	for _, u := range units {
		for _, s := range sums {
			sums = append(sums, s-u)
		}
		for i := range len(sums) / 2 {
			sums[i] += u
		}
	}
	return sums
}

// draw draws flips. Each random number flips 64 units: eight tables have the sums of
// the 256 flips of eight of them, and are small enough to stay in the nearest cache.
func (f flipper) draw(visit func(sums [][]float64)) {
	source := rand.NewPCG(f.seed, 0)
	for left := Draws; left > 0; left -= batch {
		words := make([]uint64, min(left, batch))
		sums := lists.Map(f.lanes, func([]float64) []float64 { return make([]float64, len(words)) })
		for from := 0; from < len(f.lanes[0]); from += 64 {
			for k := range words {
				words[k] = source.Uint64()
			}
			for i, lane := range f.lanes {
				var units [64]float64 // units of 0 make up for those that lack
				copy(units[:], lane[from:])
				var t [8][256]float64
				for j := range t {
					copy(t[j][:], allFlips(0, units[8*j:8*j+8]))
				}
				of := sums[i]
				for k, r := range words {
					of[k] += ((t[0][byte(r)] + t[1][byte(r>>8)]) + (t[2][byte(r>>16)] + t[3][byte(r>>24)])) +
						((t[4][byte(r>>32)] + t[5][byte(r>>40)]) + (t[6][byte(r>>48)] + t[7][byte(r>>56)]))
				}
			}
		}
		visit(sums)
	}
}

// A seen is the sum of a lane as it was measured.
type seen struct {
	sum, scale float64
	least      float64 // the smallest sum that counts as far from 0 as it
}

func (s seen) statistic() float64 { return math.Abs(s.sum) / s.scale }

// seenOf returns the sum of a lane. The statistic |Σ S| / √Σ S² orders flips as the t
// of the sums does, since Σ S² is the same for all of them.
func seenOf(lane []float64) seen {
	var s seen
	var size float64
	for _, x := range lane {
		s.sum += x
		size += math.Abs(x)
		s.scale = math.Hypot(s.scale, x)
	}
	// The rounding of a sum of n numbers is at most about n times that of the sum of
	// their sizes.
	s.least = math.Abs(s.sum) - 1e-12*s.scale - float64(len(lane)+1)*epsilon*size
	return s
}

// flipRow returns the two-sided p-value of a mean difference of units by flips of
// their signs (Fisher, The Design of Experiments, 1935, section 21). It also returns
// the interval of the differences θ that flips of the sums S - θ N do not reject.
//
// A flip parts the units in two. It is as far from 0 as what was seen for the θ
// between the means of the parts, and for no others: |Σ s (S - θN)| ≥ |Σ (S - θN)| is
// (A - θ N_A)(B - θ N_B) ≤ 0. So the ends of the interval are order statistics of
// these means, and no search is needed. With bare the interval is left out.
func flipRow(units []stats.Cluster, seed uint64, bare bool) (p float64, interval *stats.Interval) {
	sums, weights := make([]float64, len(units)), make([]float64, len(units))
	for i, c := range units {
		sums[i], weights[i] = c.Sum, c.Weight
	}
	f := flipper{[][]float64{sums, weights}, seed}
	s, weight := seenOf(sums), seenOf(weights).sum
	if bare {
		f.lanes = f.lanes[:1]
	}
	hits, needed := 0, 1
	// The outermost θ whose p is above the level has this many flips as far out.
	for f.share(needed) <= 1-stats.Level+1e-12 {
		needed++
	}
	lower, upper := extremes{most: needed, beyond: math.Inf(-1)}, extremes{most: needed, beyond: math.Inf(-1)} // of θ with the sign changed, and of θ
	f.each(func(of [][]float64) {
		for k, d := range of[0] {
			if math.Abs(d) >= s.least {
				hits++
			}
			if bare {
				continue
			}
			na, nb := (weight+of[1][k])/2, (weight-of[1][k])/2
			a, b := math.Inf(-1), math.Inf(1)
			if min(na, nb) > 1e-9*weight { // else all units are in one part
				a, b = (s.sum+d)/2/na, (s.sum-d)/2/nb
			}
			lower.add(-min(a, b))
			upper.add(max(a, b))
		}
	})
	if s.scale == 0 {
		hits = f.count()
	}
	if bare {
		return f.share(hits), nil
	}
	i := stats.Interval{Lo: -lower.last(), Hi: upper.last()}
	if finite(i.Lo) && finite(i.Hi) {
		interval = &i
	}
	return f.share(hits), interval
}

// extremes keeps the largest of many numbers.
type extremes struct {
	most   int // to keep
	kept   []float64
	beyond float64 // smaller numbers are not among them
}

func (e *extremes) add(x float64) {
	if x <= e.beyond {
		return
	}
	if e.kept = append(e.kept, x); len(e.kept) >= 2*e.most {
		e.beyond = e.last()
		e.kept = e.kept[:e.most]
	}
}

// last returns the smallest that is kept; there were at least so many.
func (e *extremes) last() float64 {
	slices.SortFunc(e.kept, func(a, b float64) int { return cmp.Compare(b, a) })
	return e.kept[e.most-1]
}

// stepDown adjusts the p-values of rows of one pair of sides by Westfall and Young's
// step-down max-T (1993, algorithm 4.1) over joint flips of the union of their units:
// swapping the sides' labels in a conversation flips it in all rows at once. Rows
// whose sums are all 0 have 1.
func stepDown(rows [][]Unit, seed uint64) []float64 {
	adjusted := make([]float64, len(rows))
	place := make(map[string]int)
	for _, units := range rows {
		for _, u := range units {
			if _, ok := place[u.ID]; !ok {
				place[u.ID] = len(place)
			}
		}
	}
	type lane struct {
		row  int
		sums []float64
		seen
	}
	var all []lane
	for i, units := range rows {
		sums := make([]float64, len(place))
		for _, u := range units {
			sums[place[u.ID]] = u.Sum
		}
		adjusted[i] = 1
		if s := seenOf(sums); s.scale > 0 {
			all = append(all, lane{i, sums, s})
		}
	}
	if len(all) == 0 {
		return adjusted
	}
	slices.SortStableFunc(all, func(a, b lane) int { return cmp.Compare(a.statistic(), b.statistic()) })
	f := flipper{lists.Map(all, func(l lane) []float64 { return l.sums }), seed}
	hits := make([]int, len(all))
	f.each(func(sums [][]float64) {
		for n := range sums[0] {
			var most float64
			for k := range all {
				most = max(most, math.Abs(sums[k][n])/all[k].scale)
				if most >= all[k].least/all[k].scale {
					hits[k]++
				}
			}
		}
	})
	least := 0.0
	for k, l := range slices.Backward(all) {
		least = max(least, f.share(hits[k]))
		adjusted[l.row] = least
	}
	return adjusted
}
