package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"golang.org/x/term"

	"recallbench/datasets/errata"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/internal/text/redact"
	methodsuite "recallbench/methods/suite"
	metricsuite "recallbench/metrics/suite"
)

// scoredRun opens a run folder whose records have been scored, or a baseline by its
// folder or its name.
func scoredRun(arg string, options ...record.Option) (*report.Run, error) {
	r, scored, err := openRun(arg, options...)
	if err == nil && !scored {
		dir := scoredFolder(arg)
		err = fmt.Errorf("%s has no scores yet; 'bench score %s' makes them, 'bench resume %s' first asks what is left", dir, dir, dir)
	}
	return r, err
}

// openRun opens a run folder or a baseline, and reports whether it has scores.
func openRun(arg string, options ...record.Option) (r *report.Run, scored bool, err error) {
	dir := scoredFolder(arg)
	if record.IsBaseline(dir) {
		_, header, scores, err := record.OpenBaseline(dir, options...)
		if err != nil {
			return nil, false, err
		}
		return &report.Run{Name: filepath.Base(filepath.Clean(dir)), Header: header, Scores: scores}, true, nil
	}
	folder, header, err := record.Open(dir, append(options, record.WithScores)...)
	if err != nil {
		return nil, false, err
	}
	_, err = os.Stat(folder.Scores())
	scored = err == nil
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return runOf(folder, header), scored, err
}

// runOf is a run whose folder was checked or has just been written.
func runOf(folder record.Folder, header record.Header) *report.Run {
	return &report.Run{Name: filepath.Base(filepath.Clean(string(folder))), Header: header, Scores: record.Scores(folder, header), Under: func(key errata.Key) iter.Seq2[record.Score, error] {
		return record.ScoresUnder(folder, header, key)
	}}
}

// scoredFolder returns the folder that an argument names: itself, or where it is
// no folder of a run, that of the baseline of this name.
func scoredFolder(arg string) string {
	if !isFolder(arg) {
		if dir, ok := namedBaseline(arg, ""); ok {
			return dir
		}
	}
	return arg
}

// reportOptions are what every report needs; verbs fill in the rest.
func reportOptions() report.Options {
	o := report.Options{Metric: metricsuite.Find}
	for _, m := range methodsuite.All() {
		o.Methods = append(o.Methods, m.Name)
	}
	return o
}

// printRun prints what a run that has just been scored found, on one screen. As JSON it
// prints the tables: those of its datasets, the first metric by category, and the
// published ones that its config names beside the measured.
func (a *app) printRun(r *freshRun, asJSON bool) error {
	if !asJSON {
		return a.printScreen(r)
	}
	o := reportOptions()
	o.By, o.Brief = report.Category, true
	o.Published = configured([]*report.Run{r.Run})
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

// printScreen prints what a scored run found, in at most 25 lines.
func (a *app) printScreen(r *freshRun) error {
	name := string(r.folder)
	if newest, err := newestRun(pastRuns); err == nil && filepath.Clean(newest) == filepath.Clean(name) {
		name = latest
	}
	tables := "all metrics, intervals and categories"
	if len(configured([]*report.Run{r.Run})) > 0 {
		tables = "all metrics, intervals, categories and published numbers"
	}
	next := [][2]string{
		{"bench view " + name, "every question, answer and piece of evidence in the browser"},
		{"bench table " + name, tables},
	}
	screen, err := report.NewScreen(r.Run, report.ScreenOptions{Options: reportOptions(), Spent: r.spent, Next: next})
	if err != nil {
		return err
	}
	return screen.Text(a.stdout, terminalWidth(a.stdout))
}

// terminalWidth returns the width of the terminal that w is, and 100 where it is none.
func terminalWidth(w io.Writer) int {
	if clean, ok := w.(redact.Writer); ok {
		w = clean.Writer
	}
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return 100
}

// anyAnswer reports whether a request of a run was answered. What prints the scores
// reports those that cannot be read.
func anyAnswer(r *report.Run) bool {
	for score, err := range r.Scores {
		if err != nil || score.Status == record.OK {
			return true
		}
	}
	return false
}
