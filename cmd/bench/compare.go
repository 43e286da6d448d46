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
	swaps   int
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

Answers are paired by the ids of conversation and question. The conversation is the
sampling unit: six or more get a sign-flip test, three to five a t-test with cluster-robust
errors, and one or two are not tested. p-values are adjusted over all rows
(docs/comparing.md).

With --fail-on-regression, exit code 4 means that something is significantly worse.

With --detect the comparison is a pilot study: from the variance of its differences
between conversations, questions and repetitions, it computes how many conversations a
difference of some points needs and, for runs, the calls and dollars of both sides.`,
		Example: `  bench compare results/runs/main results/runs/pr-7
  bench compare RUN:flat-rag RUN:xmemory --by category --columns f1@span
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
	cmd.Flags().IntVar(&flags.swaps, "calibrate", 0, "instead, swap the answers of pairs at random so many `times`, and print how often a difference is found")
	cmd.Flags().BoolVar(&flags.all, "all", false, "print all columns of the comparison, as csv and json always do")
	cmd.Flags().BoolVar(&flags.fail, "fail-on-regression", false, "exit with code 4 if something is significantly worse")
	cmd.MarkFlagsMutuallyExclusive("anytime", "calibrate", "detect")
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
	if f.swaps < 0 || f.swaps > 1e6 {
		faults = append(faults, fmt.Errorf("--calibrate is %d, want a number from 1 to 1000000", f.swaps))
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
		d, err = report.DesignTable(rows, flags.design)
	case flags.swaps > 0:
		d, err = report.Calibrate(ctx, rows, flags.ContrastOptions, flags.swaps)
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
	worse, err := report.Regressions(rows, len(flags.Columns) > 0)
	if err == nil && worse > 0 {
		err = withExit(exitGate, fmt.Errorf("regression: %d of %d rows are worse", worse, len(rows)))
	}
	return usageError(err)
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
	f.design.Spent = report.SpentBy(all)
	return report.Contrasts(all[0], all[1:], f.ContrastOptions)
}

// addDesign adds the flags for planning a study.
func addDesign(cmd *cobra.Command, q *report.DesignQuestion) {
	cmd.Flags().Float64SliceVar(&q.Detect, "detect", nil, "instead, print how many conversations it takes to detect differences of so many `points`, separated by commas, with this comparison as the pilot")
	cmd.Flags().Float64Var(&q.Power, "power", 0.8, "the `chance` of detecting the difference, for --detect")
	cmd.Flags().Float64SliceVar(&q.Questions, "questions", nil, "`numbers` of questions for each conversation, for --detect (default: as in the pilot)")
	cmd.Flags().Float64SliceVar(&q.Seeds, "seeds", nil, "`numbers` of repetitions of a question, for --detect (default: as in the pilot)")
}

// checkDesign validates the flags of a design.
func checkDesign(q report.DesignQuestion) error {
	var faults []error
	if len(q.Detect) == 0 && len(q.Questions)+len(q.Seeds) > 0 {
		faults = append(faults, errors.New("--questions and --seeds need --detect"))
	}
	if !(q.Power > 0.05 && q.Power < 1) {
		faults = append(faults, fmt.Errorf("--power is %g, want a chance above 0.05 and below 1", q.Power))
	}
	if slices.ContainsFunc(q.Detect, func(x float64) bool { return !(x > 0) }) {
		faults = append(faults, errors.New("--detect: want differences above 0"))
	}
	if slices.ContainsFunc(append(slices.Clone(q.Questions), q.Seeds...), func(x float64) bool { return !(x >= 1 && x <= 1e6) }) {
		faults = append(faults, errors.New("--questions and --seeds: want numbers from 1 to 1000000"))
	}
	return errors.Join(faults...)
}
