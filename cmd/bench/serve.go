package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"recallbench/internal/backend/interrupt"
	"recallbench/internal/config"
	"recallbench/internal/config/suite"
	"recallbench/internal/files/datadir"
	"recallbench/internal/result/record"
	"recallbench/runners"
	"recallbench/runners/fleet"
)

func newServeCommand(a *app) *cobra.Command {
	var (
		flags               runFlags
		from                resumeFlags
		out, listen, access string
		patience            time.Duration
		retry, goOn         bool
	)
	cmd := &cobra.Command{
		Use:   "serve CONFIG.yaml|RUN",
		Short: "Run a config with workers on many machines",
		Long: `Serve starts a run, or continues one, and hands out its conversations to workers:
'bench work' on any machines, as many as you like, at any time. Only serve writes the
run folder, which is the same as if 'bench run' had written it.

Workers connect over TLS with the access file that serve writes. Provider keys and
licensed data stay on the workers' machines.

Ctrl-C stops the run; 'bench serve RUN' continues it, with any workers.`,
		Example: `  bench serve sweep.yaml --addr :4222
  bench work tls://coordinator:4222 --access worker.json
  bench serve results/runs/20260101T000000Z-sweep-1a2b3c4d`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			ctx := cmd.Context()
			heapGrowth.Store(32 << 20)
			var run *readyRun
			dir := args[0]
			if goOn && record.IsRun(out) {
				dir = out
			}
			if info, fault := os.Stat(dir); fault == nil && info.IsDir() {
				run, err = a.resume(ctx, dir, flags, from)
			} else if config, fault := from.load(dir); fault != nil {
				return fault
			} else {
				run, err = a.start(ctx, config, flags, out)
			}
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, run.Close()) }()
			c, err := a.coordinator(run.Run, access, listen)
			if err != nil {
				return usageError(err)
			}
			c.Patience = patience
			defer func() { err = errors.Join(err, c.Close()) }()
			return a.execute(ctx, run, flags, runners.Options{Retry: retry, Workers: c.Run, Watch: c.Workers})
		},
	}
	flags.add(cmd)
	from.add(cmd)
	from.edits.add(cmd)
	cmd.Flags().StringVar(&out, "out", "", "run `folder` to make (default results/runs/TIME-NAME-ID)")
	cmd.Flags().StringVar(&listen, "addr", ":4222", "`address` at which workers reach the run")
	cmd.Flags().StringVar(&access, "access", "", "`folder` of the access file for workers and the certificate (default RUN.access)")
	cmd.Flags().DurationVar(&patience, "patience", fleet.DefaultPatience, "how long a worker may be silent before others get its conversations")
	cmd.Flags().BoolVar(&retry, "retry-errors", false, "ask failed questions of a run folder again")
	cmd.Flags().BoolVar(&goOn, "resume", false, "continue the run in the folder --out, if there is one")
	return cmd
}

// coordinator listens for the workers of a run, and prints how to start them.
func (a *app) coordinator(run *runners.Run, access, listen string) (*fleet.Coordinator, error) {
	if access == "" {
		access = string(run.Folder()) + ".access"
	}
	keys, err := fleet.MakeKeys(access, run.Header().ID)
	if err != nil {
		return nil, err
	}
	wait, err := interrupt.Grace(a.env)
	if err != nil {
		return nil, err
	}
	c := &fleet.Coordinator{Keys: keys, Binary: binary(), Log: a.log, Grace: wait}
	if err := c.Listen(listen); err != nil {
		return nil, err
	}
	a.log.Info(fmt.Sprintf("workers: bench work %s --access %s", c.URL, keys.Path))
	return c, nil
}

func newWorkCommand(a *app, now func() time.Time) *cobra.Command {
	var access, data string
	var wait bool
	w := fleet.Worker{Binary: binary()}
	cmd := &cobra.Command{
		Use:   "work URL",
		Short: "Work on a run that 'bench serve' hands out",
		Long: `Work takes conversations of a run from 'bench serve', answers their questions with the
data and provider keys of this machine, and sends back the records. It ends with the
run. Workers with another version of the program, or other data, are refused.`,
		Example: `  bench work tls://coordinator:4222 --access worker.json`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			w.URL, w.Log = args[0], a.log
			w.Access, err = fleet.ReadAccess(access)
			for wait && err != nil && cmd.Context().Err() == nil { // it may be half written, too
				time.Sleep(time.Second)
				w.Access, err = fleet.ReadAccess(access)
			}
			if err != nil {
				return usageError(fmt.Errorf("--access: %w; want the file that 'bench serve' wrote", err))
			}
			dir, err := datadir.Find(data, a.env)
			if err != nil {
				return usageError(err)
			}
			if w.Grace, err = interrupt.Grace(a.env); err != nil {
				return usageError(err)
			}
			w.Plan = func(ctx context.Context, resolved []byte, env runners.Env) (*runners.Plan, error) {
				c, err := config.Parse("config.yaml", resolved, suite.Plugins())
				if err != nil {
					return nil, err
				}
				env.Calls.RecordStandIn(c.Calls.StandIn)
				env.DataDir, env.Now, env.Argv, env.Getenv = dir, now, a.argv, a.env
				return runners.NewPlan(ctx, c, suite.Plugins(), env)
			}
			if err = w.Work(cmd.Context()); err != nil && cmd.Context().Err() != nil {
				return withExit(exitInterrupted, errSilent)
			}
			return usageError(err)
		},
	}
	dataFlag(cmd, &data)
	cmd.Flags().StringVar(&access, "access", "worker.json", "access `file` that 'bench serve' wrote")
	cmd.Flags().BoolVar(&wait, "wait", false, "wait for the access file")
	cmd.Flags().StringVar(&w.Name, "name", fmt.Sprintf("%s-%d", record.Host(), os.Getpid()), "`name` of the worker")
	cmd.Flags().Lookup("name").DefValue = "HOST-PID"
	cmd.Flags().DurationVar(&w.Patience, "patience", time.Hour, "how long to keep trying while 'bench serve' does not respond; at most 5m before the first response")
	return cmd
}
