package report

import (
	"cmp"
	"fmt"

	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/metrics"
)

// A Side is what is compared: a run, or of it the method of a label, with a model.
type Side struct {
	*Run
	Method, Model string // labels; empty for all
}

// A Unit is what a test takes for independent of each other.
type Unit string

// The units of tests: samples, which are conversations, unless requests are asked for.
const (
	BySample  Unit = "sample"
	ByRequest Unit = "request"
)

// of counts units by the name that readers know.
func (u Unit) of(n int) string {
	return Plural(n, u.noun())
}

func (u Unit) noun() string {
	if u == ByRequest {
		return "request"
	}
	return "conversation"
}

// A Contrast is one row of a comparison: the values of a column that two sides
// have for the same requests, compared with each other.
type Contrast struct {
	// Side is the place of the side among those compared, and Run and BaseRun name
	// it and what it is compared with.
	Side         int
	Run, BaseRun string
	// Dataset, Method and Model name what is compared, and BaseMethod and BaseModel
	// what it is compared with, which may have other labels. A row over several of
	// them has none.
	Dataset, Method, Model string
	BaseMethod, BaseModel  string
	Category               string // by its name; empty for all
	Column                 metrics.Column
	// Base and New are means, in the unit of the scores: of the pairs, or where the
	// sides cannot be paired of the means of their units, which are what is tested.
	Base, New float64
	// Paired tells whether answers to the same requests were brought together, and
	// Unpaired why not where they were not, or too few were for a test.
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
	// Unit is what the test takes for independent, and Result what it says.
	Unit Unit
	infer.Result
	// Within and NotWorse are the row against a margin of equivalence, and of being
	// worse; nil where none was asked for, or nothing can be shown.
	Within, NotWorse *Margin
	// Missing says why there is nothing to test; empty where there is.
	Missing string
	// Failed counts the requests that failed, of the base and of the new side.
	Failed [2]int
	// Notes are what a reader of this row could be misled by.
	Notes []string

	row infer.Row
	// pairs and at are what is behind a paired row: requests, and the place of its column.
	pairs joined
	at    int
	// questions are the paired differences by conversation, a question each.
	questions [][]stats.Cluster
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
func (c Contrast) Same() bool {
	return c.Paired && c.Unpaired == "" && c.N > 0 && c.Higher+c.Lower == 0
}

// Verdict sums the row up: "better" or "worse" where a difference is shown,
// "other" where it is neither, "~" where none is shown, "insufficient" where none
// could be, "=" where no pair differs, and nothing without a value or where neither
// more nor less is better. With a margin,
// "same within" it, "not worse by" it or "undecided" stand in place of "~".
func (c Contrast) Verdict() string {
	switch {
	case c.Same():
		return "="
	case c.N == 0, c.Missing == neither:
		return ""
	case c.Insufficient != "":
		return "insufficient"
	case !c.Shown:
		return cmp.Or(c.marginVerdict(), "~")
	case c.Better():
		return "better"
	case c.Worse():
		return "worse"
	}
	return "other"
}

// Reason says why nothing can be shown, and what would help; empty where something
// can.
func (c Contrast) Reason() string {
	if c.Missing != "" {
		return c.Missing
	}
	return reason(c.Result, c.Unit, c.Column)
}

// Decide tests rows again as one family.
func Decide(rows []*Contrast, o infer.Options) {
	family := lists.Map(rows, func(r *Contrast) infer.Row { return r.row })
	for i, result := range infer.Decide(family, o) {
		rows[i].Result = result
	}
}

// reason says why nothing can be shown of a difference, and what would help; empty
// where something can.
func reason(r infer.Result, unit Unit, c metrics.Column) string {
	switch r.Insufficient {
	case "":
		return ""
	case infer.NoUnits:
		if r.Units == 0 {
			return "no pair has a value"
		}
		return "a value is beyond the range of numbers"
	case infer.OneUnit:
		return fmt.Sprintf("one %s is not enough; add 2 for a t-test or %d for a sign-flip test", unit.noun(), infer.FlipUnits-1)
	case infer.TwoUnits:
		return reach(r, unit, c) + "; a difference of two counts as shown only where that is accepted"
	case infer.FewDiffer:
		return fmt.Sprintf("some of %s do not differ, and the others differ by the same mean, where a t-test finds too much; add %d for sign flips", unit.of(r.Units), infer.FlipUnits-r.Units)
	case infer.SameMean:
		return fmt.Sprintf("all of %s differ by the same mean, where a t-test finds too much; add %d for sign flips", unit.of(r.Units), infer.FlipUnits-r.Units)
	case infer.Coarse: // below
	case infer.FewOnSide:
		return fmt.Sprintf("a side has fewer than three %ss", unit.noun())
	}
	text := fmt.Sprintf("%s: p is at least %.2g", unit.of(r.Units), r.Least)
	if r.Test == infer.Permutation {
		text = fmt.Sprintf("%s on a side: p is at least %.2g", unit.of(r.Units), r.Least)
	}
	if r.Tests > 1 {
		text += ", which the adjustment for " + Plural(r.Tests, "test") + " leaves above the level"
	}
	if r.Needed > 0 {
		text += fmt.Sprintf("; add %d", r.Needed-r.Units)
	}
	return text
}

// reach says what few units can show, and what six would.
func reach(r infer.Result, unit Unit, c metrics.Column) string {
	text := unit.of(r.Units)
	if r.Detectable != nil && r.AtSix != nil {
		text += fmt.Sprintf(": below %s nothing can be shown; %d with the same spread would show %s",
			decimal(*r.Detectable*c.Scale, c.Digits), infer.FlipUnits, decimal(*r.AtSix*c.Scale, c.Digits))
	}
	return text
}

// Reach says what the few units of a row can show, and what six would; empty where
// there are as many.
func (c Contrast) Reach() string {
	if c.AtSix == nil {
		return ""
	}
	return reach(c.Result, c.Unit, c.Column)
}
