package main

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"recallbench/datasets/errata"
	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/internal/text/suggest"
)

// latest stands for the newest run below results/runs, the one that began last, wherever a
// command takes a run. A run folder of that name in the working directory takes
// precedence, as a path does over the name of a baseline.
const latest = "latest"

// pastRuns is where runs are created, and where the latest is looked up.
var pastRuns = filepath.Join("results", "runs")

// findLatest puts the folder of the newest run in place of [latest] in the arguments of a
// command and in its flag --run.
func findLatest(cmd *cobra.Command, args []string) error {
	values := [][]string{args}
	var list pflag.SliceValue
	if f := cmd.Flags().Lookup("run"); f != nil && f.Changed {
		if runs, ok := f.Value.(pflag.SliceValue); ok {
			list = runs
			values = append(values, runs.GetSlice())
		}
	}
	named := strings.Contains(cmd.Use, " NAME ") // the first argument is no run
	said := false
	for n, value := range values {
		for i, arg := range value {
			name, row, rest := strings.Cut(arg, ":")
			if name != latest || isRun(name) || named && n == 0 && i == 0 {
				continue
			}
			dir, err := record.Newest(pastRuns)
			if err != nil {
				return usageError(err)
			}
			if !said {
				cmd.PrintErrf("bench: %s is %s\n", latest, dir)
			}
			said = true
			if value[i] = dir; rest {
				value[i] += ":" + row
			}
		}
	}
	if list != nil {
		return list.Replace(values[1])
	}
	return nil
}

// scoredFolder returns the folder that an argument names: itself, or if it is not a
// run folder, that of the baseline of this name.
func scoredFolder(arg string) string {
	if !record.IsRun(arg) {
		if dir, ok := namedBaseline(arg, ""); ok {
			return dir
		}
	}
	return arg
}

// isRun reports whether an argument names the folder of a run, or a baseline.
func isRun(arg string) bool { return record.IsRun(scoredFolder(arg)) }

// splitSide splits an argument that names a run, or rows of it as
// RUN:METHOD[@MODEL][#SEED], into the folder and the row. As paths may contain colons, it
// splits after the shortest part that is a run.
func splitSide(arg string) (dir, row string) {
	if isRun(arg) {
		return scoredFolder(arg), ""
	}
	for i, r := range arg {
		if r == ':' && isRun(arg[:i]) {
			return scoredFolder(arg[:i]), arg[i+1:]
		}
	}
	return arg, ""
}

// isSide reports whether an argument names a run or rows of one.
func isSide(arg string) bool {
	dir, _ := splitSide(arg)
	return record.IsRun(dir)
}

// rowsOf returns the cells that METHOD, METHOD@MODEL or either with #SEED names.
func rowsOf(cells []record.Cell, row string) ([]record.Cell, error) {
	named := lists.Filter(cells, func(c record.Cell) bool {
		return slices.ContainsFunc([]string{
			c.Method, c.Method + "@" + c.Model, fmt.Sprintf("%s#%d", c.Method, c.Seed), fmt.Sprintf("%s@%s#%d", c.Method, c.Model, c.Seed),
		}, func(name string) bool { return strings.EqualFold(name, row) })
	})
	if len(named) == 0 {
		labels := lists.Distinct(cells, func(c record.Cell) string { return c.Method })
		return nil, errors.New(suggest.Unknown("method label", row, labels))
	}
	return named, nil
}

// side opens a scored run, or the part of it that an address names.
func side(arg string, options ...record.Option) (report.Side, error) {
	run, err := scoredRun(arg, options...)
	_, row := splitSide(arg)
	if err != nil || row == "" {
		return report.Side{Run: run}, err
	}
	s := report.Side{Run: run, Method: run.Header.Cells[0].Method}
	if at := strings.LastIndexByte(row, '@'); at >= 0 && strings.EqualFold(row[:at], s.Method) {
		s.Model = run.Header.Cells[0].Model
	}
	return s, nil
}

