package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/fault"
	"recallbench/internal/publish/diff"
	"recallbench/internal/publish/interchange"
	"recallbench/internal/publish/report"
	metricsuite "recallbench/metrics/suite"
)

var units = []string{string(report.BySample), string(report.ByRequest)}

// inferFlags adds the flags that set how differences are tested.
func inferFlags(cmd *cobra.Command, o *report.Options) {
	choiceFlag(cmd, (*string)(&o.Unit), "unit", string(report.BySample), units, "what tests treat as independent: each `sample` (a conversation) or each request (a question)")
	choiceFlag(cmd, &o.Correct, "correct", infer.MaxT, infer.Corrections(), "adjust p-values over all rows: `maxt` (max-T over joint flips), holm, bh (Benjamini and Hochberg) or none")
	cmd.Flags().BoolVar(&o.AcceptTwo, "accept-two", false, "test differences of two conversations, too")
}

type compareFlags struct {
	report.ContrastOptions
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
	flags := compareFlags{ContrastOptions: report.ContrastOptions{Options: reportOptions()}}
	cmd := &cobra.Command{
		Use:   "compare BASE NEW...",
		Short: "Test differences between runs, or results of other tools",
		Long: `Compare compares runs, or methods of them (RUN:LABEL), with a base, question by
question, and reports which differences are statistically significant. It also compares
results of other tools in files or folders, or parts of one (FILE#SIDE).

Answers are paired by the ids of conversation and question. The conversation is the
sampling unit: six or more get a sign-flip test, three to five a t-test with cluster-robust
errors, and one or two are not tested. p-values are adjusted over all rows
(docs/comparing.md).`,
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
	inferFlags(cmd, &flags.Options)
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

func (f *compareFlags) check() error {
	faults := fault.List{checkDesign(f.design)}
	faults.Want(f.EquivalentWithin >= 0 && f.NotWorseBy >= 0 && f.anytime >= 0, "--equivalent-within, --not-worse-by and --anytime: want margins above 0")
	faults.Want(f.swaps >= 0 && f.swaps <= 1e6, "--calibrate is %d, want a number from 1 to 1000000", f.swaps)
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
func (f *compareFlags) contrasts(ctx context.Context, args []string) ([]*report.Contrast, []string, error) {
	if slices.ContainsFunc(args, interchange.Exists) && !slices.ContainsFunc(args, isSide) {
		return f.files.contrasts(ctx, args, f.ContrastOptions)
	}
	all, err := sides(args, f.edits)
	if err != nil {
		return nil, nil, err
	}
	f.design.Spent = report.SpentBy(all)
	return report.Contrasts(all[0], all[1:], f.ContrastOptions)
}

func addDesign(cmd *cobra.Command, q *report.DesignQuestion) {
	cmd.Flags().Float64SliceVar(&q.Detect, "detect", nil, "instead, print how many conversations it takes to detect differences of so many `points`, separated by commas, with this comparison as the pilot, and the calls and dollars of runs")
	cmd.Flags().Float64Var(&q.Power, "power", 0.8, "the `chance` of detecting the difference, for --detect")
	cmd.Flags().Float64SliceVar(&q.Questions, "questions", nil, "`numbers` of questions for each conversation, for --detect (default: as in the pilot)")
	cmd.Flags().Float64SliceVar(&q.Seeds, "seeds", nil, "`numbers` of repetitions of a question, for --detect (default: as in the pilot)")
}

func checkDesign(q report.DesignQuestion) error {
	all := append(slices.Concat(q.Questions, q.Seeds), 1)
	var faults fault.List
	faults.Want(len(q.Detect) > 0 || len(q.Questions)+len(q.Seeds) == 0, "--questions and --seeds need --detect")
	faults.Want(q.Power > 0.05 && q.Power < 1, "--power is %g, want a chance above 0.05 and below 1", q.Power)
	faults.Want(slices.Min(append(q.Detect, 1)) > 0, "--detect: want differences above 0")
	faults.Want(slices.Min(all) >= 1 && slices.Max(all) <= 1e6, "--questions and --seeds: want numbers from 1 to 1000000")
	return errors.Join(faults...)
}

// resultFlags set how results of other tools are read and paired.
type resultFlags struct {
	from, combine string
	fields        interchange.ItemFields
	columns       []string
	force         bool
}

func (f *resultFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.from, "from", "", "for files: their `format`, or the file of a layout (default: detected): "+strings.Join(interchange.ResultFormats(), ", "))
	flags.StringVar(&f.fields.ID, "id", "", "for files: dotted path of the `field` that pairs items")
	flags.StringVar(&f.fields.Cluster, "cluster", "", "for files: dotted path of the `field` that items share, such as a conversation")
	flags.StringVar(&f.fields.Category, "category", "", "for files: dotted path of the `field` with the category")
	flags.StringArrayVar(&f.columns, "column", nil, "for files: a score to compare, as `NAME[=better:lower][,scale:100]` (default: all that both sides have)")
	choiceFlag(cmd, &f.combine, "combine", "mean", []string{"mean", interchange.Majority}, "for files: how several votes become one score: `mean` or majority")
	flags.BoolVar(&f.force, "force", false, "for files: pair items even if task or question differs; accept unfinished logs; test even if fewer than 90 % of the items pair, and compare means of conversations if no id is on both sides")
	completeFlag(cmd, "from", interchange.ResultFormats())
}

// read reads the sides of a comparison of files, and reports all that cannot be read.
func (f *resultFlags) read(ctx context.Context, args []string, columns []interchange.ResultColumn) ([]*interchange.Results, error) {
	var faults fault.List
	for i, arg := range args {
		faults.Want(!slices.Contains(args[:i], arg), "%s is given twice; want two files, or two sides of one as FILE#SIDE", arg)
	}
	sides, err := lists.Try(args, func(arg string) (*interchange.Results, error) {
		return interchange.ReadResults(ctx, arg, interchange.ResultOptions{
			Format: f.from, Fields: f.fields, Combine: f.combine, Partial: f.force,
			Columns: lists.Map(columns, func(c interchange.ResultColumn) string { return c.Name }),
		})
	})
	return sides, errors.Join(append(faults, err)...)
}

// contrasts compares files.
func (f *resultFlags) contrasts(ctx context.Context, args []string, o report.ContrastOptions) ([]*report.Contrast, []string, error) {
	wanted, err := parseColumns(append(slices.Clone(o.Columns), f.columns...))
	if err := errors.Join(err, interchange.CheckFrom(f.from, interchange.ResultFormats())); err != nil {
		return nil, nil, err
	}
	sides, err := f.read(ctx, args, wanted)
	if err != nil {
		return nil, nil, err
	}
	return report.ResultContrasts(sides[0], sides[1:], report.ResultOptions{ContrastOptions: o, Wanted: wanted, Force: f.force})
}

// parseColumns reads NAME[=better:lower][,scale:100].
func parseColumns(texts []string) (columns []interchange.ResultColumn, err error) {
	for _, text := range texts {
		name, settings, _ := strings.Cut(text, "=")
		c := interchange.ResultColumn{Name: name}
		for setting := range strings.SplitSeq(settings, ",") {
			key, value, _ := strings.Cut(setting, ":")
			scale, fault := strconv.ParseFloat(value, 64)
			switch {
			case setting == "":
			case key == "better" && (value == "lower" || value == "higher"):
				c.Lower = new(value == "lower")
			case key == "scale" && fault == nil && scale > 0 && scale <= 1e6:
				c.Scale = scale
			default:
				err = errors.Join(err, fmt.Errorf("--column %s: %q, want better:higher, better:lower or scale: and a number above 0", text, setting))
			}
		}
		columns = append(columns, c)
	}
	return columns, err
}

func newDiffCommand(a *app) *cobra.Command {
	var format string
	var edits editsFlag
	flags := diff.Options{Metric: metricsuite.Find}
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Show the questions on which two runs disagree",
		Long: `Diff shows the questions that flipped between two runs: lost ones, which A answers
right and B wrong, and gained ones. Each comes with its gold answer, both answers with
their values, and the gold turns, with the side that retrieved each. Long texts are cut;
--format json has them in full.

A and B are run folders, or RUN:LABEL for one method of a run. Rows are matched by
dataset, method, model and seed; labels may differ where each side has only one.

People's labels decide whether an answer is right, else a judge, else f1@span: right
from 70 up, wrong from 10 down. Pairs with an answer in between are not compared
(docs/scores.md). With --column, one judge or metric decides alone.`,
		Example: `  bench diff results/runs/before results/runs/after
  bench diff RUN:Naive\ RAG RUN:xmemory --column judge
  bench diff A B --format json | jq 'select(.verdict == "lost").question'`,
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			of, err := sides(args, edits)
			if err != nil {
				return usageError(err)
			}
			d, err := diff.Open([2]report.Side(of), [2]string(args), flags)
			if err != nil {
				return usageError(err)
			}
			if format == "json" {
				return d.WriteJSON(a.stdout)
			}
			return d.WriteText(a.stdout)
		},
	}
	columnFlag(cmd, &flags.Column)
	cmd.Flags().StringSliceVar(&flags.Categories, "category", nil, "only questions of `categories`, by id or name, separated by commas")
	cmd.Flags().IntVar(&flags.Limit, "limit", 0, "show at most `N` questions of each kind and row (default: all)")
	cmd.Flags().BoolVar(&flags.All, "all", false, "also show the questions that both answer right, or both wrong")
	choiceFlag(cmd, &format, "format", "text", []string{"text", "json"}, "`format`: text or json")
	edits.add(cmd)
	return cmd
}
