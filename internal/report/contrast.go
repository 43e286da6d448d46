package report

import (
	"recallbench/internal/stats"
	"recallbench/metrics"
)

// A Side is what is compared: a run, or of it the method of a label.
type Side struct {
	*Run
	Method string // label; empty for all
}

// A Unit is what a test takes for independent of each other.
type Unit string

// The units of tests. Left empty, the test is by samples where there are at least
// [leastSamples] of them that can be paired, or two on each side where they cannot,
// and else by requests.
const (
	BySample  Unit = "sample"
	ByRequest Unit = "request"
)

// leastSamples is the number of samples from which a sign-flip test can show
// something: with one less, its smallest p is 2/2⁵.
const leastSamples = 6

// A Contrast is one row of a comparison: the values of a column that two sides
// have for the same requests, held against each other.
type Contrast struct {
	// Side is the place of the side among those compared, and Run and BaseRun name
	// it and what it is held against.
	Side         int
	Run, BaseRun string
	// Dataset, Method and Model name what is compared, and BaseMethod and BaseModel
	// what it is held against, which may have other labels. A row over several of
	// them has none.
	Dataset, Method, Model string
	BaseMethod, BaseModel  string
	Category               string // by its name; empty for all
	Column                 metrics.Column
	// Base and New are means, in the unit of the scores: of the pairs, or where the
	// sides cannot be paired of all requests of each.
	Base, New float64
	// Paired tells whether answers to the same requests were brought together, and
	// Unpaired why not where they were not.
	Paired   bool
	Unpaired string
	N        int    // pairs, or requests of the smaller side
	Of       [2]int // requests behind the means, of the base and of the new side
	Samples  int    // conversations that they are about
	// Higher and Lower count the pairs whose new value is above and below the base.
	Higher, Lower int
	// EffectiveN is how many independent pairs would say as much; nil where it is
	// not known.
	EffectiveN *float64
	// Interval is the 95 % interval of New - Base: of a bootstrap of whole units of
	// the pairs, or by Student's t where the sides cannot be paired. It is nil where
	// it is not known.
	Interval *stats.Interval
	// PRequests and PSamples are the p-values that take requests, and only samples,
	// for independent; nil where there is no test.
	PRequests, PSamples *float64
	// Test names the test that decides, "mcnemar", "sign-flip", "cluster-t" or "t", and
	// Unit what it takes for independent. P is the p-value of that unit, or of a
	// "cluster-t" its own, see [Contrast.Among], and Adjusted is that by Holm over all rows, or P itself
	// where nothing is adjusted. Test, P and Adjusted are empty where there is no test,
	// for which Missing gives the reason.
	Test     string
	Unit     Unit
	P        *float64
	Adjusted *float64
	Missing  string
	// Detectable is the smallest difference that a test of this many units would
	// show in four cases of five, before any adjustment; nil where it is not known.
	Detectable *float64
	// Shown tells whether a difference is shown: Adjusted is at most 0.05.
	Shown bool
	// Failed counts the requests that failed, of the base and of the new side.
	Failed [2]int
	// Notes are what a reader of this row could be misled by.
	Notes []string

	robust *float64 // p of the t-test by the same units, see [Contrast.Among]
}

// Difference is New - Base, in the unit of the scores.
func (c Contrast) Difference() float64 { return c.New - c.Base }

// Better reports whether the difference, shown or not, is for the better. Of a
// column where neither is, no difference is better or worse.
func (c Contrast) Better() bool { return c.good() > 0 }

// Worse reports whether the difference, shown or not, is for the worse.
func (c Contrast) Worse() bool { return c.good() < 0 }

// good returns the difference with the sign that a better one has.
func (c Contrast) good() float64 {
	switch d := c.Difference(); {
	case c.Column.Neutral:
		return 0
	case c.Column.Lower:
		return -d
	default:
		return d
	}
}

// Same reports whether each pair has the same value on both sides, so that there is
// nothing to test.
func (c Contrast) Same() bool { return c.Paired && c.N > 0 && c.Higher+c.Lower == 0 }

// Verdict sums the row up: "better" or "worse" where a difference is shown,
// "other" where it is neither, "~" where none is shown, "=" where no pair differs,
// and nothing without a test.
func (c Contrast) Verdict() string {
	switch {
	case c.Same():
		return "="
	case c.P == nil:
		return ""
	case !c.Shown:
		return "~"
	case c.Better():
		return "better"
	case c.Worse():
		return "worse"
	}
	return "other"
}
