package judges

import (
	"fmt"
	"maps"
	"slices"

	"recallbench/internal/calc/stats"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/note"
	"recallbench/internal/result/rating"
	"recallbench/internal/text/termsafe"
)

// LabelTable returns a table of each person's labels, with their agreement.
func LabelTable(asked rating.Asked, of note.Agreement) *report.Table {
	t := &report.Table{Name: "labels", Title: fmt.Sprintf("%s: labels of %d answers", asked.Dataset, len(asked.Items)), Columns: report.Numbers("rater", "labelled", "missing")}
	for _, name := range slices.Sorted(maps.Keys(of.People)) {
		t.Rows = append(t.Rows, []report.Cell{{Text: termsafe.Text(name)}, report.Whole(of.People[name]), report.Whole(len(asked.Items) - of.People[name])})
	}
	t.NoteTitle("labelled: yes, no or partly; unsure counts as missing")
	if of.Right != nil {
		t.NoteTitle(fmt.Sprintf("right: an estimated %.1f %% of all answers, by the weights of the draw", 100**of.Right))
	}
	alpha := "not known"
	if of.Alpha != nil {
		alpha = fmt.Sprintf("%.3f", *of.Alpha)
	}
	if of.Low != nil {
		alpha += fmt.Sprintf(" (%.3f, %.3f by conversation)", *of.Low, *of.High)
	}
	t.NoteTitle(fmt.Sprintf("agreement: Krippendorff's nominal alpha %s, from %d answers with two labels or more; people differ on %d of them, which 'bench view' lists",
		alpha, of.Shared, len(of.Split)))
	return t
}

// RatingTable returns a table with mean, interval and flags of each method.
func RatingTable(asked rating.Asked, of rating.Result) *report.Table {
	t := &report.Table{
		Name: "ratings", Title: fmt.Sprintf("%s: ratings of %d answers", asked.Dataset, len(asked.Items)),
		Columns: report.Numbers("method", slices.Concat([]string{"items", "ratings", "ucs"}, rating.Flags)...),
	}
	for _, m := range of.Methods {
		row := []report.Cell{{Text: termsafe.Text(m.Name)}, report.Whole(m.Items), report.Whole(m.Ratings), {}}
		if m.Items > 0 {
			row[3] = report.Decimal(m.Mean, 2, m.Interval)
		}
		for _, name := range rating.Flags {
			cell := report.Cell{}
			if x, ok := m.Flagged[name]; ok {
				cell = report.Decimal(100*x, 1, nil)
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	t.NoteTitle(fmt.Sprintf("ucs: mean over items of the mean of their ratings, 1 to 5, higher is better; in parentheses the %g %% interval from resamples of whole conversations", 100*stats.Level),
		"flags: percentage of yes among the ratings that say yes or no")
	if of.Alpha != nil {
		t.NoteTitle(fmt.Sprintf("agreement: Krippendorff's alpha %.3f on the ordinal scale, from %d answers with two ratings or more", *of.Alpha, of.Shared))
	} else {
		t.NoteTitle(fmt.Sprintf("agreement: undefined; %d answers have two ratings or more, and if all ratings are equal there is no alpha", of.Shared))
	}
	return t
}
