package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	choiceFlag(cmd, &f.display, "display", "auto", displays(), "progress: `how` auto, bar, plain or none")
	jsonFlag(cmd, &f.json, "JSON lines")
}

func (f *runFlags) addInput(cmd *cobra.Command) {
	dataFlag(cmd, &f.data)
	f.addCalls(cmd)
}

func (f *runFlags) addCalls(cmd *cobra.Command) {
	choiceFlag(cmd, &f.calls, "calls", "", calls.Off.Values(), "recordings of model calls: `mode` off, record, reuse or replay (default: the config's)")
	cmd.Flags().StringVar(&f.store, "store", "", "`folder` of the recordings (default: the config's, $BENCH_CALLS, results/calls)")
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

After Ctrl-C no new call starts, and calls in flight have 8 seconds to end (or
BENCH_GRACE, such as 1m). A second Ctrl-C aborts. 'bench resume DIR' continues the run.`,
		Example: `  bench run configs/quickstart.yaml
  bench run sweep.yaml --plan
  bench run my.yaml --limit 50 --set methods.flat-rag.options.k=5
  bench run my.yaml --shard 2/4 --out shard-2`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if limit != 0 {
				from.set = append(from.set, "limits.requests="+strconv.Itoa(limit))
			}
			if shard != "" {
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
			defer func() { err = errors.Join(err, run.Close()) }()
			return a.execute(cmd.Context(), run, flags, runners.Options{})
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&out, "out", "", "run `folder` to make (default results/runs/TIME-NAME-ID)")
	cmd.Flags().IntVar(&limit, "limit", 0, "ask only the first `N` questions of each dataset (default: all)")
	cmd.Flags().StringVar(&shard, "shard", "", "run only part `I/N` of the conversations, such as 2/4; 'bench resume' joins all parts")
	plan.add(cmd)
	from.add(cmd)
	return cmd
}

// start starts the run of a config in a folder. The run's own config, which resume reads,
// includes the flags for recordings; the mode record becomes reuse there, so that a
// resumed run does not pay twice for a call.
func (a *app) start(ctx context.Context, config *config.Config, flags runFlags, out string) (*readyRun, error) {
	switch calls.Mode(flags.calls) {
	case "":
	case calls.Record:
		config.Calls.Mode = calls.Reuse
	default:
		config.Calls.Mode = calls.Mode(flags.calls)
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
	judges []judging
}

// ready opens what a config names, and the run that begin starts with it.
func (a *app) ready(ctx context.Context, config *config.Config, flags runFlags, begin func(*runners.Plan) (*runners.Run, error)) (*readyRun, error) {
	judges, err := a.openJudges(ctx, config, flags)
	if err != nil {
		return nil, err
	}
	plan, _, err := a.open(ctx, config, flags, false)
	if err != nil {
		return nil, err
	}
	run, err := begin(plan)
	if err != nil {
		return nil, usageError(errors.Join(err, plan.Close()))
	}
	return &readyRun{run, judges}, nil
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
	setsCalls := func(assignment string) bool { return strings.HasPrefix(assignment, "calls") }
	if err == nil && len(f.models) > 0 && c.Calls.Mode == calls.Replay && !slices.ContainsFunc(f.set, setsCalls) {
		// A config's recordings are those of its own models.
		c.Calls = config.Calls{Mode: calls.Reuse}
	}
	return c, usageError(err)
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
	names := make([]any, len(files))
	for i, m := range files {
		if m == standin.Name || m == standin.NoneName {
			names[i] = map[string]string{"use": m}
			continue
		}
		err := checkInput(m, "a model entry, such as configs/models/openai.yaml")
		if err == nil {
			names[i], err = filepath.Abs(m)
		}
		if err != nil {
			return "", fmt.Errorf("--model: %w", err)
		}
	}
	list, err := json.Marshal(names) // JSON is YAML
	return string(list), err
}

// modelConfig returns the config of a verb that calls the model of a file and runs no
// method.
func modelConfig(file string, seed uint64, set ...string) (*config.Config, error) {
	models, err := modelList(file)
	if err != nil {
		return nil, err
	}
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

A damaged run folder is refused with exit code 9 without --repair.

Given the folders of all shards of a run, in any order, resume joins them into the run
folder that one machine would have written. The shards are not changed.`,
		Example: `  bench resume latest
  bench resume shard-1 shard-2 shard-3 --out results/runs/whole`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if len(args) > 1 || out != "" {
				return a.merge(cmd.Context(), args, out, flags, runners.MergeOptions{Versions: other, Edited: from.edits.accept})
			}
			run, err := a.resume(cmd.Context(), args[0], flags, from)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, run.Close()) }()
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
	mode, store := a.recordings(config, flags)
	if record.Describe(store) == "" && mode != calls.Off && flags.store == "" && config.Calls.Store != "" { // with a new one, resume would pay again
		return nil, usageError(fmt.Errorf("%s recorded its calls in %s, which is gone; --store names another folder", dir, store))
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

func (a *app) repair(ctx context.Context, plan *runners.Plan, dir string, options []record.Option) error {
	r, err := plan.Repair(ctx, dir, options...)
	for _, file := range r.Files {
		a.log.Warn("damaged, and moved to "+filepath.Join(dir, "damaged"), "file", file)
	}
	if r.Judgements {
		a.log.Warn(fmt.Sprintf("this includes verdicts; 'bench judge %s' judges those answers again", dir))
	}
	if r.Ratings {
		a.log.Warn(fmt.Sprintf("this includes ratings; 'bench judge people import %s' reads them from the sheets again", dir))
	}
	return err
}

// open opens what a config names, for a run or to estimate one, and returns the mode of the
// recordings in the run.
func (a *app) open(ctx context.Context, config *config.Config, flags runFlags, estimate bool) (plan *runners.Plan, mode calls.Mode, err error) {
	env, err := a.runEnv(flags.data)
	if err != nil {
		return nil, "", err
	}
	mode, store := a.recordings(config, flags)
	opened := mode
	if estimate { // looks calls up where there are recordings that the run would read
		opened = calls.Replay
		if record.Describe(store) == "" || mode != calls.Reuse && mode != calls.Replay {
			opened = calls.Off
		}
	}
	recorder, err := calls.OpenRecorder(opened, store, a.log)
	if err != nil {
		return nil, "", usageError(err)
	}
	if !estimate {
		recorder.RecordStandIn(config.Calls.StandIn)
	}
	env.Calls, env.Repeated, env.Estimate = recorder, record.ReadRepeated(store), estimate
	plan, err = runners.NewPlan(ctx, config, suite.Plugins(), env)
	return plan, mode, usageError(err)
}

// runEnv returns what runs need from outside; data is the value of --data.
func (a *app) runEnv(data string) (runners.Env, error) {
	dir, err := datadir.Find(data, a.env)
	return runners.Env{DataDir: dir, Now: time.Now, Log: a.log, Binary: binary(), Argv: a.argv, Getenv: a.env}, usageError(err)
}

// recordings returns the mode and the folder of recordings by a config and the flags.
// The mode is off if no model is called.
func (a *app) recordings(config *config.Config, flags runFlags) (mode calls.Mode, dir string) {
	mode = calls.Mode(cmp.Or(flags.calls, string(config.Calls.Mode)))
	if !config.Recorded(suite.Plugins()) {
		mode = calls.Off
	}
	dir = flags.store
	if dir == "" && config.Calls.Store != "" {
		dir = config.Path(config.Calls.Store)
	}
	return mode, callsDir(dir, a.env)
}

// execute runs the rest of a run, judges and scores it, and prints its tables.
func (a *app) execute(ctx context.Context, run *readyRun, flags runFlags, o runners.Options) error {
	start := run.Header()
	if err := a.startEvent(flags, run.Folder(), start); err != nil {
		return err
	}
	for _, s := range start.Skipped {
		a.log.Warn("skipped " + s)
	}
	for _, d := range start.Datasets {
		if n := len(d.Warnings); n > 0 {
			a.log.Info(fmt.Sprintf("dataset %s: flaws of %d kinds were repaired; 'bench data stats %s' and run.json list them", d.Label, n, d.Name))
		}
	}
	o.Progress = a.progress(flags.display)
	result, err := run.Execute(ctx, o)
	if err != nil {
		err = stopped(ctx, err, fmt.Sprintf("%d questions", result.Requests), "all answers", "continue with: bench resume "+string(run.Folder()))
	} else {
		err = a.conclude(ctx, run.Folder(), run.judges, result, flags)
	}
	return a.ended(run.Folder(), result, flags.json, err)
}

// stopped returns the error of a run, or of judging one, that ended early: after how many
// questions or judgements, what is saved, and how to continue; nil if it did not end early.
func stopped(ctx context.Context, err error, after, saved, goOn string) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return withExit(exitInterrupted, fmt.Errorf("interrupted after %s; %s", after, goOn))
	case fault.KindOf(err).Stops():
		return fmt.Errorf("stopped after %s: %w\n%s", after, err, goOn)
	case errors.Is(err, runners.ErrData):
		goOn = "restore the data and " + goOn
	}
	return fmt.Errorf("%w; %s so far are saved; %s", err, saved, goOn)
}

