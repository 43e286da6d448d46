package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"recallbench/internal/near"
	"recallbench/internal/record"
	"recallbench/internal/report"
)

// corrections are the values of --correct.
var corrections = []string{"holm", "none"}

func newCompareCommand(a *app) *cobra.Command {
	var (
		out     output
		by      string
		unit    string
		correct string
		columns []string
		all     bool
		fail    bool
		edits   editsFlag
	)
	cmd := &cobra.Command{
		Use:   "compare BASE NEW...",
		Short: "Say where runs differ by more than chance",
		Long: `Compare holds runs, or methods of them as RUN:LABEL, against a base, request by
request, and says where the difference is more than chance would make.

Answers are paired by sample and request id; where they cannot be, that is said and
the means are compared. Columns of 0 and 1 are tested by exact McNemar, others by
sign-flip permutation; where there are samples enough, by whole samples, because the
requests about one are alike. All p-values are adjusted by Holm; where sign flips of few
samples could show nothing among so many rows, a t-test takes their place. A ~ stands
where no difference is shown.

With --fail-on-regression, exit code 4 says that a shown difference is for the worse.`,
		Example: `  bench compare results/runs/main results/runs/pr-7
  bench compare RUN:flat-rag RUN:xmemory --by category --columns f1@mem0
  bench compare BASE NEW --all --format csv --out compare.csv`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := out.check(); err != nil {
				return err
			}
			o := report.ContrastOptions{Options: reportOptions(), Rows: by, Unit: report.Unit(unit), Unadjusted: correct == "none"}
			o.Columns = columns
			if err := errors.Join(
				oneOf("--by", by, report.RowKinds()),
				oneOf("--unit", unit, []string{string(report.BySample), string(report.ByRequest)}),
				oneOf("--correct", correct, corrections),
			); err != nil {
				return usageError(err)
			}
			sides, err := compared(args, edits.options()...)
			if err != nil {
				return usageError(err)
			}
			rows, notes, err := report.Contrasts(sides[0], sides[1:], o)
			if err != nil {
				return usageError(err)
			}
			full := all || out.format == "csv" || out.format == "json"
			if err := out.print(a, report.ContrastTable(rows, notes, o, full)); err != nil {
				return err
			}
			if fail {
				return regression(rows)
			}
			return nil
		},
	}
	out.add(cmd)
	edits.add(cmd)
	cmd.Flags().StringVar(&by, "by", "", "a row for each `category` of a method on a dataset, or one for each dataset or method (default: for each method on a dataset)")
	cmd.Flags().StringVar(&unit, "unit", "", "which test decides, that by `sample` or request (default: sample where there are enough)")
	cmd.Flags().StringVar(&correct, "correct", "holm", "adjust p-values over all rows: `holm` or none")
	cmd.Flags().StringSliceVar(&columns, "columns", nil, "columns of metrics to compare, separated by commas (default: the first of each metric)")
	cmd.Flags().BoolVar(&all, "all", false, "print all columns of the comparison, as csv and json always do")
	cmd.Flags().BoolVar(&fail, "fail-on-regression", false, "exit with code 4 where a shown difference is for the worse")
	for flag, values := range map[string][]string{"by": report.RowKinds(), "unit": {"sample", "request"}, "correct": corrections} {
		cobra.CheckErr(cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)))
	}
	return cmd
}

// oneOf reports a flag that is none of some values; empty is the default.
func oneOf(flag, value string, values []string) error {
	if value == "" || slices.Contains(values, value) {
		return nil
	}
	return fmt.Errorf("%s: %s", flag, near.Unknown("value", value, values))
}

// compared opens the sides of a comparison and reports all that cannot be. A copy of
// a run, such as a baseline, may be compared with it, but no folder with itself.
func compared(args []string, options ...record.Option) ([]report.Side, error) {
	type place struct{ dir, method string }
	var sides []report.Side
	var faults []error
	seen := make(map[place]bool)
	for _, arg := range args {
		s, err := side(arg, options...)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		dir, _ := splitSide(arg)
		at := place{filepath.Clean(dir), s.Method}
		if seen[at] {
			faults = append(faults, fmt.Errorf("%s is named twice; want two runs, or two methods of one as RUN:LABEL", arg))
		}
		seen[at] = true
		sides = append(sides, s)
	}
	return sides, errors.Join(faults...)
}

// regression returns the error of a comparison in which something got worse, or in
// which nothing was compared, as a regression could not be seen then.
func regression(rows []report.Contrast) error {
	n, compared := 0, false
	for _, r := range rows {
		compared = compared || r.P != nil || r.Same()
		if r.Shown && r.Worse() {
			n++
		}
	}
	switch {
	case !compared:
		return usageError(errors.New("no row has a value on both sides, so that a regression could not be seen"))
	case n == 0:
		return nil
	}
	return withExit(exitGate, fmt.Errorf("regression: %d of %d rows are worse", n, len(rows)))
}
