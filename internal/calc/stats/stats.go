// Package stats quantifies the certainty of a mean: how many values it is based
// on, and an interval that says how much it could change with another sample of
// conversations.
//
// The questions of one conversation share its speakers, its topics and its
// memory, so they are not independent draws. Everything here works on
// [Cluster]s, the sums of one conversation, and treats the conversations as the
// sampling units. Nothing returns NaN: undefined results are reported as
// missing.
//
// docs/comparing.md says why these methods were chosen and how well they work.
package stats

import "math"

// Level is the confidence level of the intervals that reports print.
const Level = 0.95

// FewClusters is the number of clusters below which an interval is only
// approximate: its true confidence level then depends on how similar the
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
