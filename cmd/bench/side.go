package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/internal/text/suggest"
)

// splitSide splits an argument that names a run, or a method of it as RUN:LABEL.
// A path may hold colons too: the first part of it that is a run counts.
func splitSide(arg string) (dir, method string) {
	if isRun(arg) {
		return arg, ""
	}
	for i, r := range arg {
		if r == ':' && isRun(arg[:i]) {
			return arg[:i], arg[i+1:]
		}
	}
	return arg, ""
}

// isRun reports whether an argument names the folder of a run, or a baseline.
func isRun(arg string) bool { return isFolder(scoredFolder(arg)) }

// isFolder reports whether a path is that of a run folder or of a baseline's.
func isFolder(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "run.json"))
	return err == nil
}

// side opens a scored run, or a method of it, or as RUN:LABEL@MODEL that with one model.
func side(arg string, options ...record.Option) (report.Side, error) {
	dir, method := splitSide(arg)
	if method == "" && dir != arg {
		return report.Side{}, fmt.Errorf("%s: no method label after the colon; want RUN:LABEL", dir)
	}
	run, err := scoredRun(dir, options...)
	if err != nil || method == "" {
		return report.Side{Run: run}, err
	}
	for _, c := range run.Header.Cells {
		switch {
		case strings.EqualFold(c.Method, method):
			return report.Side{Run: run, Method: c.Method}, nil
		case strings.EqualFold(c.Method+"@"+c.Model, method):
			return report.Side{Run: run, Method: c.Method, Model: c.Model}, nil
		}
	}
	labels := lists.Distinct(run.Header.Cells, func(c record.Cell) string { return c.Method })
	return report.Side{}, fmt.Errorf("%s: %s", dir, suggest.Unknown("method label", method, labels))
}

// checkRow reports that a side has several rows where one is wanted.
func checkRow(s report.Side) error {
	cells := lists.Filter(s.Header.Cells, func(c record.Cell) bool { return c.Method == s.Method && (s.Model == "" || c.Model == s.Model) })
	rows := lists.Distinct(cells, func(c record.Cell) string { return c.Method + "@" + c.Model })
	if len(rows) < 2 {
		return nil
	}
	return fmt.Errorf("%s has several models: want one of %s", s.Method, strings.Join(rows, ", "))
}

// editsFlag lets a person accept what was edited in run folders.
type editsFlag struct{ accept bool }

func (f *editsFlag) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.accept, "accept-edited", false, "take a run that was edited after it ended as it is, and say so in what is written")
}

// options say how run folders are opened.
func (f *editsFlag) options() []record.Option {
	if f.accept {
		return []record.Option{record.AcceptEdits}
	}
	return nil
}
