package main

import (
	"fmt"
	"slices"
	"strconv"

	"recallbench/internal/calc/stats"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/rating"
	"recallbench/internal/text/termsafe"
)

func (a *app) printRatings(out output, asked rating.Asked, ratings []rating.Rating) error {
	s := asked.Summarise(ratings, asked.Seed)
	d := &report.Document{Tables: []*report.Table{ratedMethods(asked, s), raterTable(s)}}
	return out.print(a, d)
}

// fixed returns a cell with a number to some decimals.
func fixed(x float64, digits int) report.Cell {
	return report.Cell{Text: strconv.FormatFloat(x, 'f', digits, 64), Value: &x}
}

// numbers returns columns with a label first and numbers behind.
func numbers(label string, names ...string) []report.Column {
	columns := []report.Column{{Name: label}}
	for _, n := range names {
		columns = append(columns, report.Column{Name: n, Number: true})
	}
	return columns
}

// ratedMethods is the table of methods: mean, interval and flags.
func ratedMethods(asked rating.Asked, s rating.Summary) *report.Table {
	t := &report.Table{
		Name: "ratings", Title: fmt.Sprintf("%s: %d answers rated by %s", asked.Dataset, len(asked.Items), people(len(s.Raters))),
		Columns: numbers("method", slices.Concat([]string{"items", "ratings", "ucs"}, rating.Flags)...),
	}
	for _, m := range s.Methods {
		ucs := report.Cell{}
		if m.Items > 0 {
			ucs = fixed(m.Mean, 2)
			if i := m.Interval; i != nil {
				ucs.Interval = i
				ucs.Text += fmt.Sprintf(" (%.2f, %.2f)", i.Lo, i.Hi)
			}
		}
		row := []report.Cell{{Text: termsafe.Text(m.Name)}, whole(m.Items), whole(m.Ratings), ucs}
		for _, name := range rating.Flags {
			cell := report.Cell{}
			if n := m.Judged[name]; n > 0 {
				cell = fixed(100*float64(m.Flagged[name])/float64(n), 1)
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	t.NoteTitle(fmt.Sprintf("ucs: mean over items of the mean of their ratings, %d to %d, higher is better; in parentheses the %g %% interval from %s resamples of whole conversations",
		rating.Lowest, rating.Highest, 100*stats.Level, grouped(stats.Resamples)))
	t.NoteTitle("flags: how many in 100 of the ratings that answer yes or no say yes")
	if s.Alpha != nil {
		t.NoteTitle(fmt.Sprintf("agreement: Krippendorff's alpha %.3f on the ordinal scale, of %d answers with two ratings or more", *s.Alpha, s.Shared))
	} else {
		t.NoteTitle(fmt.Sprintf("agreement: not known; %d answers have two ratings or more, and where all ratings are the same it is not defined", s.Shared))
	}
	return t
}

func people(n int) string {
	if n == 1 {
		return "1 person"
	}
	return fmt.Sprintf("%d people", n)
}

func raterTable(s rating.Summary) *report.Table {
	t := &report.Table{Name: "raters", Title: "raters", Columns: numbers("rater", "rated", "missing", "mean", "deviation")}
	for _, r := range s.Raters {
		row := []report.Cell{{Text: r.Name}, whole(r.Rated), whole(r.Asked - r.Rated), {}, {}}
		if r.Rated > 0 {
			row[3] = fixed(r.Mean, 2)
		}
		if r.Rated > 1 {
			row[4] = fixed(r.Deviation, 2)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
