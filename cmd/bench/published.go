package main

import (
	"github.com/spf13/cobra"

	"recallbench/internal/publish/published"
	"recallbench/internal/publish/report"
)

func newPublishedCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "published",
		Short: "Show the tables that papers printed",
		Long: `Published shows the tables that papers printed. 'bench list published' lists them,
and 'bench table --published' puts them beside measured ones.`,
		SuggestionsMinimumDistance: 2,
		Args:                       verbArgs,
		RunE:                       help,
	}
	var out output
	show := &cobra.Command{
		Use:   "show NAME",
		Short: "Print a published table with its protocol",
		Long: `Show prints a published table as it was printed, with what is known of how its
numbers came about. Cells that do not fit the paper's other numbers carry a note.`,
		Example:           `  bench published show xmemory-table1`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completePublishedName,
		RunE: func(_ *cobra.Command, args []string) error {
			table, err := published.Get(args[0])
			if err != nil {
				return usageError(err)
			}
			return out.print(a, report.Show(table, published.Audit()))
		},
	}
	out.add(show)
	cmd.AddCommand(show)
	return cmd
}