// sides opens the sides of a comparison, which must differ, and reports all that cannot be
// opened. A run may be compared with a copy of it, such as a baseline.
func sides(args []string, options ...record.Option) ([]report.Side, error) {
	type place struct {
		folder record.Folder
		row    string
	}
	seen := make(map[place]bool)
	var all []report.Side
	var faults []error
	for _, arg := range args {
		s, err := side(arg, options...)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		_, row := splitSide(arg)
		at := place{record.Folder(filepath.Clean(string(s.Folder))), strings.ToLower(row)}
		if seen[at] {
			faults = append(faults, fmt.Errorf("%s is named twice; want two runs, or two methods of one as RUN:LABEL", arg))
		}
		seen[at] = true
		all = append(all, s)
	}
	return all, errors.Join(faults...)
}

// editsFlag lets a person accept edits of run folders.
type editsFlag struct{ accept bool }

func (f *editsFlag) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.accept, "accept-edited", false, "accept a run that was edited after it ended, and note this in the output")
}

// options say how run folders are opened.
func (f *editsFlag) options() []record.Option {
	if f.accept {
		return []record.Option{record.AcceptEdits}
	}
	return nil
}

// scoredRun opens a run folder whose records have been scored, or a baseline by its
// folder or its name, or rows of either.
func scoredRun(arg string, options ...record.Option) (*report.Run, error) {
	r, scored, err := openRun(arg, options...)
	if err == nil && !scored {
		err = unscored(r)
	}
	return r, err
}

// unscored is the error of a run without scores.
func unscored(r *report.Run) error {
	return fmt.Errorf("%s has no scores yet; 'bench score %[1]s' computes them, 'bench resume %[1]s' asks the remaining questions first", r.Folder)
}

// scoredRuns opens scored runs, which must differ, and reports all that cannot be opened.
func scoredRuns(args []string, options ...record.Option) ([]*report.Run, error) {
	return openRuns(args, func(arg string) (*report.Run, error) { return scoredRun(arg, options...) })
}

// openRuns opens runs, each once; several rows of one run share it.
func openRuns(args []string, open func(arg string) (*report.Run, error)) (runs []*report.Run, err error) {
	var faults []error
	for _, arg := range args {
		r, err := open(arg)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		at := slices.IndexFunc(runs, func(have *report.Run) bool { return have.Header.ID == r.Header.ID })
		if at < 0 {
			runs = append(runs, r)
		} else if !runs[at].Add(r) {
			faults = append(faults, fmt.Errorf("%s is named twice", arg))
		}
	}
	return runs, errors.Join(faults...)
}

// openRun opens a run folder or a baseline, or rows of one, and reports whether it has
// scores.
func openRun(arg string, options ...record.Option) (r *report.Run, scored bool, err error) {
	dir, row := splitSide(arg)
	if row == "" && strings.HasSuffix(arg, ":") && record.IsRun(dir) {
		return nil, false, fmt.Errorf("%s: no method label after the colon; want RUN:LABEL", dir)
	}
	folder, header, err := record.Open(dir, append(options, record.WithScores, record.Baselines)...)
	if err != nil {
		return nil, false, err
	}
	r = runOf(folder, header)
	if row != "" {
		named, err := rowsOf(header.Cells, row)
		if err != nil {
			return nil, false, fmt.Errorf("%s: %w", dir, err)
		}
		r = r.Only(named)
	}
	_, err = os.Stat(folder.Scores())
	if errors.Is(err, fs.ErrNotExist) {
		return r, false, nil
	}
	return r, err == nil, err
}

// runOf is a run whose folder was checked or has just been written.
func runOf(folder record.Folder, header record.Header) *report.Run {
	r := &report.Run{Name: filepath.Base(filepath.Clean(string(folder))), Folder: folder, Header: header, Scores: record.Scores(folder, header)}
	if header.Baseline == nil { // which keeps the scores under one key
		r.Under = func(key errata.Key) iter.Seq2[record.Score, error] { return record.ScoresUnder(folder, header, key) }
	}
	return r
}
