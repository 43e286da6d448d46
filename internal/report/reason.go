package report

import (
	"fmt"

	"recallbench/internal/infer"
	"recallbench/metrics"
)

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
		return fmt.Sprintf("one %s: nothing can be shown about others; add 2 for a t-test, %d for sign flips", unit.noun(), infer.FlipUnits-1)
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
		text += ", which the adjustment for " + plural(r.Tests, "test") + " leaves above the level"
	}
	if r.Needed > 0 {
		text += fmt.Sprintf("; add %d", r.Needed-r.Units)
	}
	return text
}

// Reason says why nothing can be shown of a difference of means of ratings, and what
// would help; empty where something can.
func Reason(r infer.Result) string {
	return reason(r, BySample, metrics.Column{Scale: 1, Digits: 2})
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
