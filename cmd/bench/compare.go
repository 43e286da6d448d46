package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"recallbench/internal/calc/infer"
	"recallbench/internal/publish/interchange"
	"recallbench/internal/publish/report"
)

// inferFlags set how differences are tested.
type inferFlags struct {
	unit, correct string
	acceptTwo     bool
}

func (f *inferFlags) add(cmd *cobra.Command) {
	choiceFlag(cmd, &f.unit, "unit", string(report.BySample), units, "what tests treat as independent: each `sample` (a conversation) or each request (a question)")
	choiceFlag(cmd, &f.correct, "correct", infer.MaxT, infer.Corrections(), "adjust p-values over all rows: `maxt` (max-T over joint flips), holm, bh (Benjamini and Hochberg) or none")
	cmd.Flags().BoolVar(&f.acceptTwo, "accept-two", false, "test differences of two conversations, too")
}

var units = []string{string(report.BySample), string(report.ByRequest)}

// set puts the flags into options.
func (f *inferFlags) set(o *report.Options) {
	o.Unit, o.Correct, o.AcceptTwo = report.Unit(f.unit), f.correct, f.acceptTwo
}

type compareFlags struct {
	report.ContrastOptions
	test    inferFlags
	files   resultFlags
	edits   editsFlag
	out     output
	all     bool
	fail    bool
	anytime float64
	design  report.DesignQuestion
}

func newCompareCommand(a *app) *cobra.Command {
	var flags compareFlags
	cmd := &cobra.Command{
		Use:   "compare BASE NEW...",
		Short: "Test differences between runs, or results of other tools",
		Long: `Compare compares runs, or methods of them (RUN:LABEL), with a base, question by
question, and reports which differences are statistically significant. It also compares
files and folders of results of other tools, or parts of one (FILE#SIDE), and detects
their format: 'bench compare A.eval B.eval'.

Answers are paired by the ids of conversation and question. If they cannot be paired, the
means of conversations are compared, and a note says so. The conversation is the sampling
unit: six or more get a sign-flip test, three to five a t-test with cluster-robust errors,
and one or two are not tested. p-values are adjusted over all rows. A ~ marks rows where no
difference is shown, and "insufficient" those that cannot be tested.

With --fail-on-regression, exit code 4 means that something is significantly worse.

With --detect the comparison is a pilot study: from the variance of its differences
between conversations, questions and repetitions, it computes how many conversations a
difference of some points needs and, for runs, the calls and dollars of both sides.`,
		Example: `  bench compare results/runs/main results/runs/pr-7
  bench compare RUN:flat-rag RUN:xmemory --by category --columns f1@span
  bench compare BASE NEW --all --format csv --out compare.csv
  bench compare RUN:flat-rag RUN:xmemory --detect 2,5 --questions 20,154
  bench compare a.eval b.eval --cluster metadata.conversation
  bench compare results.json#gpt results.json#claude --column score=better:higher`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error { return a.compare(cmd.Context(), args, flags) },
	}
	flags.out.add(cmd)
	flags.edits.add(cmd)
	flags.files.add(cmd)
	flags.test.add(cmd)
	addDesign(cmd, &flags.design)
	choiceFlag(cmd, &flags.By, "by", "", []string{report.Category}, "a row for each `category` of a method on a dataset (default: one for all)")
	cmd.Flags().StringSliceVar(&flags.Columns, "columns", nil, "columns of metrics to compare, separated by commas (default: the first of each metric)")
	cmd.Flags().Float64Var(&flags.EquivalentWithin, "equivalent-within", 0, "mark differences that are equivalent: within so many `points` of the table either way")
	cmd.Flags().Float64Var(&flags.NotWorseBy, "not-worse-by", 0, "mark where the new side is at most so many `points` of the table worse")
	cmd.Flags().Float64Var(&flags.anytime, "anytime", 0, "instead, print after which conversation a difference of so many `points` was significant, and the run could have stopped")
	cmd.Flags().BoolVar(&flags.all, "all", false, "print all columns of the comparison, as csv and json always do")
	cmd.Flags().BoolVar(&flags.fail, "fail-on-regression", false, "exit with code 4 if something is significantly worse")
	cmd.MarkFlagsMutuallyExclusive("anytime", "detect")
	return cmd
}

// check validates the flags and fills in the options.
func (f *compareFlags) check() error {
	f.Metric = reportOptions().Metric
	f.test.set(&f.Options)
	faults := []error{checkDesign(f.design)}
	if f.EquivalentWithin < 0 || f.NotWorseBy < 0 || f.anytime < 0 {
		faults = append(faults, errors.New("--equivalent-within, --not-worse-by and --anytime: want margins above 0"))
	}
	return errors.Join(faults...)
}

// compare tests the differences of sides, or does what the flags want instead.
func (a *app) compare(ctx context.Context, args []string, flags compareFlags) error {
	if err := flags.check(); err != nil {
		return usageError(err)
	}
	rows, notes, err := flags.contrasts(ctx, args)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return usageError(err)
	}
	var d *report.Document
	switch {
	case len(flags.design.Detect) > 0:
		if isSide(args[0]) {
			flags.design.Spent = spentBy(args)
		}
		d, err = report.DesignTable(rows, flags.design)
	case flags.anytime > 0:
		d, err = report.AnytimeTable(rows, flags.anytime)
	default:
		d = report.ContrastTable(rows, notes, flags.ContrastOptions, flags.all || flags.out.format == "csv" || flags.out.format == "json")
	}
	if err != nil {
		return usageError(err)
	}
	if err := flags.out.write(a, d); err != nil || !flags.fail {
		return err
	}
	return regression(rows, len(flags.Columns) > 0)
}

// contrasts compares runs or, if an argument is one, files of results.
func (f *compareFlags) contrasts(ctx context.Context, args []string) ([]report.Contrast, []string, error) {
	if slices.ContainsFunc(args, interchange.Exists) && !slices.ContainsFunc(args, isSide) {
		return f.files.contrasts(ctx, args, f.ContrastOptions)
	}
	all, err := sides(args, f.edits.options()...)
	if err != nil {
		return nil, nil, err
	}
	return report.Contrasts(all[0], all[1:], f.ContrastOptions)
}

// regression returns an error if something is significantly worse, or if that could not
// be detected: nothing was compared, or the better direction of a column is unknown.
// Columns that fall with length count only if they were named.
func regression(rows []report.Contrast, named bool) error {
	n, compared, unknown, why := 0, false, "", "no row has values on both sides, except in columns that fall with the length of answers; name these with --columns"
	for _, r := range rows {
		if r.Column.FallsWithLength && !named {
			continue
		}
		compared = compared || r.Adjusted != nil || r.Same()
		if r.N > 0 && r.Reason() != "" {
			why = r.Reason()
		}
		if r.Shown && r.Worse() {
			n++
		}
		if r.Column.Neutral && r.N > 0 && !r.Same() && r.Missing == "" {
			unknown = r.Column.Name
		}
	}
	switch {
	case unknown != "":
		return usageError(fmt.Errorf("%s differs, but a regression cannot be detected without knowing the better direction; give it as in --column %[1]s=better:higher", unknown))
	case !compared:
		return usageError(fmt.Errorf("nothing could be tested, so a regression cannot be detected: %s", why))
	case n == 0:
		return nil
	}
	return withExit(exitGate, fmt.Errorf("regression: %d of %d rows are worse", n, len(rows)))
}