// conclude judges and scores a complete run and prints its tables. The error says whether
// too many questions failed or too few verdicts came.
func (a *app) conclude(ctx context.Context, folder record.Folder, judges []judging, result runners.Result, flags runFlags) error {
	goOn := "bench resume " + string(folder)
	header, metrics := result.Header, result.Header.Metrics
	var judged runners.JudgeResult
	if len(judges) > 0 {
		var err error
		if judged, err = a.judgeAll(ctx, folder, &header, flags, judges, "continue with: "+goOn); err != nil {
			return err
		}
		metrics = runners.JudgedMetrics(header, metrics)
	}
	scored, err := a.scoreRun(ctx, folder, header, metrics)
	if ctx.Err() != nil && err != nil {
		return fmt.Errorf("%w: the run is complete but not scored; continue with: bench score %s", err, folder)
	}
	if err == nil {
		err = a.printRun(scored, flags.json)
	}
	if err != nil {
		return err
	}
	return errors.Join(tooManyFailed(result), unjudged(folder, judged, goOn))
}

// ended tells how a run ended, with err or without: what it paid, which questions failed,
// and as JSON the last event.
func (a *app) ended(folder record.Folder, result runners.Result, asJSON bool, err error) error {
	if paid := result.Header.Paid; paid != nil {
		a.log.Info(paid.String())
	}
	if asJSON {
		err = errors.Join(err, a.event("done", map[string]any{
			"dir": string(folder), "status": result.Header.Status, "requests": result.Requests, "failed": result.Failed, "exit": exitCode(err),
		}))
	}
	return errors.Join(err, a.sayFailures(folder, result))
}

