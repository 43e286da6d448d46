package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"recallbench/internal/backend/calls"
	"recallbench/internal/calc/lists"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/result/record"
	"recallbench/runners"
)

func newCallsAskCommand(a *app) *cobra.Command {
	var (
		flags  runFlags
		from   configFlags
		sample int
	)
	cmd := &cobra.Command{
		Use:   "ask RUN",
		Short: "Repeat some recorded calls and compare the replies",
		Long: `Ask draws --sample calls of each role from those that the records of a run name, at
random by the run's seed, and sends them to the run's models again. It prints how many
replies equal the recorded ones byte for byte. Another version of a server, or the same
one on another processor, may reply differently.

These calls cost money and are not recorded. If a server has moved, give its address
with --set.`,
		Example: `  bench calls ask latest --sample 15 --store configs/recordings/quickstart
  bench calls ask results/runs/mine --set models.0.options.chat.base_url=http://localhost:8081/v1`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if sample < 1 {
				return usageError(fmt.Errorf("--sample is %d, want at least 1", sample))
			}
			roles, err := a.askAgain(cmd.Context(), args[0], flags, from, sample)
			if err != nil {
				return err
			}
			if flags.json {
				return jsonout.Lines(a.stdout, map[string]any{"roles": roles})
			}
			return a.printTable("ROLE\tRECORDED\tASKED\tEQUAL\tFAILED", lists.Map(roles, func(r runners.AgainRole) string {
				return fmt.Sprintf("%s\t%d\t%d\t%d\t%d", r.Role, r.Recorded, r.Asked, r.Equal, r.Failed)
			}))
		},
	}
	cmd.Flags().IntVar(&sample, "sample", 20, "repeat `N` calls of each role")
	cmd.Flags().StringVar(&flags.store, "store", "", "`folder` of the recordings (default that of the run)")
	cmd.Flags().StringVar(&flags.data, "data", "", "`folder` of the datasets (default $BENCH_DATA, ./datasets)")
	cmd.Flags().StringArrayVar(&from.set, "set", nil, "change the address of a model: `path=value`; may be repeated")
	cmd.Flags().BoolVar(&flags.json, "json", false, "write one JSON object to stdout and nothing else")
	return cmd
}

func (a *app) askAgain(ctx context.Context, dir string, flags runFlags, from configFlags, n int) ([]runners.AgainRole, error) {
	folder, h, err := record.Open(dir)
	if err != nil {
		return nil, usageError(err)
	}
	config, err := from.load(folder.Config())
	if err != nil {
		return nil, err
	}
	query := callsQuery{}
	_, query.store = a.recordings(config, flags)
	store, err := query.open(a)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	flags.calls = string(calls.Off)
	plan, _, closeStore, err := a.open(ctx, config, flags, false)
	if err != nil {
		return nil, err
	}
	defer closeStore()
	defer plan.Close()
	roles, err := plan.AskAgain(ctx, folder, h, store, n)
	if err == nil && len(roles) == 0 {
		err = usageError(errors.New("none of the chat calls that the run names is recorded; --store names another folder"))
	}
	return roles, err
}
