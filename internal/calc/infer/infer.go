// Package infer decides whether two sides differ by more than chance.
//
// [Decide] is the only entry: comparisons, gates, tables, ablations and ratings
// present its results. The conversation is the sampling unit. A [Row] has the sums
// of its differences, and the number of conversations determines the test:
//
//	1         nothing can be shown about other conversations
//	2         t by the CR2 error, never counted as shown unless that is accepted
//	3 to 5    t by the CR2 error with the degrees of freedom of Bell and McCaffrey
//	6 or more sign flips of the conversations' sums
//	unpaired  permutation of whole conversations, studentised
//
// P-values of several rows are adjusted together, see [Options].Correct. The p-value,
// the interval and the detectable difference of a row are always by the same unit.
// docs/comparing.md says why these methods were chosen and how well they work.
package infer

import (
	"cmp"
	"math"
	"slices"

	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
)

// The tests that decide.
const (
	CR2         = "cr2-t"
	SignFlip    = "sign-flip"
	Permutation = "permutation"
)

// FlipUnits is the number of units from which sign flips decide: five have 32 flips,
// and the two most extreme give p 0.0625.
const FlipUnits = 6

// A Unit is what a test treats as independent: a conversation, or a question if a
// person chose that.
type Unit struct {
	// ID distinguishes the units of a pair of sides; rows share the flips of a unit.
	ID string
	stats.Cluster
}

// A Row is what one test is about.
type Row struct {
	// Pair numbers the two sides that the row compares.
	Pair int
	// Units are the differences of paired values. A unit without a value is ignored.
	Units []Unit
	// Base and New are the means of units on each side if nothing is paired.
	Base, New []float64
	// Unpaired says that Base and New have the values instead of Units.
	Unpaired bool
}

// The corrections for several rows.
const (
	// MaxT is Westfall and Young's step-down max-T over the joint sign flips of the
	// rows of a pair of sides. Pairs of sides, and rows without flips, are then
	// adjusted by Holm.
	MaxT = "maxt"
	Holm = "holm"
	// BH is Benjamini and Hochberg's, which limits the share of false findings among
	// the findings, not the chance of any.
	BH   = "bh"
	None = "none"
)

// Corrections lists the values of [Options].Correct.
func Corrections() []string { return []string{MaxT, Holm, BH, None} }

// CorrectionHead is the heading of a column of p-values adjusted by a correction.
func CorrectionHead(correct string) string {
	switch correct {
	case Holm:
		return "p (Holm)"
	case BH:
		return "p (BH)"
	case None:
		return "p"
	}
	return "p (max-T)"
}

// Options say how rows are decided.
type Options struct {
	Alpha     float64 // level; 0 for 0.05
	Correct   string  // how p-values are adjusted; empty for [MaxT]
	AcceptTwo bool    // whether two conversations are enough
	Seed      uint64  // of random flips and permutations
	Bare      bool    // leave out intervals and detectable differences
	Joint     bool    // of [Ranks]: flips are shared by all pairs of systems
}

// A Result is the result for a row.
type Result struct {
	Test  string // empty if there is none
	Units int    // with a value; of the smaller side where nothing is paired
	// P is the p-value of the row by itself, and Adjusted that among all rows; nil
	// if the data are insufficient.
	P, Adjusted *float64
	// Interval is the 95 % interval of the difference, not adjusted.
	Interval *stats.Interval
	// Detectable is the smallest difference that the test finds in four cases of
	// five, before any adjustment. AtSix is the same for six units with the same
	// spread, if there are fewer. Nil if unknown.
	Detectable, AtSix *float64
	// Shown says that the difference is significant: Adjusted is at most the level.
	Shown bool
	// Insufficient says why the data are insufficient; empty if they suffice.
	Insufficient Reason

	// Least is the smallest p that the test could have, whatever the values, and
	// Tests the number of tests that it is adjusted for. Needed is the number of
	// units, on each side if nothing is paired, with which the data would suffice; 0
	// for none.
	Least  float64
	Tests  int
	Needed int
}

// A Reason says why data are insufficient.
type Reason string

// The reasons.
const (
	NoUnits   Reason = "no value"
	OneUnit   Reason = "one unit"
	TwoUnits  Reason = "two units"
	SameMean  Reason = "same mean"  // all units differ by the same
	FewDiffer Reason = "few differ" // those that differ do so by the same
	Coarse    Reason = "coarse p"   // the smallest p is above the level
	FewOnSide Reason = "few on a side"
)

// Decide tests rows, adjusts their p-values together, and says which differences are
// significant.
func Decide(rows []Row, o Options) []Result {
	o.Alpha = cmp.Or(o.Alpha, 1-stats.Level)
	results := make([]Result, len(rows))
	for i, r := range rows {
		if r.Unpaired {
			results[i] = unpaired(r.Base, r.New, o)
		} else {
			rows[i].Units = slices.DeleteFunc(slices.Clone(r.Units), func(u Unit) bool { return u.N == 0 })
			results[i] = paired(rows[i].Units, o)
		}
	}
	adjust(rows, results, o)
	return results
}

// paired tests the differences of units.
func paired(units []Unit, o Options) Result {
	r := Result{Units: len(units)}
	switch len(units) {
	case 0:
		r.Insufficient = NoUnits
		return r
	case 1:
		r.Insufficient = OneUnit
		return r
	}
	clusters := lists.Map(units, func(u Unit) stats.Cluster { return u.Cluster })
	t, ok := newT(clusters)
	if ok && t.se > 0 && !o.Bare {
		r.Detectable = new(Detectable(t.se, t.freedom, 1-stats.Level, Power))
		if n := len(units); n < FlipUnits {
			r.AtSix = new(Detectable(t.se*math.Sqrt(float64(n)/FlipUnits), FlipUnits-1, 1-stats.Level, Power))
		}
	}
	switch {
	case !ok: // a value beyond the range of numbers
		r.Insufficient = NoUnits
	case len(units) >= FlipUnits:
		r.Test = SignFlip
		p, interval := flipRow(clusters, o.Seed, o.Bare)
		r.P, r.Interval = &p, interval
		r.Least = leastFlips(len(units))
	case sameMean(clusters), t.se == 0 && t.mean != 0:
		r.Insufficient = SameMean
		if slices.ContainsFunc(clusters, func(c stats.Cluster) bool { return c.Sum == 0 }) {
			r.Insufficient = FewDiffer
		}
	default:
		r.Test, r.P = CR2, new(t.p())
		if !o.Bare {
			r.Interval = new(t.interval())
		}
		if len(units) == 2 && !o.AcceptTwo {
			r.Insufficient = TwoUnits
		}
	}
	return r
}

// leastFlips is the smallest p that flips of some units can have.
func leastFlips(units int) float64 {
	if units > exactUnits {
		return 1 / float64(1+Draws)
	}
	return math.Ldexp(2, -units)
}

// sameMean reports whether all units that differ do so by the same mean, up to
// rounding, and some do. A t-test of such finds far too much: where two of three
// conversations lose one answer in ten and the third none, its error is nearly that
// of a constant.
func sameMean(clusters []stats.Cluster) bool {
	var means []float64
	for _, c := range clusters {
		if m := c.Sum / c.Weight; m != 0 {
			means = append(means, m)
		}
	}
	if len(means) == 0 {
		return false
	}
	least, most := slices.Min(means), slices.Max(means)
	return most-least <= 1e-9*max(math.Abs(least), math.Abs(most))
}
