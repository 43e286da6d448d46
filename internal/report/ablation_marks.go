package report

import (
	"fmt"
	"slices"
	"strings"

	"recallbench/metrics"
)

// levels are the p-values up to which a difference gets a mark, smallest first.
var levels = []struct {
	p    float64
	mark string
}{{0.001, "***"}, {0.01, "**"}, {alpha, "*"}}

// mark returns the mark of the adjusted p-value; empty where there is none.
func (x tested) mark() string {
	if x.Adjusted == nil {
		return ""
	}
	for _, level := range levels {
		if *x.Adjusted <= level.p {
			return level.mark
		}
	}
	return shownNot
}

// ablationNotes say what the differences are, and how they were tested.
func (f layout) ablationNotes(lines []*line, tests []tested) []string {
	each := ""
	if several(lines) {
		each = ", each by its mean over the seeds"
	}
	notes := []string{fmt.Sprintf("Δ: the row minus %s, over the requests that both have%s; options are shown where they are not those of %s", f.Full, each, f.Full)}
	if slices.ContainsFunc(f.builder.columns, func(c metrics.Column) bool { return c.Lower && !c.Neutral }) {
		notes = append(notes, "↓: lower is better")
	}
	if slices.ContainsFunc(tests, func(x tested) bool { return x.Adjusted != nil }) {
		var marks []string
		for _, level := range slices.Backward(levels) {
			marks = append(marks, fmt.Sprintf("%s p ≤ %g", level.mark, level.p))
		}
		notes = append(notes, strings.Join(marks, ", ")+"; without a mark it is not tested")
	}
	return append(notes, f.testedNotes(tests)...)
}
