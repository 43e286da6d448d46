package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"recallbench/configs"
	"recallbench/configs/suite"
	"recallbench/internal/datadir"
	"recallbench/internal/record"
	"recallbench/runners"
)

// runFlags are the flags that run and resume share.
type runFlags struct {
	data    string
	display display
	json    bool
}

func (f *runFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.data, "data", "", "root `folder` of the datasets (default $BENCH_DATA, ./data, ../shared/datasets)")
	cmd.Flags().Var(&f.display, "display", "progress: auto, bar, plain or none")
	cmd.Flags().BoolVar(&f.json, "json", false, "write JSON lines to stdout and nothing else")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("display", cobra.FixedCompletions(displays(), cobra.ShellCompDirectiveNoFileComp)))
}

func newRunCommand(a *app) *cobra.Command {
	var (
		flags runFlags
		out   string
		limit int
		set   []string
	)
	cmd := &cobra.Command{
		Use:   "run CONFIG.yaml",
		Short: "Run a config: ask, record, score, print the tables",
		Long: `Run asks every request of the config's datasets of every method and model,
appends a record for each answer to a new run folder, scores the records and
prints the tables. Ctrl-C stops it; 'bench resume DIR' goes on.`,
		Example: `  bench run configs/quickstart.yaml
  bench run my.yaml --limit 50 --set methods.flat-rag.options.k=5`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("limit") {
				if limit < 1 {
					return usageError(fmt.Errorf("--limit is %d, want at least 1", limit))
				}
				set = append(set, "limits.requests="+strconv.Itoa(limit))
			}
			config, err := configs.Load(args[0], suite.Plugins(), set...)
			if err != nil {
				return usageError(err)
			}
			plan, err := a.plan(cmd.Context(), config, flags)
			if err != nil {
				return err
			}
			run, err := plan.Start(out)
			if err != nil {
				return usageError(err)
			}
			return a.execute(cmd.Context(), run, flags, false)
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&out, "out", "", "run `folder` to make (default results/runs/TIME-NAME-ID)")
	cmd.Flags().IntVar(&limit, "limit", 0, "ask only the first `N` requests of each dataset")
	cmd.Flags().StringArrayVar(&set, "set", nil, "change the config: `path=value`, such as seed=2; may be repeated")
	return cmd
}

func newResumeCommand(a *app) *cobra.Command {
	var (
		flags runFlags
		retry bool
	)
	cmd := &cobra.Command{
		Use:   "resume DIR",
		Short: "Go on with a run that was interrupted or killed",
		Long: `Resume asks the requests of a run that have no record yet, then scores the
records and prints the tables. The dataset, the prompts and the options must be
those that the run began with.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := args[0]
			begin := record.Unbegun(dir)
			if !begin {
				if _, _, err := record.Open(dir); err != nil {
					return usageError(err)
				}
			}
			config, err := configs.Load(record.Folder(dir).Config(), suite.Plugins())
			if err != nil {
				return usageError(err)
			}
			plan, err := a.plan(cmd.Context(), config, flags)
			if err != nil {
				return err
			}
			var run *runners.Run
			if begin {
				run, err = plan.Start(dir)
			} else {
				run, err = plan.Resume(dir)
			}
			if errors.Is(err, runners.ErrData) {
				return withExit(exitFingerprint, err)
			}
			if err != nil {
				return usageError(err)
			}
			return a.execute(cmd.Context(), run, flags, retry)
		},
	}
	flags.add(cmd)
	cmd.Flags().BoolVar(&retry, "retry-errors", false, "ask failed requests again")
	return cmd
}

// plan opens what a config names.
func (a *app) plan(ctx context.Context, config *configs.Config, flags runFlags) (*runners.Plan, error) {
	dir, err := datadir.Find(flags.data, a.env)
	if err != nil {
		return nil, usageError(err)
	}
	plan, err := runners.NewPlan(ctx, config, suite.Plugins(), runners.Env{
		DataDir: dir, Now: time.Now, Log: a.log(), Binary: binary(), Argv: a.argv,
	})
	if err != nil && ctx.Err() == nil {
		return nil, usageError(err)
	}
	return plan, err
}

// execute runs what is left of a run, scores it and prints its tables.
func (a *app) execute(ctx context.Context, run *runners.Run, flags runFlags, retry bool) (err error) {
	dir := string(run.Folder())
	defer func() { err = errors.Join(err, run.Close()) }()
	start := run.Header()
	if flags.json {
		if err := a.event("start", map[string]any{"dir": dir, "run": start.ID, "cells": len(start.Cells)}); err != nil {
			return err
		}
	}
	for _, s := range start.Skipped {
		a.log().Warn("skipped " + s)
	}
	for _, d := range start.Datasets {
		if n := len(d.Warnings); n > 0 {
			a.log().Info(fmt.Sprintf("dataset %s: flaws of %d kinds were put right; 'bench data stats %s' and run.json list them", d.Label, n, d.Name))
		}
	}
	result, err := run.Execute(ctx, runners.Options{Progress: a.progress(flags.display), Retry: retry})
	if ctx.Err() != nil {
		fmt.Fprintf(a.stderr, "bench: interrupted after %d requests; go on with: bench resume %s\n", result.Requests, dir)
		return withExit(exitInterrupted, errSilent)
	}
	if err != nil {
		return fmt.Errorf("%w; what was recorded is safe, go on with: bench resume %s", err, dir)
	}
	if err := a.scoreRun(ctx, run.Folder(), result.Header, result.Header.Metrics); err != nil {
		return err
	}
	if err := a.printRun(run.Folder(), flags.json); err != nil {
		return err
	}
	code := exitOK
	if result.FailedShare() > run.ErrorLimit() {
		code = exitErrors
	}
	if flags.json {
		err := a.event("done", map[string]any{
			"dir": dir, "status": result.Header.Status, "requests": result.Requests, "failed": result.Failed, "exit": code,
		})
		if err != nil {
			return err
		}
	}
	if code == exitErrors {
		return withExit(code, fmt.Errorf("%d of %d requests failed, above the limit of %v; see %s", result.Failed, result.Requests, run.ErrorLimit(), dir))
	}
	return nil
}
