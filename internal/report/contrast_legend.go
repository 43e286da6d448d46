package report

import (
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/stats"
)

// contrastNotes say what the rows of a side are, and how they came about. The
// adjustment is over all rows.
func contrastNotes(all, rows []Contrast, o ContrastOptions) []string {
	var notes []string
	add := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	has := slices.ContainsFunc[[]Contrast]
	if has(rows, func(r Contrast) bool { return r.Paired }) {
		add("pairs: answers to the same request on both sides, by sample and id")
	}
	var tests []string
	for _, x := range []struct{ name, says string }{
		{mcNemar, "exact McNemar of requests that one side alone has right"},
		{signFlip, fmt.Sprintf("sign-flip permutation, exact or %d flips", stats.Flips)},
		{clusterT, "t over the cluster-robust error, where flips of so few could show nothing among so many tests"},
		{welch, "t of the difference of the means, which are not paired"},
	} {
		if has(rows, func(r Contrast) bool { return r.Test == x.name }) {
			tests = append(tests, x.says)
		}
	}
	if len(tests) > 0 {
		add("p: %s", strings.Join(tests, "; "))
	}
	if has(rows, func(r Contrast) bool { return r.tested(BySample) }) {
		add("p is by samples: only those are taken for independent of each other, not the requests about one")
	}
	if note := byRequestNote(rows, o); note != "" && !mixed(rows) {
		add("%s", note)
	}
	if has(rows, Contrast.Same) {
		add("=: all pairs have the same value on both sides, and there is nothing to test")
	}
	n := 0
	for _, r := range all {
		if r.P != nil {
			n++
		}
	}
	switch {
	case n == 0:
	case o.Unadjusted:
		add("~: p is above %g, no difference is shown; p is not adjusted for the %s, so that one in %d without any difference is found to differ by chance", alpha, plural(n, "test"), int(1/alpha))
	default:
		add("~: p, adjusted by Holm over %s, is above %g, no difference is shown, which is not to say that there is none", plural(n, "test"), alpha)
	}
	if least := leastP(rows); !o.Unadjusted && least*float64(n) > alpha {
		add("flips of so few have p of at least %.2g, which Holm over %s can leave above %g whatever the difference: compare fewer rows, with --columns or RUN:LABEL", least, plural(n, "test"), alpha)
	}
	if has(rows, func(r Contrast) bool { return r.Interval != nil }) {
		add("in parentheses the %g %% interval of the difference, not adjusted", 100*stats.Level)
	}
	if has(rows, func(r Contrast) bool { return r.Detectable != nil }) {
		add("detectable: the smallest difference that is shown in %g %% of comparisons like this one, before any adjustment", 100*stats.Power)
	}
	return notes
}

// tested reports whether a test of a unit decides, where samples and requests are not
// the same.
func (c Contrast) tested(u Unit) bool { return c.P != nil && c.Unit == u && c.Samples < c.N }

// mixed reports whether some rows are decided by samples and some by requests.
func mixed(rows []Contrast) bool {
	by := func(u Unit) bool { return slices.ContainsFunc(rows, func(r Contrast) bool { return r.tested(u) }) }
	return by(BySample) && by(ByRequest)
}

// byRequestNote says what the rows take for granted that requests decide, and why
// they do; it is empty where there are none.
func byRequestNote(rows []Contrast, o ContrastOptions) string {
	why := ", as a side has fewer than two samples"
	i := slices.IndexFunc(rows, func(r Contrast) bool { return r.tested(ByRequest) })
	switch {
	case i < 0:
		return ""
	case o.Unit != "":
		why = ""
	case slices.ContainsFunc(rows[i:], func(r Contrast) bool { return r.Paired && r.tested(ByRequest) }):
		why = fmt.Sprintf(", as flips of fewer than %d samples can show nothing", leastSamples)
	}
	return "p takes requests for independent of each other" + why + "; those about one sample are alike, so it finds differences too often"
}

// leastP returns the largest of the smallest p-values that rows could have by sign
// flips; 0 where none is decided by that.
func leastP(rows []Contrast) float64 {
	least := 0.0
	for _, r := range rows {
		least = max(least, r.LeastP())
	}
	return least
}
