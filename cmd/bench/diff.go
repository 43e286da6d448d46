package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
	"recallbench/internal/text/suggest"
	"recallbench/metrics"
)

type diffFlags struct {
	column     string
	categories []string
	limit      int
	all, full  bool
	format     string
	file       string
	edits      editsFlag
}

func diffFormats() []string { return []string{"text", "json"} }

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

Whether an answer is right is said by people's labels, else by a judge, else by
f1@span of 70 and more; it is wrong at 10 and less, and pairs with an answer between
are not compared (docs/scores.md). --column lets one judge or metric decide alone.`,
		Example: `  bench diff results/runs/before results/runs/after
  bench diff RUN:Naive\ RAG RUN:xmemory --column judge
  bench diff A B --column f1@span --category temporal --limit 10
  bench diff A B --format json | jq 'select(.verdict == "lost").question'`,
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := flags.check(); err != nil {
				return usageError(err)
			}
			d, err := openDiff(args[0], args[1], flags)
			if err != nil {
				return usageError(err)
			}
			return a.writeDiff(d, flags)
		},
	}
	cmd.Flags().StringVar(&flags.column, "column", "", "`column` of a judge, or f1@span, that alone says which answers are right")
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
	if f.format != "" && !slices.Contains(diffFormats(), f.format) {
		return fmt.Errorf("--format: %s", suggest.Unknown("format", f.format, diffFormats()))
	}
	var err error
	f.format, err = outFormat(f.file, f.format, "text", map[string]string{".txt": "text", ".json": "json", ".jsonl": "json"})
	return err
}

// A diff is what there is to show of two sides.
type diff struct {
	a, b   string         // as named
	by     string         // column that alone says which answers are right; empty for all that is known
	column metrics.Column // whose values are shown
	pairs  []cellPair
	notes  []string
}

// openDiff opens and compares two sides.
func openDiff(left, right string, flags diffFlags) (*diff, error) {
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
	d.by = flags.column
	if d.column, err = diffColumn(a.run.Header, b.run.Header, d.by); err != nil {
		return nil, err
	}
	if one, other := judged(a.run.Header), judged(b.run.Header); d.by == "" && one != other {
		d.notes = append(d.notes, "only "+map[bool]string{true: "A", false: "B"}[one]+" was judged; --column f1@span takes both sides alike")
	}
	if err := knownCategories(d.pairs, flags.categories); err != nil {
		return nil, err
	}
	for i := range d.pairs {
		p := &d.pairs[i]
		shown := make(map[scored.Verdict]int)
		p.Comparison, err = scored.Compare(scored.Side{Run: a.run, Cell: p.a}, scored.Side{Run: b.run, Cell: p.b}, d.by, scored.Filter{
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

// judged is whether a run is scored with the verdicts of a judge.
func judged(h record.Header) bool {
	return slices.ContainsFunc(h.Metrics, func(name string) bool { return metrics.Decides(name) > metrics.Decides(metrics.ChoiceSpec.Name) })
}

func (a *app) writeDiff(d *diff, flags diffFlags) error {
	write := map[string]func(io.Writer, bool) error{"text": d.text, "json": d.json}[flags.format]
	if flags.file == "" {
		return write(a.stdout, flags.full)
	}
	return a.writeOut(flags.file, func(w io.Writer) error { return write(w, flags.full) })
}
