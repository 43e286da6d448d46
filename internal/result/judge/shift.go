package judge

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/text/timex"
)

// digits is a whole number that stands by itself.
var digits = regexp.MustCompile(`\b\d{1,6}\b`)

// dates returns the days that a text names with their year.
func dates(text string) []timex.Expr {
	return slices.DeleteFunc(timex.Find(text), func(e timex.Expr) bool {
		return e.Kind != timex.Point || e.Grain != timex.Day || e.Vague || !e.Resolved()
	})
}

// shiftDates moves the days of a text. It reports whether there are any.
func shiftDates(text string, days int) (string, bool) {
	found := dates(text)
	for _, e := range slices.Backward(found) {
		text = text[:e.Start] + timex.FormatDay(e.From.AddDate(0, 0, days)) + text[e.End:]
	}
	return text, len(found) > 0
}

// changeNumbers changes the whole numbers of a text that tell no time. It reports
// whether there are any.
func changeNumbers(text string, change func(int) int) (string, bool) {
	times := timex.Find(text)
	found := slices.DeleteFunc(digits.FindAllStringIndex(text, -1), func(at []int) bool {
		return strings.HasPrefix(text[at[1]:], ".") && len(text) > at[1]+1 && text[at[1]+1] >= '0' && text[at[1]+1] <= '9' || // of a decimal
			slices.ContainsFunc(times, func(e timex.Expr) bool { return e.Kind == timex.Point && at[0] < e.End && e.Start < at[1] })
	})
	changed := false
	for _, at := range slices.Backward(found) {
		n, err := strconv.Atoi(text[at[0]:at[1]])
		if err != nil || change(n) == n {
			continue
		}
		text, changed = text[:at[0]]+strconv.Itoa(change(n))+text[at[1]:], true
	}
	return text, changed
}

// swapSpeakers puts each of two speakers in the other's place. It reports whether the
// text names one.
func swapSpeakers(text string, speakers []string) (string, bool) {
	if len(speakers) != 2 || speakers[0] == speakers[1] {
		return text, false
	}
	names := regexp.MustCompile(`\b(?:` + regexp.QuoteMeta(speakers[0]) + `|` + regexp.QuoteMeta(speakers[1]) + `)\b`)
	swapped := names.ReplaceAllStringFunc(text, func(name string) string {
		if name == speakers[0] {
			return speakers[1]
		}
		return speakers[0]
	})
	return swapped, swapped != text
}

// firstItem returns the first of the items that commas part in a text; ok is false where
// there is one alone. Commas of dates and of numbers part nothing.
func firstItem(text string) (item string, ok bool) {
	times := timex.Find(text)
	for i := range len(text) {
		within := slices.ContainsFunc(times, func(e timex.Expr) bool { return e.Start < i && i < e.End })
		if strings.HasPrefix(text[i:], ", ") && i > 0 && !within {
			return text[:i], true
		}
	}
	return "", false
}
