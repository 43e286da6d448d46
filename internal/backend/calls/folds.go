package calls

import (
	"regexp"
	"slices"
	"strings"
)

// A fold hides what often differs from run to run in what a program outside asks.
type fold struct {
	name   string
	hide   func(string) string
	remedy string // or what it means
}

// hidden replaces what an expression matches.
func hidden(expression string) func(string) string {
	re := regexp.MustCompile(expression)
	return func(s string) string { return re.ReplaceAllLiteralString(s, "\x00") }
}

var folds = []fold{
	{"UUIDs", hidden(`(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "set normalise: [uuid]"},
	{
		"dates and times",
		hidden(`\d{4}[-/]\d\d[-/]\d\d|\b(?:(?:January|February|March|April|May|June|July|August|September|October|November|December) \d{1,2}, \d{4}|\d{1,2} (?:January|February|March|April|May|June|July|August|September|October|November|December) \d{4})|\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?`),
		"set clock: session, or normalise: [today]",
	},
	{"numbers like seconds since 1970", hidden(`\b\d{10}(?:\d{3})?\b`), "set clock: session, or normalise: [epoch]"},
	{"the order of lines", sortedLines, "the adapter is not deterministic"},
}

func sortedLines(s string) string {
	all := lines(s)
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// folded says in what the texts of two calls differ, and what to do about it. It is
// empty unless they differ only in what varies from run to run.
func folded(from, to *Call) string {
	if to.Wire == nil && !to.outside || len(from.Texts) != len(to.Texts) || len(settingsDiff(from, to)) > 0 {
		return ""
	}
	equal := func(some []fold) bool {
		return slices.EqualFunc(from.Texts, to.Texts, func(a, b Text) bool {
			for _, f := range some {
				a.Content, b.Content = f.hide(a.Content), f.hide(b.Content)
			}
			return a == b
		})
	}
	if !equal(folds) {
		return ""
	}
	// What is not needed is left out, one by one.
	needed := slices.Clone(folds)
	for _, f := range slices.Backward(folds) {
		fewer := slices.DeleteFunc(slices.Clone(needed), func(g fold) bool { return g.name == f.name })
		if equal(fewer) {
			needed = fewer
		}
	}
	var names []string
	for _, f := range needed {
		names = append(names, f.name+" ("+f.remedy+")")
	}
	return "\n  the texts differ only in " + strings.Join(names, " and ")
}
