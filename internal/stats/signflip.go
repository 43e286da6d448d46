package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Flips is the number of random flips that reports draw, where there are too many
// to go through them all.
const Flips = 10_000

// exactUnits is the largest number of units for which all flips are gone through.
const exactUnits = 14

// A SignFlip is a permutation test that paired differences have no side: if the
// two answerers are the same, each difference could as well have the other sign.
// The zero SignFlip goes through all flips, or draws [Flips] of them, of seed 0.
type SignFlip struct {
	Flips int    // random flips to draw; 0 for [Flips]
	Seed  uint64 // the same seed and units give the same p
}

// P returns the two-sided p-value of the sum of units, which is in (0, 1]:
//
//	p = share of the flips s in {-1, 1}ⁿ for which |Σ s u| ≥ |Σ u|
//
// A unit is the difference of a pair, or the sum of the differences of all pairs
// of a conversation, where pairs of one conversation are not independent. Units
// that are 0 do not matter.
//
// With at most 14 other units, all 2ⁿ flips are gone through. With more, flips are
// drawn at random, and p = (1 + hits) / (1 + flips), which holds the level of the
// test for any number of them (Phipson and Smyth, 2010). A sum that is lower than
// the one seen by no more than rounding counts as equal.
//
// The test is not defined, and ok is false, without units, and where one is not
// finite.
//
// It is Fisher's (The Design of Experiments, 1935, section 21).
func (f SignFlip) P(units []float64) (p float64, ok bool) {
	full := slices.DeleteFunc(slices.Clone(units), func(u float64) bool { return u == 0 })
	var sum, size float64
	for _, u := range full {
		sum += u
		size += math.Abs(u)
	}
	if len(units) == 0 || !finite(size) {
		return 0, false
	}
	// The rounding of a sum of n numbers is at most about n times that of the sum
	// of their sizes.
	least := math.Abs(sum) - float64(len(full)+1)*epsilon*size
	if len(full) <= exactUnits {
		return exactFlips(full, least), true
	}
	if f.Flips == 0 {
		f.Flips = Flips
	}
	return float64(1+f.hits(full, least)) / float64(1+f.Flips), true
}

// exactFlips returns the share of the flips of units whose sum is at least so far
// from 0.
func exactFlips(units []float64, least float64) float64 {
	hits := 0
	sums := allFlips(units)
	for _, s := range sums {
		if math.Abs(s) >= least {
			hits++
		}
	}
	return float64(hits) / float64(len(sums))
}

// allFlips returns the sums of units for each of their flips: bit i of a place
// tells whether unit i is taken off.
func allFlips(units []float64) []float64 {
	sums := make([]float64, 1, 1<<len(units))
	for _, u := range units {
		for _, s := range sums {
			sums = append(sums, s-u)
		}
		half := len(sums) / 2
		for i := range half {
			sums[i] += u
		}
	}
	return sums
}

// hits draws flips and counts those whose sum is at least so far from 0. Each
// random number flips 64 units: eight tables have the sums of the 256 flips of eight
// of them, and are small enough to stay in the nearest cache for all flips.
func (f SignFlip) hits(units []float64, least float64) int {
	source := rand.NewPCG(f.Seed, 0)
	sums := make([]float64, f.Flips)
	for some := range slices.Chunk(units, 64) {
		var all [64]float64 // units of 0 make up for those that lack
		copy(all[:], some)
		var t [8][256]float64
		for i := range t {
			copy(t[i][:], allFlips(all[8*i:8*i+8]))
		}
		for i := range sums {
			r := source.Uint64()
			sums[i] += ((t[0][byte(r)] + t[1][byte(r>>8)]) + (t[2][byte(r>>16)] + t[3][byte(r>>24)])) +
				((t[4][byte(r>>32)] + t[5][byte(r>>40)]) + (t[6][byte(r>>48)] + t[7][byte(r>>56)]))
		}
	}
	hits := 0
	for _, sum := range sums {
		if math.Abs(sum) >= least {
			hits++
		}
	}
	return hits
}
