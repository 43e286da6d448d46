package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recallbench/internal/backend/calls"
	"recallbench/internal/backend/standin"
	"recallbench/internal/config"
	"recallbench/internal/config/suite"
	"recallbench/internal/door/fault"
	"recallbench/internal/files/datadir"
	"recallbench/internal/result/record"
	"recallbench/internal/text/suggest"
	"recallbench/runners"
)

// runFlags are the flags that run and resume share.
type runFlags struct {
	data    string
	display string
	json    bool
	calls   string
	store   string
}

func (f *runFlags) add(cmd *cobra.Command) {
	f.addInput(cmd)
	f.addDisplay(cmd)
}

func (f *runFlags) addDisplay(cmd *cobra.Command) {
	cmd.PreRunE = func(*cobra.Command, []string) error {
		return usageError(oneOf("--display", f.display, displays()))
	}
	cmd.Flags().StringVar(&f.display, "display", "auto", "progress: `how` auto, bar, plain or none")
	cmd.Flags().BoolVar(&f.json, "json", false, "write JSON lines to stdout and nothing else")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("display", cobra.FixedCompletions(displays(), cobra.ShellCompDirectiveNoFileComp)))
}

func (f *runFlags) addInput(cmd *cobra.Command) {
	dataFlag(cmd, &f.data)
	f.addCalls(cmd)
}

func (f *runFlags) addCalls(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.calls, "calls", "", "recordings of model calls: `mode` off, record, reuse or replay (default: the config's)")
	cmd.Flags().StringVar(&f.store, "store", "", "`folder` of the recordings (default: the config's, $BENCH_CALLS, results/calls)")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("calls", cobra.FixedCompletions(calls.Off.Values(), cobra.ShellCompDirectiveNoFileComp)))
}

func newRunCommand(a *app) *cobra.Command {
	var (
		flags runFlags
		out   string
		limit int
		shard string
		from  configFlags
		plan  planFlags
	)
	cmd := &cobra.Command{
		Use:   "run CONFIG.yaml",
		Short: "Run a config: ask, record, score, print the tables",
		Long: `Run asks each method, with each model and seed, every question of the config's
datasets. It appends a record for each answer to a new run folder, has the config's
judges judge the answers, scores them and prints the tables.

After Ctrl-C no new call starts, and calls in flight have 8 seconds to end (set
BENCH_GRACE, such as 1m, to change it). A second Ctrl-C aborts. 'bench resume DIR'
continues the run.

With --plan it runs nothing and calls no model. It prints the calls, tokens and dollars
of each cell, counted with the stand-in. docs/models.md explains the columns.

With --shard 2/4 it runs every fourth conversation of each dataset, starting with the
second. 'bench resume' joins the run folders of all shards.`,
		Example: `  bench run configs/quickstart.yaml
  bench run sweep.yaml --plan
  bench run my.yaml --limit 50 --set methods.flat-rag.options.k=5
  bench run my.yaml --shard 2/4 --out shard-2`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("limit") {
				if limit < 1 {
					return usageError(fmt.Errorf("--limit is %d, want at least 1", limit))
				}
				from.set = append(from.set, "limits.requests="+strconv.Itoa(limit))
			}
			if shard != "" {
				if _, err := config.ParseShard(shard); err != nil {
					return usageError(fmt.Errorf("--shard is %q, %w", shard, err))
				}
				from.set = append(from.set, "shard="+shard)
			}
			config, err := from.load(args[0])
			if err != nil {
				return err
			}
			if plan.on || plan.out.format != "" {
				return plan.print(cmd.Context(), a, config, flags, out)
			}
			run, err := a.start(cmd.Context(), config, flags, out)
			if err != nil {
				return err
			}
			defer run.closeStore()
			return a.execute(cmd.Context(), run, flags, runners.Options{})
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&out, "out", "", "run `folder` to make (default results/runs/TIME-NAME-ID)")
	cmd.Flags().IntVar(&limit, "limit", 0, "ask only the first `N` questions of each dataset")
	cmd.Flags().StringVar(&shard, "shard", "", "run only part `I/N` of the conversations, such as 2/4; 'bench resume' joins all parts")
	plan.add(cmd)
	from.add(cmd)
	return cmd
}

// start starts the run of a config in a folder. The run's own config, which resume reads,
// includes the flags for recordings; the mode record becomes reuse there, so that a
// resumed run does not pay twice for a call.
func (a *app) start(ctx context.Context, config *config.Config, flags runFlags, out string) (*readyRun, error) {
	if flags.calls != "" {
		config.Calls.Mode = calls.Mode(flags.calls)
	}
	if config.Calls.Mode == calls.Record && flags.calls != "" {
		config.Calls.Mode = calls.Reuse
	}
	if flags.store != "" {
		store, err := filepath.Abs(flags.store)
		if err != nil {
			return nil, usageError(err)
		}
		config.Calls.Store = store
	}
	return a.ready(ctx, config, flags, func(plan *runners.Plan) (*runners.Run, error) { return plan.Start(ctx, out) })
}

