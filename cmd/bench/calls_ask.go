package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"recallbench/internal/backend/calls"
	"recallbench/internal/calc/lists"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/metrics"
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
replies equal the recorded ones byte for byte and, for calls whose reply is the answer,
the means of the metrics before and now. Another version of a server, or the same one on
another processor, may reply differently. The result stays in repeated.json beside the
recordings, and tables of later runs that replay them mention it.

These calls cost money and are not recorded. If a server has moved, give its address
with --set.`,
		Example: `  bench calls ask latest --sample 15 --store configs/recordings/quickstart
  bench calls ask results/runs/mine --set models.0.options.chat.base_url=http://localhost:8081/v1`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if sample < 1 {
				return usageError(fmt.Errorf("--sample is %d, want at least 1", sample))
			}
			again, err := a.askAgain(cmd.Context(), args[0], flags, from, sample)
			if err != nil {
				return err
			}
			if flags.json {
				return jsonout.Lines(a.stdout, again)
			}
			return a.showAgain(again)
		},
	}
	cmd.Flags().IntVar(&sample, "sample", 20, "repeat `N` calls of each role")
	cmd.Flags().StringVar(&flags.store, "store", "", "`folder` of the recordings (default that of the run)")
	cmd.Flags().StringVar(&flags.data, "data", "", "`folder` of the datasets (default $BENCH_DATA, ./datasets)")
	cmd.Flags().StringArrayVar(&from.set, "set", nil, "change the address of a model: `path=value`; may be repeated")
	cmd.Flags().BoolVar(&flags.json, "json", false, "write one JSON object to stdout and nothing else")
	return cmd
}

func (a *app) askAgain(ctx context.Context, dir string, flags runFlags, from configFlags, n int) (*runners.Again, error) {
	folder, h, err := record.Open(dir)
	if err != nil {
		return nil, usageError(err)
	}
	specs, err := metricSpecs(h.Metrics)
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
	again, err := plan.AskAgain(ctx, folder, h, store, specs, n)
	if err == nil && len(again.Roles) == 0 {
		err = usageError(errors.New("none of the chat calls that the run names is recorded; --store names another folder"))
	}
	if err != nil {
		return nil, err
	}
	if err := again.Repeated(time.Now()).Write(store.Dir()); err != nil {
		a.log().Warn("tables will not mention how the replies differ", "error", err)
	}
	return again, nil
}

// showAgain prints how the replies differ, and how far that moves the metrics.
func (a *app) showAgain(again *runners.Again) error {
	err := a.printTable("ROLE\tRECORDED\tASKED\tEQUAL\tFAILED", lists.Map(again.Roles, func(r runners.AgainRole) string {
		return fmt.Sprintf("%s\t%d\t%d\t%d\t%d", r.Role, r.Recorded, r.Asked, r.Equal, r.Failed)
	}))
	columns := lists.Filter(again.Columns, func(c runners.AgainColumn) bool { return c.Answers > 0 })
	if err != nil || len(columns) == 0 {
		return err
	}
	if err := a.say("\n%s scored again:\n", report.Plural(again.Answers, "answer")); err != nil {
		return err
	}
	shown := func(c metrics.Column, x float64) string { return strconv.FormatFloat(x*c.Scale, 'f', c.Digits, 64) }
	return a.printTable("METRIC\tANSWERS\tCHANGED\tRECORDED\tNOW", lists.Map(columns, func(c runners.AgainColumn) string {
		return fmt.Sprintf("%s\t%d\t%d\t%s\t%s", c.Name, c.Answers, c.Changed, shown(c.Column, c.Recorded), shown(c.Column, c.Now))
	}))
}
