package main

import (
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"golang.org/x/term"

	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	metricsuite "recallbench/metrics/suite"
)

// reportOptions returns the options that every report needs; verbs fill in the rest.
func reportOptions() report.Options {
	return report.Options{Metric: metricsuite.Find}
}

// printRun prints the results of a run that has just been scored, on one screen. As JSON
// it prints the tables: those of its datasets, the metrics by category, and the
// published ones that its config names beside the measured ones.
func (a *app) printRun(r *freshRun, asJSON bool) error {
	if !asJSON {
		return a.printScreen(r)
	}
	o := reportOptions()
	o.By, o.Published = report.Category, configured([]*report.Run{r.Run})
	doc, err := report.Build([]*report.Run{r.Run}, o)
	if err != nil {
		return err
	}
	for _, t := range doc.Tables {
		if err := a.event("table", map[string]any{"table": t}); err != nil {
			return err
		}
	}
	return nil
}

// printScreen prints the results of a scored run in at most 25 lines.
func (a *app) printScreen(r *freshRun) error {
	name := string(r.Folder)
	if newest, err := record.Newest(pastRuns); err == nil && filepath.Clean(newest) == filepath.Clean(name) {
		name = latest
	}
	tables := "all metrics, intervals and categories"
	if len(configured([]*report.Run{r.Run})) > 0 {
		tables = "all metrics, intervals, categories and published numbers"
	}
	screen, err := report.NewScreen(r.Run, report.ScreenOptions{Options: reportOptions(), Spent: r.spent, Next: [][2]string{
		{"bench view " + name, "every question, answer and piece of evidence in the browser"},
		{"bench table " + name, tables},
	}})
	if err != nil {
		return err
	}
	return screen.Text(a.stdout, terminalWidth(a.stdout))
}

// terminalWidth returns the width of w if it is a terminal, else 100.
func terminalWidth(w io.Writer) int {
	if f := fileOf(w); f != nil {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return 100
}

// configured returns the published tables that the runs' configs name. Runs without
// answers have nothing to compare with them.
func configured(runs []*report.Run) (names []string) {
	for _, r := range runs {
		if len(r.Header.Published) == 0 {
			continue
		}
		for score, err := range r.Scores {
			if err != nil || score.Status == record.OK { // unreadable scores are reported where they are printed
				names = lists.AddNew(names, r.Header.Published...)
				break
			}
		}
	}
	return names
}

// summarize summarizes a run or baseline as its summary.json does. For a run without
// scores it counts the finished and the failed requests.
func summarize(dir string) ([]record.SummaryRow, error) {
	h, err := record.ReadHeader(dir)
	if err != nil {
		return nil, err
	}
	folder := record.Folder(dir)
	spent, err := recordsSpent(folder, h)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(folder.Scores()); !errors.Is(err, fs.ErrNotExist) {
		return report.Summarize(runOf(folder, h), spent, reportOptions())
	}
	failed, _, err := folder.Failed(h)
	return lists.Map(spent, func(s record.Spent) record.SummaryRow {
		of := lists.Filter(failed, func(f record.FailedRequest) bool {
			return f.Dataset == s.Dataset && f.Method == s.Method && f.Model == s.Model
		})
		return record.SummaryRow{Dataset: s.Dataset, Method: s.Method, Model: s.Model, Requests: s.Requests, Errors: len(of)}
	}), err
}

// recordsSpent adds up what the records of a run spent; a baseline has the sum.
func recordsSpent(folder record.Folder, h record.Header) ([]record.Spent, error) {
	if h.Baseline != nil {
		return h.Baseline.Spent, nil
	}
	return record.SpentBy(h, func(c record.Cell) iter.Seq2[record.Record, error] {
		return record.Values[record.Record](folder.Records(c.ID))
	})
}
