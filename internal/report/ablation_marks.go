package report

import (
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/stats"
	"recallbench/metrics"
)

// levels are the p-values up to which a difference gets a mark, smallest first.
var levels = []struct {
	p    float64
	mark string
}{{0.001, "***"}, {0.01, "**"}, {alpha, "*"}}

// A markedTest is a difference to the full method with the test that decides
// whether it is shown.
type markedTest struct {
	tested
	test      *stats.TTest // nil where there is none
	bySamples bool
	adjusted  float64
}

// marked returns the tests of the differences of variants to the full method. A
// test is by samples where there are enough, else by requests, and adjusted over
// all of the table.
func (f layout) marked(lines []*line) []markedTest {
	var all []markedTest
	var p []float64
	for _, x := range f.tests(lines) {
		m := markedTest{tested: x, test: x.requests}
		if stats.Count(x.pairs.clusters) >= leastSamples {
			m.test, m.bySamples = x.samples, true
		}
		if m.test != nil {
			p = append(p, m.test.P)
		}
		all = append(all, m)
	}
	adjusted := stats.Holm(p)
	for i := range all {
		if all[i].test != nil {
			all[i].adjusted, adjusted = adjusted[0], adjusted[1:]
		}
	}
	return all
}

// mark returns the mark of the adjusted p-value.
func (m markedTest) mark() string {
	for _, level := range levels {
		if m.adjusted <= level.p {
			return level.mark
		}
	}
	return shownNot
}

// ablationNotes say what the differences are, and how they were tested.
func (f layout) ablationNotes(lines []*line, tests []markedTest) []string {
	how, n := map[bool]int{}, 0
	for _, m := range tests {
		if m.test != nil {
			how[m.bySamples]++
			n++
		}
	}
	each := ""
	if several(lines) {
		each = ", each by its mean over the seeds"
	}
	notes := []string{fmt.Sprintf("Δ: the row minus %s, over the requests that both have%s; options are shown where they are not those of %s", f.Full, each, f.Full)}
	if slices.ContainsFunc(f.builder.columns, func(c metrics.Column) bool { return c.Lower && !c.Neutral }) {
		notes = append(notes, "↓: lower is better")
	}
	if n > 0 {
		var marks []string
		for _, level := range slices.Backward(levels) {
			marks = append(marks, fmt.Sprintf("%s p ≤ %g", level.mark, level.p))
		}
		notes = append(notes, fmt.Sprintf("%s, ~ no difference shown, adjusted by Holm over the %s of the table; without a mark it is not tested", strings.Join(marks, ", "), plural(n, "test")))
	}
	if how[true] > 0 {
		notes = append(notes, "p: paired t-test where only samples are taken for independent (cluster-robust error, a degree of freedom less than samples)")
	}
	if how[false] > 0 {
		notes = append(notes, fmt.Sprintf("p: paired t-test of requests, as there are fewer than %d samples; it takes requests for independent, and those about one sample are not", leastSamples))
	}
	return notes
}