// tooManyFailed returns an error if more requests failed than the config allows.
func tooManyFailed(result runners.Result) error {
	if result.Failed == 0 || float64(result.Failed)/float64(result.Requests) <= result.ErrorLimit {
		return nil
	}
	return withExit(exitErrors, fmt.Errorf("%d of %d questions failed, above the limit of %v (limits.errors)", result.Failed, result.Requests, result.ErrorLimit))
}

// merge joins the run folders of all shards of a run into one, and scores and prints it
// as run does.
func (a *app) merge(ctx context.Context, dirs []string, out string, flags runFlags, o runners.MergeOptions) error {
	m, err := runners.Merge(dirs, out, a.argv, suite.Plugins(), o)
	if err != nil {
		return usageError(err)
	}
	return a.ended(m.Folder, m.Result, flags.json, a.conclude(ctx, m.Folder, nil, m.Result, flags))
}

// startEvent writes the event that begins a run, or the judging of one, if flags ask for JSON.
func (a *app) startEvent(flags runFlags, folder record.Folder, h record.Header) error {
	if !flags.json {
		return nil
	}
	return a.event("start", map[string]any{"dir": folder, "run": h.ID, "cells": len(h.Cells)})
}

// event writes one JSON line to stdout: the event's name and its fields.
func (a *app) event(name string, fields map[string]any) error {
	fields["event"] = name
	return json.NewEncoder(a.stdout).Encode(fields)
}