// A readyRun is a run that is ready to start or continue, with the judges of its config.
type readyRun struct {
	*runners.Run
	judges     []judging
	closeStore func() // lets go of the recordings
}

// ready opens what a config names, and the run that begin starts with it.
func (a *app) ready(ctx context.Context, config *config.Config, flags runFlags, begin func(*runners.Plan) (*runners.Run, error)) (*readyRun, error) {
	judges, err := a.openJudges(ctx, config, flags)
	if err != nil {
		return nil, err
	}
	plan, _, closeStore, err := a.open(ctx, config, flags, false)
	if err != nil {
		return nil, err
	}
	run, err := begin(plan)
	if err == nil {
		return &readyRun{run, judges, closeStore}, nil
	}
	closeStore()
	return nil, usageError(errors.Join(err, plan.Close()))
}

// configFlags change the config that a verb loads.
type configFlags struct {
	models []string
	set    []string
}

func (f *configFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.models, "model", nil, "`FILE` of a model entry, such as configs/models/openai.yaml, or stand-in or none, in place of the config's models; may be repeated")
	cmd.Flags().StringArrayVar(&f.set, "set", nil, "change the config: `path=value`, such as seed=2; may be repeated")
}

// load reads a config file and applies the changes.
func (f *configFlags) load(file string) (*config.Config, error) {
	if err := refuseImported(file); err != nil {
		return nil, usageError(err)
	}
	set := f.set
	if len(f.models) > 0 {
		list, err := modelList(f.models...)
		if err != nil {
			return nil, usageError(err)
		}
		set = append([]string{"models=" + list}, set...)
	}
	c, err := loadConfig(file, set...)
	if err == nil && len(f.models) > 0 && c.Calls.Mode == calls.Replay && !slices.ContainsFunc(f.set, setsCalls) {
		// A config's recordings are those of its own models.
		c.Calls = config.Calls{Mode: calls.Reuse}
	}
	return c, usageError(err)
}

// setsCalls reports whether an assignment of --set is about recordings.
func setsCalls(assignment string) bool {
	path, _, _ := strings.Cut(assignment, "=")
	return path == "calls" || strings.HasPrefix(path, "calls.")
}

func loadConfig(file string, set ...string) (*config.Config, error) {
	if err := checkInput(file, "a config, such as configs/quickstart.yaml"); err != nil {
		return nil, err
	}
	return config.Load(file, suite.Plugins(), set...)
}

// modelList returns a value for a config's models that includes files, or the stand-in
// if it is named in place of a file.
func modelList(files ...string) (string, error) {
	var names []string
	for _, m := range files {
		if m == standin.Name || m == standin.NoneName {
			names = append(names, "{use: "+m+"}")
			continue
		}
		if err := checkInput(m, "a model entry, such as configs/models/openai.yaml"); err != nil {
			return "", fmt.Errorf("--model: %w", err)
		}
		path, err := filepath.Abs(m)
		if err != nil {
			return "", fmt.Errorf("--model: %w", err)
		}
		// JSON is YAML.
		name, err := json.Marshal(path)
		if err != nil {
			return "", err
		}
		names = append(names, string(name))
	}
	return "[" + strings.Join(names, ", ") + "]", nil
}

// modelConfig returns the config of a verb that calls one model and runs no method;
// models is a value of modelList.
func modelConfig(models string, seed uint64, set ...string) (*config.Config, error) {
	text := fmt.Sprintf("seed: %d\ndatasets: [{use: sample}]\nmethods: [{use: stateless}]\nmodels: %s\n", seed, models)
	return config.Parse("--model", []byte(text), suite.Plugins(), set...)
}

