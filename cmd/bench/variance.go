package main

import (
	"github.com/spf13/cobra"

	"recallbench/internal/publish/report"
)

func newVarianceCommand(a *app) *cobra.Command {
	var (
		out   output
		files resultFlags
	)
	cmd := &cobra.Command{
		Use:   "variance FILE",
		Short: "Split the variance of scores into its components",
		Long: `Variance splits the variance of the scores of a file, such as 'bench export --to
predictions' or another tool has written, into those of conversations, of questions and
of repetitions, which are epochs or votes of a judge. It says what share of the
variance of the mean each has, and what one more would save.`,
		Example: `  bench variance results.json
  bench variance log.eval --cluster metadata.conversation`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			columns, err := parseColumns(files.columns)
			if err != nil {
				return usageError(err)
			}
			sides, err := files.read(cmd.Context(), args, columns)
			if err != nil {
				return usageError(err)
			}
			d, err := report.VarianceTable(sides[0], files.columns)
			if err != nil {
				return usageError(err)
			}
			return out.print(a, d)
		},
	}
	out.add(cmd)
	files.add(cmd)
	return cmd
}
