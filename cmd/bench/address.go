package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
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
	said := false
	find := func(values []string) error {
		for i, arg := range values {
			name, row, rest := strings.Cut(arg, ":")
			if name != latest || isRun(name) {
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
			if values[i] = dir; rest {
				values[i] += ":" + row
			}
		}
		return nil
	}
	if strings.Contains(cmd.Use, " NAME ") && len(args) > 0 { // the first argument is no run
		args = args[1:]
	}
	if err := find(args); err != nil {
		return err
	}
	f := cmd.Flags().Lookup("run")
	if f == nil || !f.Changed {
		return nil
	}
	list, ok := f.Value.(pflag.SliceValue)
	if !ok {
		return nil
	}
	runs := list.GetSlice()
	return errors.Join(find(runs), list.Replace(runs))
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

// sides opens the sides of a comparison, which must differ, and reports all that cannot be
// opened. A run may be compared with a copy of it, such as a baseline.
func sides(args []string, edits editsFlag) ([]report.Side, error) {
	type place struct{ dir, row string }
	seen := make(map[place]bool)
	var all []report.Side
	var faults []error
	for _, arg := range args {
		r, err := scoredRun(arg, edits)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		_, row := splitSide(arg)
		at := place{filepath.Clean(string(r.Folder)), strings.ToLower(row)}
		if seen[at] {
			faults = append(faults, fmt.Errorf("%s is named twice; want two runs, or two methods of one as RUN:LABEL", arg))
		}
		seen[at] = true
		all = append(all, r.Side(row))
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

// openRun opens a run folder, a baseline by its folder or its name, or rows of either.
func openRun(arg string, edits editsFlag) (*report.Run, error) {
	dir, row := splitSide(arg)
	if row == "" && strings.HasSuffix(arg, ":") && record.IsRun(dir) {
		return nil, fmt.Errorf("%s: no method label after the colon; want RUN:LABEL", dir)
	}
	return report.OpenRun(dir, row, edits.options()...)
}

// scoredRun is openRun for a run whose records have been scored.
func scoredRun(arg string, edits editsFlag) (*report.Run, error) {
	r, err := openRun(arg, edits)
	if err == nil {
		err = r.CheckScored()
	}
	return r, err
}

// scoredRuns opens scored runs, which must differ, and reports all that cannot be opened.
func scoredRuns(args []string, edits editsFlag) ([]*report.Run, error) {
	return openRuns(args, edits, scoredRun)
}

// openRuns opens runs, each once; several rows of one run share it.
func openRuns(args []string, edits editsFlag, open func(string, editsFlag) (*report.Run, error)) (runs []*report.Run, err error) {
	var faults []error
	for _, arg := range args {
		r, err := open(arg, edits)
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