func newResumeCommand(a *app) *cobra.Command {
	var (
		flags runFlags
		retry bool
		from  resumeFlags
		out   string
		other bool
	)
	cmd := &cobra.Command{
		Use:   "resume RUN...",
		Short: "Resume a run that was interrupted or killed, or join shards",
		Long: `Resume asks the questions of a run that have no answer yet, then scores the run and
prints the tables. Dataset, prompts and options must be unchanged since the run began.
Model calls are recorded and reused as before, unless flags change that.

A damaged run folder is refused with exit code 9. --repair moves damaged files into the
run's folder "damaged", keeps their intact lines, and asks the lost questions again.

Given the folders of all shards of a run, in any order, resume joins them into the run
folder that one machine would have written. The shards are not changed.`,
		Example: `  bench resume latest
  bench resume results/runs/mine --retry-errors
  bench resume shard-1 shard-2 shard-3 --out results/runs/whole`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 || out != "" {
				return a.merge(cmd.Context(), args, out, flags.json, runners.MergeOptions{Versions: other, Edited: from.edits.accept})
			}
			if other {
				return usageError(errors.New("--any-version is for joining shards; name all of them"))
			}
			run, err := a.resume(cmd.Context(), args[0], flags, from)
			if err != nil {
				return err
			}
			defer run.closeStore()
			return a.execute(cmd.Context(), run, flags, runners.Options{Retry: retry})
		},
	}
	flags.add(cmd)
	cmd.Flags().StringArrayVar(&from.set, "set", nil, "change a setting that affects no answer: `path=value`, such as budget.usd=20; may be repeated")
	cmd.Flags().BoolVar(&retry, "retry-errors", false, "ask failed questions again")
	cmd.Flags().BoolVar(&from.repair, "repair", false, "move damaged files into the folder damaged, keep their intact lines, and ask the lost questions again")
	cmd.Flags().StringVar(&out, "out", "", "run `folder` to join shards into (default results/runs/TIME-NAME-ID)")
	cmd.Flags().BoolVar(&other, "any-version", false, "join shards of different versions of the program")
	from.edits.add(cmd)
	return cmd
}

// resumeFlags say how a run folder is opened.
type resumeFlags struct {
	configFlags
	edits  editsFlag
	repair bool
}

// resume opens the folder of a run to continue it.
func (a *app) resume(ctx context.Context, dir string, flags runFlags, from resumeFlags) (*readyRun, error) {
	options := from.edits.options()
	begun := !record.Unbegun(dir)
	if begun { // check whether it can continue before reading its config
		how := options
		if from.repair {
			how = append(slices.Clip(how), record.ForRepair)
		}
		if _, _, err := record.Open(dir, how...); err != nil {
			return nil, usageError(err)
		}
	}
	config, err := from.load(record.Folder(dir).Config())
	if err != nil {
		return nil, err
	}
	if err := a.findStore(dir, config, flags); err != nil {
		return nil, usageError(err)
	}
	return a.ready(ctx, config, flags, func(plan *runners.Plan) (*runners.Run, error) {
		switch {
		case !begun:
			return plan.Start(ctx, dir)
		case !from.repair:
			return plan.Resume(dir, options...)
		}
		if err := a.repair(ctx, plan, dir, options); err != nil {
			return nil, err
		}
		return plan.Resume(dir)
	})
}

// findStore reports that the folder in which a run recorded its calls is gone. With a
// new one, resume would pay for the calls again.
func (a *app) findStore(dir string, config *config.Config, flags runFlags) error {
	mode, store, err := a.recordings(config, flags)
	if err != nil || mode == calls.Off || flags.store != "" || config.Calls.Store == "" {
		return err
	}
	if info, err := os.Stat(store); err != nil || !info.IsDir() {
		return fmt.Errorf("%s recorded its calls in %s, which is gone; --store names another folder", dir, store)
	}
	return nil
}

func (a *app) repair(ctx context.Context, plan *runners.Plan, dir string, options []record.Option) error {
	r, err := plan.Repair(ctx, dir, options...)
	for _, file := range r.Files {
		a.log().Warn("damaged, and moved to "+filepath.Join(dir, "damaged"), "file", file)
	}
	if r.Judgements {
		a.log().Warn(fmt.Sprintf("this includes verdicts; 'bench judge %s' judges those answers again", dir))
	}
	if r.Ratings {
		a.log().Warn(fmt.Sprintf("this includes ratings; 'bench judge people import %s' reads them from the sheets again", dir))
	}
	return err
}

// open opens what a config names, for a run or to estimate one, and returns the mode of the
// recordings in the run; closeStore releases them.
func (a *app) open(ctx context.Context, config *config.Config, flags runFlags, estimate bool) (plan *runners.Plan, mode calls.Mode, closeStore func(), err error) {
	data, err := datadir.Find(flags.data, a.env)
	if err != nil {
		return nil, "", nil, usageError(err)
	}
	mode, store, err := a.recordings(config, flags)
	if err != nil {
		return nil, "", nil, usageError(err)
	}
	opened := mode
	if estimate {
		opened = readMode(mode, store)
	}
	recorder, closeStore, err := a.recorder(opened, store)
	if err != nil {
		return nil, "", nil, usageError(err)
	}
	if !estimate {
		recorder.RecordStandIn(config.Calls.StandIn)
	}
	plan, err = runners.NewPlan(ctx, config, suite.Plugins(), runners.Env{
		DataDir: data, Now: time.Now, Log: a.log(), Binary: binary(), Argv: a.argv, Getenv: a.env, Calls: recorder,
		Estimate: estimate,
	})
	if err != nil {
		closeStore()
	}
	return plan, mode, closeStore, usageError(err)
}

