package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/internal/text/termsafe"
)

// moved are verbs of the release before with what does their work now.
var moved = map[string]string{
	"errors":   "bench runs show RUN",
	"estimate": "bench run FILE --plan",
	"verify":   "bench runs verify RUN",
}

func newRunsCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "Show runs, and check their files",
		Args:  verbArgs,
		RunE:  help,
	}
	cmd.AddCommand(newRunsShowCommand(a), newVerifyCommand(a))
	return cmd
}

func newRunsShowCommand(a *app) *cobra.Command {
	limit := 10
	cmd := &cobra.Command{
		Use:   "show RUN",
		Short: "Say how a run ended, and why requests of it failed",
		Long: `Show says how a run ended and what it paid for, and lists its requests without an
answer by the kind of their error: how many each method has, and the first of them
with their messages. The kind is that of the model call that failed
(docs/models.md), ingest where the memory could not be built, or answer where the
method itself failed. 'bench resume RUN --retry-errors' asks them again.`,
		Example: `  bench runs show latest
  bench runs show RUN --limit 100`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if limit < 1 {
				return usageError(fmt.Errorf("--limit is %d, want at least 1", limit))
			}
			folder, h, err := record.Open(args[0])
			if err != nil {
				return usageError(err)
			}
			failed, requests, err := folder.Failed(h)
			if err != nil {
				return usageError(err)
			}
			var b strings.Builder
			fmt.Fprintf(&b, "%s: %s, begun %s\n", termsafe.Text(h.Name), h.Status, h.Start.Format("2006-01-02 15:04 MST"))
			if h.Paid != nil {
				fmt.Fprintln(&b, h.Paid)
			}
			fmt.Fprintf(&b, "%d of %s failed\n", len(failed), report.Plural(requests, "request"))
			writeFailed(&b, failed, limit, args[0])
			_, err = io.WriteString(a.stdout, b.String())
			return err
		},
	}
	cmd.Flags().IntVar(&limit, "limit", limit, "print only the first `N` failed requests of each kind")
	return cmd
}
