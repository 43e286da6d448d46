package main

import (
	"github.com/spf13/cobra"

	"recallbench/internal/publish/published"
	"recallbench/internal/publish/report"
)

func newPublishedCommand(a *app) *cobra.Command {
	var out output
	cmd := &cobra.Command{
		Use:   "published NAME",
		Short: "Print a table of a paper with its protocol",
		Long: `Published prints a table as a paper printed it, with citation and what is known of how
its numbers came about. Cells that do not fit the paper's other numbers carry a note.
'bench list published' lists the tables, 'bench table --published' puts them beside
measured ones.`,
		Example:           `  bench published xmemory-table1`,
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
	out.add(cmd)
	return cmd
}