// recordings returns the mode and the folder of recordings by a config and the flags.
// The mode is off if no model is called.
func (a *app) recordings(config *config.Config, flags runFlags) (mode calls.Mode, dir string, err error) {
	mode = config.Calls.Mode
	if flags.calls != "" {
		mode = calls.Mode(flags.calls)
		if !slices.Contains(mode.Values(), flags.calls) {
			return "", "", fmt.Errorf("--calls: %s", suggest.Unknown("mode", flags.calls, mode.Values()))
		}
	}
	if !config.Recorded(suite.Plugins()) {
		mode = calls.Off
	}
	dir = flags.store
	if dir == "" && config.Calls.Store != "" {
		dir = config.Path(config.Calls.Store)
	}
	return mode, callsDir(dir, a.env), nil
}

// recorder opens the recordings in a folder.
func (a *app) recorder(mode calls.Mode, dir string) (recorder *calls.Recorder, closeStore func(), err error) {
	if mode == calls.Off {
		return calls.NewRecorder(nil, calls.Off), func() {}, nil
	}
	open := calls.Open
	if mode == calls.Replay {
		open = calls.OpenToRead
	}
	store, err := open(dir, a.log())
	if err != nil {
		return nil, nil, err
	}
	if mode != calls.Replay {
		if err := store.Share(); err != nil {
			return nil, nil, errors.Join(err, store.Close())
		}
	}
	return calls.NewRecorder(store, mode), func() {
		if err := store.Close(); err != nil {
			a.log().Warn("closing the recordings failed", "error", err)
		}
	}, nil
}

// execute runs the rest of a run, judges and scores it, and prints its tables.
func (a *app) execute(ctx context.Context, run *readyRun, flags runFlags, o runners.Options) (err error) {
	dir := string(run.Folder())
	defer func() { err = errors.Join(err, run.Close()) }()
	start := run.Header()
	event := func(name string, values map[string]any) error {
		if !flags.json {
			return nil
		}
		return a.event(name, values)
	}
	if err := event("start", map[string]any{"dir": dir, "run": start.ID, "cells": len(start.Cells)}); err != nil {
		return err
	}
	for _, s := range start.Skipped {
		a.log().Warn("skipped " + s)
	}
	for _, d := range start.Datasets {
		if n := len(d.Warnings); n > 0 {
			a.log().Info(fmt.Sprintf("dataset %s: flaws of %d kinds were repaired; 'bench data stats %s' and run.json list them", d.Label, n, d.Name))
		}
	}
	o.Progress = a.progress(flags.display)
	result, err := run.Execute(ctx, o)
	// done ends the run with an error.
	done := func(err error) error {
		if paid := result.Header.Paid; paid != nil {
			a.log().Info(paid.String())
		}
		return errors.Join(err, event("done", map[string]any{
			"dir": dir, "status": result.Header.Status, "requests": result.Requests, "failed": result.Failed, "exit": exitCode(err),
		}))
	}
	defer func() { err = errors.Join(err, a.sayFailures(run.Folder(), result)) }()
	switch kind := fault.KindOf(err); {
	case ctx.Err() != nil:
		fmt.Fprintf(a.stderr, "bench: interrupted after %d questions; continue with: bench resume %s\n", result.Requests, dir)
		return done(withExit(exitInterrupted, errSilent))
	case kind.Stops():
		return done(fmt.Errorf("stopped after %d questions: %w\ncontinue with: bench resume %s", result.Requests, err, dir))
	case errors.Is(err, runners.ErrData):
		return done(fmt.Errorf("%w; all answers so far are saved; restore the data and continue with: bench resume %s", err, dir))
	case err != nil:
		return fmt.Errorf("%w; all answers so far are saved; continue with: bench resume %s", err, dir)
	}
	header, metrics := result.Header, result.Header.Metrics
	var judged runners.JudgeResult
	if len(run.judges) > 0 {
		if judged, err = a.judgeAll(ctx, run.Folder(), &header, flags, run.judges, "continue with: bench resume "+dir); err != nil {
			return done(err)
		}
		metrics = judgedMetrics(header, metrics)
	}
	scored, err := a.scoreRun(ctx, run.Folder(), header, metrics)
	if err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("%w: the run is complete but not scored; continue with: bench score %s", err, dir)
		}
		return err
	}
	if err := a.printRun(scored, flags.json); err != nil {
		return err
	}
	return done(errors.Join(tooManyFailed(result, run.ErrorLimit()), unjudged(run.Folder(), judged, "bench resume "+dir)))
}

// tooManyFailed returns an error if more requests failed than the config allows.
func tooManyFailed(result runners.Result, limit float64) error {
	if result.FailedShare() <= limit {
		return nil
	}
	return withExit(exitErrors, fmt.Errorf("%d of %d questions failed, above the limit of %v (limits.errors)", result.Failed, result.Requests, limit))
}
