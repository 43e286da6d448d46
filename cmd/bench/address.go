package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"recallbench/datasets/errata"
	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/internal/text/suggest"
)

// latest stands for the newest run below results/runs, the one that began last,
// wherever a command takes a run. A run folder of that name in the working directory
// takes precedence, as a path does over the name of a baseline.
const latest = "latest"

// runPlaceholders are the words for a run in a command's Use.
var runPlaceholders = []string{"RUN", "BASE", "NEW", "A", "B"}

// findLatest puts the folder of the newest run in place of [latest] among the
// arguments of cmd that its Use says are runs, and in its flag --run.
func findLatest(cmd *cobra.Command, args []string) error {
	said := false
	find := func(arg *string) error {
		name, row, of := strings.Cut(*arg, ":")
		if name != latest || isRun(name) {
			return nil
		}
		dir, err := newestRun(pastRuns)
		if err != nil {
			return usageError(err)
		}
		if !said {
			cmd.PrintErrf("bench: %s is %s\n", latest, dir)
		}
		said = true
		if *arg = dir; of {
			*arg += ":" + row
		}
		return nil
	}
	places := strings.Fields(cmd.Use)[1:]
	for i := range args {
		if len(places) == 0 {
			break
		}
		// The last name in the usage line applies to all further arguments.
		place := strings.TrimSuffix(strings.Trim(places[min(i, len(places)-1)], "[]"), "...")
		if slices.Contains(runPlaceholders, place) {
			if err := find(&args[i]); err != nil {
				return err
			}
		}
	}
	f := cmd.Flags().Lookup("run")
	if f == nil || !f.Changed {
		return nil
	}
	list, ok := f.Value.(pflag.SliceValue)
	if !ok {
		return nil
	}
	values := list.GetSlice()
	for i := range values {
		if err := find(&values[i]); err != nil {
			return err
		}
	}
	return list.Replace(values)
}

// newestRun returns the folder of the run in dir that began last. If a header cannot
// be read, the time in the folder's name counts, so that a damaged run is not skipped
// in favour of an older one.
func newestRun(dir string) (newest string, err error) {
	headers, err := filepath.Glob(filepath.Join(dir, "*", "run.json"))
	if err != nil {
		return "", err
	}
	began := time.Time{}
	for _, path := range headers { // sorted by name: of runs that began at the same time, the last counts
		var header struct{ Start time.Time }
		data, err := os.ReadFile(path)
		if err != nil || json.Unmarshal(data, &header) != nil || header.Start.IsZero() {
			stamp, _, _ := strings.Cut(filepath.Base(filepath.Dir(path)), "-")
			if header.Start, err = time.Parse("20060102T150405Z", stamp); err != nil {
				continue
			}
		}
		if !header.Start.Before(began) {
			newest, began = filepath.Dir(path), header.Start
		}
	}
	if newest == "" {
		return "", fmt.Errorf("there is no latest run: %s has none; 'bench run' makes one there; name a run elsewhere by its folder", dir)
	}
	return newest, nil
}

// isFolder reports whether a path is the folder of a run or baseline.
func isFolder(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "run.json"))
	return err == nil
}

// scoredFolder returns the folder that an argument names: itself, or if it is not a
// run folder, that of the baseline of this name.
func scoredFolder(arg string) string {
	if !isFolder(arg) {
		if dir, ok := namedBaseline(arg, ""); ok {
			return dir
		}
	}
	return arg
}

// isRun reports whether an argument names the folder of a run, or a baseline.
func isRun(arg string) bool { return isFolder(scoredFolder(arg)) }

// splitSide splits an argument that names a run, or rows of it as
// RUN:METHOD[@MODEL][#SEED].
// As paths may contain colons, it splits after the shortest part that is a run.
func splitSide(arg string) (dir, row string) {
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

// rowsOf returns the cells that METHOD, METHOD@MODEL or either with #SEED names.
func rowsOf(cells []record.Cell, row string) ([]record.Cell, error) {
	for _, name := range []func(record.Cell) string{
		func(c record.Cell) string { return c.Method },
		func(c record.Cell) string { return c.Method + "@" + c.Model },
		func(c record.Cell) string { return fmt.Sprintf("%s#%d", c.Method, c.Seed) },
		func(c record.Cell) string { return fmt.Sprintf("%s@%s#%d", c.Method, c.Model, c.Seed) },
	} {
		if named := lists.Filter(cells, func(c record.Cell) bool { return strings.EqualFold(name(c), row) }); len(named) > 0 {
			return named, nil
		}
	}
	labels := lists.Distinct(cells, func(c record.Cell) string { return c.Method })
	return nil, errors.New(suggest.Unknown("method label", row, labels))
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
// folder or its name.
func scoredRun(arg string, options ...record.Option) (*report.Run, error) {
	r, scored, err := openRun(arg, options...)
	if err == nil && !scored {
		dir, _ := splitSide(arg)
		err = fmt.Errorf("%s has no scores yet; 'bench score %[1]s' computes them, 'bench resume %[1]s' asks the remaining questions first", scoredFolder(dir))
	}
	return r, err
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
	if row == "" && dir != arg {
		return nil, false, fmt.Errorf("%s: no method label after the colon; want RUN:LABEL", dir)
	}
	folder, header, err := record.Open(scoredFolder(dir), append(options, record.WithScores, record.Baselines)...)
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
