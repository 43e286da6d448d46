package main

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/published"
	"recallbench/internal/publish/report"
)

func newTableCommand(a *app) *cobra.Command {
	var (
		out     output
		by      string
		filter  []string
		columns []string
		tables  []string
		ci      bool
		seeds   bool
		keys    bool
		axes    bool
		against string
		full    string
		edits   editsFlag
		test    inferFlags
		board   boardFlags
	)
	cmd := &cobra.Command{
		Use:   "table RUN...",
		Short: "Print the tables of scored runs, with published ones beside them",
		Long: `Table prints one table for each dataset of the runs, with a row for each method and
model and a column for each metric. Means are over questions; failed questions count as
0, and a column has their number. Footnotes flag anything that could mislead. If a run
has several seeds, rows are means over the seeds with standard deviations; --seeds
prints a row for each seed.

--against adds a table of the differences to one row, from the tests of 'bench compare'.
--ablation, --axes and --keys replace the means with a method and its variants, the effect
of each option of a sweep, and the means under each answer key of datasets with errata.
All of these can be combined.

With --published, the cells of a published table are printed next to the measured ones,
with the difference and a verdict, or the reasons why they are not comparable; else this
is done for the tables that the run's config names. Given the name of a published table in
place of a run, table prints it (docs/tables.md, docs/sweeps.md, docs/reproduce.md).

Given the word board in place of a run, table scores the answers that the makers of memory
systems have published, all in the same way. 'bench data fetch answers locomo
locomo-audit' gets the files; --cards adds your own systems (docs/board.md).`,
		Example: `  bench table results/runs/20260101T000000Z-quickstart-1a2b3c4d --by category --ci
  bench table RUN --against "Naive RAG" --columns f1@span,exact-match
  bench table RUN --published xmemory-table1 --out table1.md
  bench table board --cards mine.yaml --run results/runs/board`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && slices.Contains(published.Names(), args[0]) && !isRun(args[0]) {
				printed, err := published.Get(args[0])
				if err != nil {
					return err
				}
				return out.write(a, report.Show(printed, published.Audit()))
			}
			if len(args) == 1 && args[0] == boardName && !isRun(args[0]) {
				return a.printBoard(cmd.Context(), board, out)
			}
			if board.given() {
				return usageError(errors.New("--data, --run and --cards belong to 'bench table board'"))
			}
			o := reportOptions()
			o.By, o.Filter, o.Columns, o.Intervals, o.Seeds, o.Against, o.Keys, o.Axes = by, filter, columns, ci, seeds, against, keys, axes
			test.set(&o)
			if o.Ablation = full != ""; full != anyLabel {
				o.Full = full
			}
			runs, err := scoredRuns(args, edits.options()...)
			if err != nil {
				return usageError(err)
			}
			if chosen := cmd.Flags().Changed("published"); !chosen && (o.Ablation || keys || axes) || chosen && len(tables) == 0 { // an empty name
				tables = []string{publishedNone}
			}
			choosePublished(&o, tables, configured(runs))
			doc, err := report.Build(runs, o)
			if err != nil {
				return usageError(err)
			}
			return out.write(a, doc)
		},
	}
	out.add(cmd)
	edits.add(cmd)
	cmd.Flags().StringVar(&by, "by", "", "split the metrics by `category`, or by a label that the dataset gives its questions, such as split, operation or turn")
	cmd.Flags().StringArrayVar(&filter, "filter", nil, "count only questions with `NAME=VALUE`, a category or a label; may be repeated")
	cmd.Flags().StringSliceVar(&columns, "columns", nil, "columns of metrics to show, separated by commas (default: all)")
	cmd.Flags().StringVar(&against, "against", "", "add a table of tested differences to the row with this `label`")
	cmd.Flags().StringSliceVar(&tables, "published", nil, "published `tables` to print next to the measured ones (default: those of the config); all adds the rows of models other than the nearest, none prints no table")
	cmd.Flags().BoolVar(&seeds, "seeds", false, "print a row for each seed of a run with several")
	cmd.Flags().BoolVar(&keys, "keys", false, "print the means under each answer key of datasets with errata, and the ceilings")
	cmd.Flags().BoolVar(&axes, "axes", false, "print, for each method of a sweep, the effect of each axis")
	cmd.Flags().BoolVar(&ci, "ci", false, "print 95 % intervals")
	cmd.Flags().StringVar(&full, "ablation", "", "print, for each dataset, only the method of a `label` and its variants; auto finds the method that others are variants of")
	test.add(cmd)
	board.add(cmd)
	completeFlag(cmd, "published", publishedChoices())
	return cmd
}

// Values of --published other than names of tables.
const (
	publishedAll  = "all"
	publishedNone = "none"
)

// choosePublished sets options from --published. Without names, the tables are those of
// the config.
func choosePublished(o *report.Options, chosen, configured []string) {
	o.Published = configured
	named := lists.Filter(chosen, func(name string) bool { return name != publishedAll && name != publishedNone })
	if len(named) > 0 || slices.Contains(chosen, publishedNone) {
		o.Published = named
	}
	o.AllReaders = slices.Contains(chosen, publishedAll)
}

func publishedChoices() []string {
	return append([]string{publishedAll, publishedNone}, published.Names()...)
}

// anyLabel is the value of --ablation that finds the label.
const anyLabel = "auto"
