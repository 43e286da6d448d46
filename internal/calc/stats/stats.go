// Package stats puts numbers behind a mean: how many values it rests on, and
// an interval that says how far another sample of conversations could move it.
//
// The questions of one conversation share its speakers, its topics and its
// memory, so they are not independent draws. Everything here works on
// [Cluster]s, the sums of one conversation, and treats the conversations as
// what was sampled. Nothing returns NaN: what cannot be said is reported as
// not there.
//
// docs/comparing.md tells why these methods were chosen and how they fare.
package stats

import "math"

// Level is the confidence level of the intervals that reports print.
const Level = 0.95

// FewClusters is the number of clusters below which an interval should be read
// as rough: with so few, its true confidence level depends on how alike the
// clusters are.
const FewClusters = 20

// An Interval is a range from Lo to Hi, both included.
type Interval struct {
	Lo float64 `json:"low"`
	Hi float64 `json:"high"`
}

// Contains reports whether x lies in the interval.
func (i Interval) Contains(x float64) bool { return i.Lo <= x && x <= i.Hi }

// Widen returns the interval with both ends moved outward by d.
func (i Interval) Widen(d float64) Interval { return Interval{i.Lo - d, i.Hi + d} }

// Scale returns the interval with both ends multiplied by a positive factor.
func (i Interval) Scale(by float64) Interval { return Interval{i.Lo * by, i.Hi * by} }

// finite reports whether x is a number.
func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
