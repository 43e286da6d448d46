package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"recallbench/internal/calc/lists"
	"recallbench/internal/config/suite"
	"recallbench/internal/door/fault"
	"recallbench/internal/result/record"
	"recallbench/metrics"
	"recallbench/runners"
)

type judgeFlags struct {
	runFlags
	model   string
	prompts string
	set     []string
	edits   editsFlag
}

func newJudgeCommand(a *app) *cobra.Command {
	var flags judgeFlags
	cmd := &cobra.Command{
		Use:   "judge RUN --model FILE",
		Short: "Ask a language model which answers of a run are right",
		Long: `Judge asks a language model about each answer of a run: whether it is right by
the gold answer, or whether it tells the facts that are expected of it. Then it
scores the run again, with the metric judge, and with pass@judge beside pass,
and prints the tables, which name the judge and the hash of its prompt.

A judgement is appended to the run folder when it comes; what is judged already,
by the same model from the same prompt, is not asked again, so that the same
command goes on after Ctrl-C, a kill or an empty account, and asks again what
could not be judged. Calls are recorded and replayed like those of a run.

It is an addition: no config has a judge, no run is judged by itself, and the
offline backend does not judge.`,
		Example: `  bench judge results/runs/20260101T000000Z-quickstart-1a2b3c4d --model configs/models/openai.yaml
  bench judge DIR --model configs/models/openai.yaml --set budget.usd=2 --prompts my-prompts`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.model == "" {
				return usageError(errors.New("give the models entry that judges, such as --model configs/models/openai.yaml"))
			}
			return a.judgeFolder(cmd.Context(), args[0], flags)
		},
	}
	flags.addCalls(cmd)
	flags.addDisplay(cmd)
	flags.edits.add(cmd)
	cmd.Flags().StringVar(&flags.model, "model", "", "`FILE` of the models entry that judges, such as configs/models/openai.yaml")
	cmd.Flags().StringVar(&flags.prompts, "prompts", "", "`folder` with a prompt of your own, "+runners.JudgePrompt)
	cmd.Flags().StringArrayVar(&flags.set, "set", nil, "how the judge is asked: `path=value` as in a config, such as budget.usd=2 or concurrency.requests=8; may be repeated")
	return cmd
}

// judgeFolder judges, scores and prints a run folder that no other process is
// at work on.
func (a *app) judgeFolder(ctx context.Context, dir string, flags judgeFlags) (err error) {
	folder, header, unlock, err := openLocked(dir, flags.edits.options()...)
	if err != nil {
		return usageError(err)
	}
	defer unlock() //nolint:errcheck // the lock ends with the process at the latest
	judging, closeCalls, err := a.judging(ctx, header, flags)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return usageError(err)
	}
	defer closeCalls()
	defer func() { err = errors.Join(err, judging.Close()) }()
	if flags.json {
		if err := a.event("start", map[string]any{"dir": dir, "run": header.ID, "cells": len(header.Cells)}); err != nil {
			return err
		}
	}
	result, err := judging.Run(ctx, folder, header, a.progress(flags.display))
	a.log().Info(result.Paid.String())
	if err := judgeStop(ctx, err, result); err != nil {
		return errors.Join(err, a.judged(flags, dir, result, exitCode(err)))
	}
	header.Judge = &result.Judge
	judgements := lists.Map(header.Cells, func(c record.Cell) string { return folder.Judgements(c.ID) })
	if err := folder.Seal(&header, judgements...); err != nil {
		return err
	}
	if err := a.scoreRun(ctx, folder, header, judgedMetrics(header.Metrics)); err != nil {
		return err
	}
	if err := a.printRun(folder, flags.json); err != nil {
		return err
	}
	if result.Failed == 0 {
		return a.judged(flags, dir, result, exitOK)
	}
	err = fmt.Errorf("%d of %d answers could not be judged; %s says why, and the same command asks about them again, with --calls record for new replies",
		result.Failed, result.Judged+result.Failed, filepath.Join(dir, "cells", "*", "judgements.jsonl"))
	return errors.Join(withExit(exitErrors, err), a.judged(flags, dir, result, exitErrors))
}

// judgeStop returns what ends the verb before the tables, with its exit code;
// nil where everything was asked.
func judgeStop(ctx context.Context, err error, result runners.JudgeResult) error {
	switch kind := fault.KindOf(err); {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return withExit(exitInterrupted, fmt.Errorf("interrupted after %d judgements; the same command goes on", result.Judged))
	case kind.Stops():
		return withExit(stopCode(kind), fmt.Errorf("stopped after %d judgements: %w\nthe same command goes on", result.Judged, err))
	default:
		return fmt.Errorf("%w; what was judged is safe, the same command goes on", err)
	}
}

// judged tells how a judging ended, where JSON lines are asked for.
func (a *app) judged(flags judgeFlags, dir string, result runners.JudgeResult, code int) error {
	if !flags.json {
		return nil
	}
	return a.event("done", map[string]any{"dir": dir, "judged": result.Judged, "failed": result.Failed, "exit": code})
}

// judging opens the judge that the flags name. The function it returns lets go
// of the recordings.
func (a *app) judging(ctx context.Context, header record.Header, flags judgeFlags) (*runners.Judging, func(), error) {
	models, err := modelList(flags.model)
	if err != nil {
		return nil, nil, err
	}
	config, err := modelConfig(models, header.Seed, flags.set...)
	if err != nil {
		return nil, nil, err
	}
	own, err := ownPrompt(flags.prompts)
	if err != nil {
		return nil, nil, err
	}
	mode, store, err := a.recordings(config, flags.runFlags)
	if err != nil {
		return nil, nil, err
	}
	recorder, closeCalls, err := a.recorder(mode, store)
	if err != nil {
		return nil, nil, err
	}
	judging, err := runners.NewJudging(ctx, config, suite.Plugins(), runners.Env{
		Now: time.Now, Log: a.log(), Getenv: a.env, Calls: recorder,
	}, own)
	if err != nil {
		closeCalls()
		return nil, nil, err
	}
	return judging, closeCalls, nil
}

// ownPrompt opens the folder of the user's own prompt; nil when there is none.
func ownPrompt(dir string) (fs.FS, error) {
	if dir == "" {
		return nil, nil
	}
	own := os.DirFS(dir)
	if _, err := fs.Stat(own, runners.JudgePrompt); err != nil {
		return nil, fmt.Errorf("--prompts %s has no prompt for a judge: %w", dir, err)
	}
	return own, nil
}

// judgedMetrics adds the metrics of judgements to those of a run.
func judgedMetrics(names []string) []string {
	names = slices.Clone(names)
	add := func(s *metrics.Spec) {
		names = lists.AddNew(names, s.Name)
	}
	add(metrics.JudgeSpec)
	if slices.Contains(names, metrics.PassSpec.Name) {
		add(metrics.PassJudgeSpec)
	}
	return names
}
