package main

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"recallbench/internal/publish/report"
)

func newVarianceCommand(a *app) *cobra.Command {
	var (
		out    output
		files  resultFlags
		judges []string
	)
	cmd := &cobra.Command{
		Use:   "variance FILE...",
		Short: "Split the variance of scores into its components",
		Long: `Variance splits the variance of the scores of a file into those of conversations, of
questions and of repetitions, which are epochs or votes of a judge. The file is one of
'bench export --to predictions' or of another tool. It says what share of the
variance of the mean each has, and what one more would save.

Several files are seeds of one system, and --judges names columns that are judges of
one score: seeds and judges then have components of their own.`,
		Example: `  bench variance results.json
  bench variance log.eval --cluster metadata.conversation
  bench variance seed1.jsonl seed2.jsonl seed3.jsonl --judges judge:strict,judge:lenient`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(judges) > 0 && len(files.columns) > 0 {
				return usageError(errors.New("--judges names the columns: leave --column away"))
			}
			if slices.Sort(judges); len(slices.Compact(slices.Clone(judges))) < len(judges) {
				return usageError(errors.New("--judges names a column twice"))
			}
			columns, err := parseColumns(slices.Concat(files.columns, judges))
			if err != nil {
				return usageError(err)
			}
			sides, err := files.read(cmd.Context(), args, columns)
			if err != nil {
				return usageError(err)
			}
			d, err := report.VarianceTable(sides[0], files.columns)
			if len(sides) > 1 || len(judges) > 0 {
				d, err = report.CrossedTable(sides, judges, files.columns)
			}
			if err != nil {
				return usageError(err)
			}
			return out.print(a, d)
		},
	}
	out.add(cmd)
	files.add(cmd)
	cmd.Flags().StringSliceVar(&judges, "judges", nil, "`columns` that are judges of one score, separated by commas")
	return cmd
}
