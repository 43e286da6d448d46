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

// hits draws flips and counts those whose sum is at least so far from 0. Eight
// units are flipped at once: a table has the sums of their 256 flips.
func (f SignFlip) hits(units []float64, least float64) int {
	const at, word = 8, 64
	var tables [][]float64
	for octet := range slices.Chunk(units, at) {
		tables = append(tables, allFlips(octet))
	}
	source := rand.NewPCG(f.Seed, 0)
	hits := 0
	for range f.Flips {
		var sum float64
		for group := range slices.Chunk(tables, word/at) {
			random := source.Uint64()
			for _, table := range group {
				sum += table[random&uint64(len(table)-1)]
				random >>= at
			}
		}
		if math.Abs(sum) >= least {
			hits++
		}
	}
	return hits
}
