package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recallbench/internal/calc/lists"
	"recallbench/internal/config"
	"recallbench/internal/config/suite"
	"recallbench/internal/door/fault"
	"recallbench/internal/result/judge"
	"recallbench/internal/result/record"
	"recallbench/metrics"
	"recallbench/runners"
)

type judgeFlags struct {
	runFlags
	model   string
	prompts string
	set     []string
	judges  []string
	samples []string
	plan    bool
	asking  config.Asking
	audit   float64
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

Each judgement is appended to the run folder as it comes. After Ctrl-C, a kill or
an empty account the same command continues: it skips what the same model has
judged from the same prompt. Calls are recorded and replayed like those of a run.

With --judge the answers are judged by other profiles instead, each with columns of
its own, such as judge:strict@gpt-4o-mini: the profile and the model. --judge
PROFILE=FOLDER takes their authors' prompts from a folder that scripts/prompts.py made.
'bench judge profiles' lists them, and 'bench judge show' sets judges side by side.

With --when unclear the judges are asked only about answers that f1@span takes
neither as right nor as wrong, and about a random audit of the others. The
audit corrects the rates in tables, whose notes and intervals say so.

A run whose config has judges is judged when all is answered, in the same way. The
stand-in does not judge.`,
		Example: `  bench judge results/runs/20260101T000000Z-quickstart-1a2b3c4d --model configs/models/openai.yaml
  bench judge DIR --model configs/models/openai.yaml --set budget.usd=2 --prompts my-prompts
  bench judge DIR --model configs/models/openai.yaml --judge strict --judge longmemeval=prompts --plan`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("audit") {
				flags.asking.Audit = &flags.audit
			}
			judges, err := flags.judgings()
			if err != nil {
				return usageError(err)
			}
			if flags.plan {
				return a.planJudges(cmd.Context(), args[0], flags, judges)
			}
			return a.judgeFolder(cmd.Context(), args[0], flags, judges)
		},
	}
	flags.addCalls(cmd)
	flags.addDisplay(cmd)
	flags.edits.add(cmd)
	cmd.Flags().StringVar(&flags.model, "model", "", "`FILE` of the models entry that judges, such as configs/models/openai.yaml")
	cmd.Flags().StringVar(&flags.prompts, "prompts", "", "`folder` with a prompt of your own, "+runners.JudgePrompt)
	cmd.Flags().StringArrayVar(&flags.set, "set", nil, "how the judge is asked: `path=value` as in a config, such as budget.usd=2 or concurrency.requests=8; may be repeated")
	cmd.Flags().StringArrayVar(&flags.judges, "judge", nil, "`profile` to judge by, with =FOLDER for its authors' prompts; may be repeated")
	cmd.Flags().StringArrayVar(&flags.samples, "sample", nil, "judge a `number` of answers of the rows that a pattern fits, as in 'ap-*=200'; may be repeated")
	cmd.Flags().StringVar(&flags.asking.When, "when", "", "`unclear` asks only about answers that f1@span does not decide, and an audit of the others")
	cmd.Flags().Float64Var(&flags.audit, "audit", config.DefaultAudit, "`share` of the answers taken as right that the audit asks about; 20 times that of those taken as wrong")
	cmd.Flags().BoolVar(&flags.plan, "plan", false, "print what judging would call and cost, and call nothing")
	cmd.AddCommand(newJudgeProfilesCommand(a), newJudgeShowCommand(a), newJudgeCalibrateCommand(a), newJudgeProbeCommand(a), newPeopleCommand(a))
	return cmd
}

// A judging is a judge with what opens its model.
type judging struct {
	runners.JudgeOptions
	// config returns the config whose first model judges a run of a seed; nil for a rule.
	config func(seed uint64) (*config.Config, error)
}

// judgings returns the judges that the flags name: one without a profile where they name
// none.
func (f *judgeFlags) judgings() ([]judging, error) {
	var faults []error
	var samples []runners.RowSample
	for _, text := range f.samples {
		at := strings.LastIndexByte(text, '=')
		n, err := strconv.Atoi(text[at+1:])
		if _, bad := path.Match(text[:max(at, 0)], ""); at < 1 || err != nil || n < 1 || bad != nil {
			faults = append(faults, fmt.Errorf("--sample %s: want a pattern of rows and a number of answers, such as 'ap-*=200'", text))
			continue
		}
		samples = append(samples, runners.RowSample{Pattern: text[:at], Answers: n})
	}
	own, err := ownPrompt(f.prompts)
	faults = append(faults, err, f.asking.Validate())
	model := func(seed uint64) (*config.Config, error) {
		models, err := modelList(f.model)
		if err != nil {
			return nil, err
		}
		return modelConfig(models, seed, f.set...)
	}
	var judges []judging
	for i, text := range f.judges {
		name, folder, _ := strings.Cut(text, "=")
		profile, err := judge.FindProfile(name)
		if err != nil {
			faults = append(faults, fmt.Errorf("--judge: %w", err))
			continue
		}
		if slices.ContainsFunc(f.judges[:i], func(t string) bool { return t == name || strings.HasPrefix(t, name+"=") }) {
			faults = append(faults, fmt.Errorf("--judge %s is given twice", name))
		}
		judges = append(judges, judging{runners.JudgeOptions{Profile: profile, Words: judge.Words{Own: own, Authors: folder}, Sample: samples, Audit: f.asking.Share()}, model})
	}
	if len(f.judges) == 0 {
		judges = []judging{{runners.JudgeOptions{Words: judge.Words{Own: own}, Sample: samples, Audit: f.asking.Share()}, model}}
	}
	asks := func(o judging) bool { return o.Profile == nil || !o.Profile.Rule }
	if f.model == "" && slices.ContainsFunc(judges, asks) {
		faults = append(faults, errors.New("give the models entry that judges, such as --model configs/models/openai.yaml"))
	}
	return judges, errors.Join(faults...)
}

// judgeFolder judges, scores and prints a run folder that no other process is
// at work on.
func (a *app) judgeFolder(ctx context.Context, dir string, flags judgeFlags, judges []judging) (err error) {
	folder, header, unlock, err := openLocked(dir, flags.edits.options()...)
	if err != nil {
		return usageError(err)
	}
	defer unlock() //nolint:errcheck // the lock ends with the process at the latest
	if flags.json {
		if err := a.event("start", map[string]any{"dir": dir, "run": header.ID, "cells": len(header.Cells)}); err != nil {
			return err
		}
	}
	sum, err := a.judgeAll(ctx, folder, &header, flags.runFlags, judges, "the same command goes on")
	if err != nil {
		return errors.Join(err, a.judged(flags, dir, sum, exitCode(err)))
	}
	scored, err := a.scoreRun(ctx, folder, header, judgedMetrics(header, header.Metrics))
	if err != nil {
		return err
	}
	if err := a.printRun(scored, flags.json); err != nil {
		return err
	}
	err = unjudged(folder, sum, "the same command")
	return errors.Join(err, a.judged(flags, dir, sum, exitCode(err)))
}

// unjudged is the error of a judging that left answers without a verdict.
func unjudged(folder record.Folder, sum runners.JudgeResult, again string) error {
	if sum.Failed == 0 {
		return nil
	}
	return withExit(exitErrors, fmt.Errorf("%d of %d answers could not be judged; %s says why, and %s asks about them again, with --calls record for new replies",
		sum.Failed, sum.Judged+sum.Failed, filepath.Join(string(folder), "cells", "*", "judgements.jsonl"), again))
}

// judgeAll judges a run by several judges and seals what they said. An error of a
// judging that stopped ends with how it goes on.
func (a *app) judgeAll(ctx context.Context, folder record.Folder, header *record.Header, flags runFlags, judges []judging, goOn string) (sum runners.JudgeResult, err error) {
	for _, o := range judges {
		result, err := a.judgeBy(ctx, folder, header, flags, o, goOn)
		sum.Judged, sum.Failed, sum.Taken = sum.Judged+result.Judged, sum.Failed+result.Failed, sum.Taken+result.Taken
		if err != nil {
			return sum, err
		}
	}
	return sum, folder.Seal(header, lists.Map(header.Cells, func(c record.Cell) string { return folder.Judgements(c.ID) })...)
}

// judgeBy judges a run by one judge, and notes the judge in the header.
func (a *app) judgeBy(ctx context.Context, folder record.Folder, header *record.Header, flags runFlags, o judging, goOn string) (result runners.JudgeResult, err error) {
	judging, closeCalls, err := a.judging(ctx, header.Seed, flags, o)
	if err != nil {
		return result, err
	}
	defer closeCalls()
	defer func() { err = errors.Join(err, judging.Close()) }()
	result, err = judging.Run(ctx, folder, *header, a.progress(flags.display))
	if _, unfit := errors.AsType[runners.UnfitJudgeError](err); unfit {
		return result, usageError(err)
	}
	a.log().Info(result.Paid.String())
	if result.Taken > 0 {
		a.log().Info(fmt.Sprintf("f1@span decided %d answers", result.Taken))
	}
	if err := judgeStop(ctx, err, result, goOn); err != nil {
		return result, err
	}
	header.SetJudge(result.Judge)
	return result, nil
}

// judgeStop returns what ends the verb before the tables, with its exit code;
// nil where everything was asked.
func judgeStop(ctx context.Context, err error, result runners.JudgeResult, goOn string) error {
	switch kind := fault.KindOf(err); {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return withExit(exitInterrupted, fmt.Errorf("interrupted after %d judgements; %s", result.Judged, goOn))
	case kind.Stops():
		return withExit(stopCode(kind), fmt.Errorf("stopped after %d judgements: %w\n%s", result.Judged, err, goOn))
	default:
		return fmt.Errorf("%w; what was judged is safe, %s", err, goOn)
	}
}

// judged tells how a judging ended, where JSON lines are asked for.
func (a *app) judged(flags judgeFlags, dir string, result runners.JudgeResult, code int) error {
	if !flags.json {
		return nil
	}
	return a.event("done", map[string]any{"dir": dir, "judged": result.Judged, "failed": result.Failed, "taken": result.Taken, "exit": code})
}

// judging opens a judge. The function it returns releases the recordings.
func (a *app) judging(ctx context.Context, seed uint64, flags runFlags, o judging) (*runners.Judging, func(), error) {
	judging, closeCalls, err := a.openJudge(ctx, seed, flags, o)
	switch {
	case err == nil:
		return judging, closeCalls, nil
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case errors.Is(err, judge.ErrChanged):
		return nil, nil, withExit(exitFingerprint, err)
	}
	return nil, nil, usageError(err)
}

func (a *app) openJudge(ctx context.Context, seed uint64, flags runFlags, o judging) (*runners.Judging, func(), error) {
	env := runners.Env{Now: time.Now, Log: a.log(), Getenv: a.env}
	c := &config.Config{Seed: seed, Concurrency: config.Concurrency{Requests: 1}}
	if o.Profile == nil || !o.Profile.Rule {
		var err error
		if c, err = o.config(seed); err != nil {
			return nil, nil, err
		}
	}
	mode, store, err := a.recordings(c, flags)
	if err != nil {
		return nil, nil, err
	}
	var closeCalls func()
	if env.Calls, closeCalls, err = a.recorder(mode, store); err != nil {
		return nil, nil, err
	}
	judging, err := runners.NewJudging(ctx, c, suite.Plugins(), env, o.JudgeOptions)
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

// configuredJudges returns the judges of a run's config.
func configuredJudges(c *config.Config) ([]judging, error) {
	var all []judging
	var faults []error
	for i, j := range c.Judges {
		profile, err := judge.FindProfile(j.Profile)
		if err == nil && j.Model.Use == "" && !profile.Rule {
			err = errors.New("no key model, which names who judges; see configs/models")
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("judges[%d]: %w", i, err))
			continue
		}
		of := *c
		of.Models, of.Exclude, of.Seeds = []config.Entry{j.Model}, nil, nil
		o := runners.JudgeOptions{Profile: profile, Label: j.Label, Audit: c.Judge.Share()}
		if j.Prompts != "" {
			o.Authors = c.Path(j.Prompts)
		}
		all = append(all, judging{o, func(uint64) (*config.Config, error) { return &of, nil }})
	}
	return all, errors.Join(faults...)
}

// openJudges opens the judges of a config and closes them again: what keeps one from
// judging is found before anything is spent.
func (a *app) openJudges(ctx context.Context, c *config.Config, flags runFlags) ([]judging, error) {
	judges, err := configuredJudges(c)
	if err != nil {
		return nil, usageError(err)
	}
	names := make(map[string]int)
	for i, o := range judges {
		opened, closeCalls, err := a.judging(ctx, c.Seed, flags, o)
		if err != nil {
			return nil, fmt.Errorf("judges[%d]: %w", i, err)
		}
		name := opened.Name()
		closeCalls()
		if err := opened.Close(); err != nil {
			return nil, err
		}
		if first, taken := names[name]; taken {
			return nil, usageError(fmt.Errorf("judges[%d]: %s is the name of judges[%d] already; give it a label", i, name, first))
		}
		names[name] = i
	}
	return judges, nil
}

// judgedMetrics adds the metrics of judgements to others.
func judgedMetrics(h record.Header, of []string) []string {
	names := slices.Clone(of)
	if h.Judge != nil {
		names = lists.AddNew(names, metrics.JudgeSpec.Name)
		if slices.Contains(names, metrics.PassSpec.Name) {
			names = lists.AddNew(names, metrics.PassJudgeSpec.Name)
		}
	}
	for _, j := range h.Judges {
		columns := j.Columns
		if !slices.Contains(columns, metrics.RefusalColumn) {
			columns = append([]string{metrics.JudgeColumn}, columns...)
		}
		for _, kind := range columns {
			names = lists.AddNew(names, kind+":"+j.Name)
		}
	}
	return names
}
