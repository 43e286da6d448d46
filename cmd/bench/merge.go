package main

import (
	"errors"

	"github.com/spf13/cobra"

	"recallbench/internal/config/suite"
	"recallbench/runners"
)

func newMergeCommand(a *app) *cobra.Command {
	var (
		out    string
		asJSON bool
		o      runners.MergeOptions
	)
	cmd := &cobra.Command{
		Use:   "merge SHARD...",
		Short: "Join the shards of a run",
		Long: `Merge makes of the run folders of all shards of a run, in any order, the run
folder that one machine would have written: byte for byte, but for times and what
was paid. It scores the records and prints the tables as run does. The shards are
left as they are.

Shards of other runs, shards that are missing, there twice or unfinished are
refused by name. What may differ between machines is where files are, how much is
done at once, budgets and recordings.`,
		Example: `  bench merge shard-1 shard-2 shard-3 shard-4 --out results/runs/whole
  bench merge shards/*`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			shards, err := runners.OpenShards(args, suite.Plugins(), o)
			if err != nil {
				return usageError(err)
			}
			defer func() { err = errors.Join(err, shards.Close()) }()
			folder, result, err := shards.Merge(out, a.argv)
			if err != nil {
				return usageError(err)
			}
			for _, w := range shards.Warnings() {
				a.log().Warn(w)
			}
			scored, err := a.scoreRun(cmd.Context(), folder, result.Header, result.Header.Metrics)
			if err != nil {
				return err
			}
			if err := a.printRun(scored, asJSON); err != nil {
				return err
			}
			if err := a.sayFailures(folder, result); err != nil {
				return err
			}
			failed := tooManyFailed(result, shards.ErrorLimit())
			if asJSON {
				err = a.event("done", map[string]any{
					"dir": string(folder), "status": result.Header.Status, "requests": result.Requests, "failed": result.Failed, "exit": exitCode(failed),
				})
			}
			return errors.Join(err, failed)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "run `folder` to make (default results/runs/TIME-NAME-ID)")
	cmd.Flags().BoolVar(&o.Versions, "any-version", false, "join shards that different versions of the program made")
	cmd.Flags().BoolVar(&o.Edited, "accept-edited", false, "take shards that were edited after they ended as they are, and say so in what is written")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON lines to stdout and nothing else")
	return cmd
}
