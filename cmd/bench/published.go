package main

import (
	"github.com/spf13/cobra"

	"recallbench/internal/publish/published"
	"recallbench/internal/publish/report"
)

func newPublishedCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "published",
		Short: "Show and audit the tables that papers printed",
		Long: `Published shows the tables that papers printed, with citation and protocol,
and checks their numbers against each other. 'bench list published' lists them, and
'bench table --published' puts them beside measured ones.`,
		SuggestionsMinimumDistance: 2,
		Args:                       verbArgs,
		RunE:                       help,
	}
	cmd.AddCommand(newPublishedShowCommand(a), newPublishedAuditCommand(a))
	return cmd
}

func newPublishedShowCommand(a *app) *cobra.Command {
	var out output
	cmd := &cobra.Command{
		Use:   "show NAME",
		Short: "Print a published table with its protocol",
		Long: `Show prints a published table as it was printed, with what is known of how its
numbers came about. Cells that the audit found at odds with others carry a note.`,
		Example:           `  bench published show xmemory-table1`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completePublishedName,
		RunE: func(_ *cobra.Command, args []string) error {
			table, err := published.Get(args[0])
			if err != nil {
				return usageError(err)
			}
			checks := published.Audit()
			return out.print(a, report.Show(table, checks))
		},
	}
	out.add(cmd)
	return cmd
}

func newPublishedAuditCommand(a *app) *cobra.Command {
	var (
		out output
		all bool
	)
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Recompute what the published tables allow, and list what disagrees",
		Long: `Audit recomputes averages, quotients, cells that are printed twice and what the
text of the papers says of the cells, and lists where the printed numbers
disagree. The tolerance is what rounding to the printed digits allows.`,
		Example: `  bench published audit
  bench published audit --all --format csv`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			checks := published.Audit()
			return out.print(a, report.Audit(checks, all))
		},
	}
	out.add(cmd)
	cmd.Flags().BoolVar(&all, "all", false, "list the checks that agree too")
	return cmd
}
