package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/internal/result/scored"
	"recallbench/internal/text/suggest"
	"recallbench/metrics"
)

type diffFlags struct {
	column     string
	threshold  float64
	categories []string
	limit      int
	all, full  bool
	format     string
	file       string
	edits      editsFlag
}

func diffFormats() []string { return []string{"text", "markdown", "json"} }

func newDiffCommand(a *app) *cobra.Command {
	var flags diffFlags
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Show the requests on which two runs disagree",
		Long: `Diff shows the requests that flipped between two runs: those lost, which A answers
right and B wrong, and those gained. Each has the question, the gold answer, both answers with their values, and how
far each came. Gold evidence is marked by which side retrieved it.

A and B are run folders, or RUN:LABEL for one method of a run. Cells are matched by
dataset, method, model and seed; where each side has one of a kind, its label may
be another.

An answer is right if its value in a column is at least a threshold. The column is
the verdict of a judge where both runs have one, else the first two-valued one of
answers, such as exact-match, or else the first one. The threshold is half of the
highest value for a verdict and else the highest: likeness in part is not right.`,
		Example: `  bench diff results/runs/before results/runs/after
  bench diff RUN:Naive\ RAG RUN:xmemory --column judge
  bench diff A B --column f1@mem0 --threshold 80 --category temporal --limit 10
  bench diff A B --format json | jq 'select(.verdict == "lost").question'`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.check(); err != nil {
				return usageError(err)
			}
			d, err := openDiff(args[0], args[1], flags, cmd.Flags().Changed("threshold"))
			if err != nil {
				return usageError(err)
			}
			return a.writeDiff(d, flags)
		},
	}
	cmd.Flags().StringVar(&flags.column, "column", "", "`column` of a metric that says what is right (default: the verdict of a judge, else the first two-valued one of answers, else the first of answers)")
	cmd.Flags().Float64Var(&flags.threshold, "threshold", 0, "least `value` of a right answer in the column, as tables print it (default: half of the highest for a verdict, else the highest)")
	cmd.Flags().StringSliceVar(&flags.categories, "category", nil, "only requests of `categories`, by id or name, separated by commas")
	cmd.Flags().IntVar(&flags.limit, "limit", 0, "show at most `N` requests of each kind and cell; 0 shows all")
	cmd.Flags().BoolVar(&flags.all, "all", false, "also show the requests that both answer right, or both wrong")
	cmd.Flags().BoolVar(&flags.full, "full", false, "do not cut long texts")
	cmd.Flags().StringVar(&flags.format, "format", "", "`format`: "+strings.Join(diffFormats(), ", ")+" (default: by the name of --out, else text)")
	cmd.Flags().StringVar(&flags.file, "out", "", "`file` to write instead of stdout")
	flags.edits.add(cmd)
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(diffFormats(), cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

// check finds out the format and reports flags out of range.
func (f *diffFlags) check() error {
	if f.limit < 0 {
		return fmt.Errorf("--limit is %d, want at least 1, or 0 for all", f.limit)
	}
	if math.IsNaN(f.threshold) || math.IsInf(f.threshold, 0) {
		return fmt.Errorf("--threshold is %v, want a finite number", f.threshold)
	}
	if f.format != "" && !slices.Contains(diffFormats(), f.format) {
		return fmt.Errorf("--format: %s", suggest.Unknown("format", f.format, diffFormats()))
	}
	var err error
	f.format, err = outFormat(f.file, f.format, "text", map[string]string{".txt": "text", ".md": "markdown", ".json": "json", ".jsonl": "json"})
	return err
}

// A diff is what there is to show of two sides.
type diff struct {
	a, b   string // as named
	column metrics.Column
	least  float64 // value of a right answer, in the unit of tables
	rates  bool    // each value of the column is 0 or 1, and least between
	pairs  []cellPair
	notes  []string
}

// openDiff opens and compares two sides.
func openDiff(left, right string, flags diffFlags, threshold bool) (*diff, error) {
	a, err := openSide(left, flags.edits.options()...)
	if err != nil {
		return nil, err
	}
	b, err := openSide(right, flags.edits.options()...)
	if err != nil {
		return nil, err
	}
	d := &diff{a: left, b: right}
	if d.pairs, d.notes, err = matchCells(a, b); err != nil {
		return nil, err
	}
	for _, s := range []*diffSide{a, b} {
		if note := s.run.Header.EditedNote(); note != "" {
			d.notes = append(d.notes, s.name+" was "+note)
		}
	}
	column, rule, err := diffColumn(a.run.Header, b.run.Header, flags.column)
	if err != nil {
		return nil, err
	}
	d.column, d.least, d.rates = column, rule.Threshold*column.Scale, column.Binary && !threshold
	switch {
	case threshold:
		d.least = flags.threshold
	case column.Scale == 1: // no ratio, so that nothing says what half is
		return nil, fmt.Errorf("--column %s has no highest value; --threshold says which values are right", column.Name)
	}
	rule.Threshold = d.least / column.Scale
	if err := knownCategories(d.pairs, flags.categories); err != nil {
		return nil, err
	}
	for i := range d.pairs {
		p := &d.pairs[i]
		shown := make(map[scored.Verdict]int)
		p.Comparison, err = scored.Compare(scored.Side{Run: a.run, Cell: p.a}, scored.Side{Run: b.run, Cell: p.b}, rule, scored.Filter{
			Ask: p.categories(flags.categories),
			Keep: func(v scored.Verdict) bool {
				if v != scored.Lost && v != scored.Gained && !flags.all {
					return false
				}
				shown[v]++
				return flags.limit == 0 || shown[v] <= flags.limit
			},
		})
		if err != nil {
			return nil, err
		}
	}
	return d, nil
}

func (a *app) writeDiff(d *diff, flags diffFlags) error {
	write := map[string]func(io.Writer, bool) error{"text": d.text, "markdown": d.markdown, "json": d.json}[flags.format]
	if flags.file == "" {
		return write(a.stdout, flags.full)
	}
	return a.writeOut(flags.file, func(w io.Writer) error { return write(w, flags.full) })
}
