package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/infer"
	"recallbench/internal/lists"
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
	results := lists.Map(rows, func(r Contrast) infer.Result { return r.Result })
	family := lists.Map(all, func(r Contrast) infer.Result { return r.Result })
	notes = append(notes, testNotes(results, family, o.Options)...)
	notes = append(notes, reachNotes(rows)...)
	if has(rows, Contrast.Same) {
		add("=: all pairs have the same value on both sides, and there is nothing to test")
	}
	return notes
}

// testNotes say how results were found; the adjustment is over a family of them.
func testNotes(results, family []infer.Result, o Options) []string {
	var notes []string
	add := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	has := slices.ContainsFunc[[]infer.Result]
	by := cmp.Or(o.Unit, BySample).noun()
	var tests []string
	for _, x := range []struct{ name, says string }{
		{infer.SignFlip, fmt.Sprintf("sign flips of %ss, exact or %d", by, infer.Draws)},
		{infer.CR2, fmt.Sprintf("t by the CR2 error of fewer than %d %ss", infer.FlipUnits, by)},
		{infer.Permutation, fmt.Sprintf("permutation of whole %ss, as nothing is paired", by)},
	} {
		if has(results, func(r infer.Result) bool { return r.Test == x.name }) {
			tests = append(tests, x.says)
		}
	}
	if len(tests) > 0 {
		add("p: %s", strings.Join(tests, "; "))
	}
	if len(tests) > 0 && o.Unit == ByRequest {
		add("p takes requests for independent of each other, as --unit request asks; those about one conversation are alike, so it finds differences too often")
	}
	n := 0
	for _, r := range family {
		if r.Adjusted != nil {
			n++
		}
	}
	over := plural(n, "test")
	switch {
	case n == 0:
	case n == 1:
		add("~: p is above %g, no difference is shown, which is not to say that there is none", alpha)
	case o.Correct == infer.None:
		add("~: p is above %g, no difference is shown; p is not adjusted for the %s, so that one in %d without any difference is found to differ by chance", alpha, over, int(1/alpha))
	case o.Correct == infer.BH:
		add("~: p, adjusted by Benjamini and Hochberg over %s, is above %g; of the differences that are shown one in %d may be chance", over, alpha, int(1/alpha))
	case o.Correct == infer.Holm || !has(family, func(r infer.Result) bool { return r.Test == infer.SignFlip }):
		add("~: p, adjusted by Holm over %s, is above %g, no difference is shown, which is not to say that there is none", over, alpha)
	case has(family, func(r infer.Result) bool { return r.Adjusted != nil && r.Tests > 1 }):
		add("~: p, adjusted over %s by max-T of joint flips where these decide and by Holm else, is above %g, no difference is shown, which is not to say that there is none", over, alpha)
	default:
		add("~: p, adjusted over %s by max-T of joint flips, is above %g, no difference is shown, which is not to say that there is none", over, alpha)
	}
	if has(results, func(r infer.Result) bool {
		return r.Insufficient != "" && r.Insufficient != infer.NoUnits && r.Units > 0
	}) {
		add("insufficient: no difference could be shown, however large; --accept-two accepts two conversations, and --unit request takes requests for independent")
	}
	if has(results, func(r infer.Result) bool { return r.Interval != nil }) {
		add("in parentheses the %g %% interval of the difference, by the same test, not adjusted", 100*stats.Level)
	}
	return notes
}

// reachNotes say what detectable differences are.
func reachNotes(rows []Contrast) []string {
	var notes []string
	if slices.ContainsFunc(rows, func(r Contrast) bool { return r.Detectable != nil }) {
		notes = append(notes, fmt.Sprintf("detectable: the smallest difference that is shown in %g %% of comparisons like this one, before any adjustment", 100*infer.Power))
	}
	if slices.ContainsFunc(rows, func(r Contrast) bool { return r.AtSix != nil }) {
		notes = append(notes, fmt.Sprintf("with %d: the same of %d conversations with the same spread, where there are fewer", infer.FlipUnits, infer.FlipUnits))
	}
	return notes
}
