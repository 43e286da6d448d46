package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recallbench/internal/calc/lists"
	"recallbench/internal/config"
	"recallbench/internal/config/suite"
	"recallbench/internal/door/fault"
	"recallbench/internal/publish/report"
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
	samples map[string]int
	plan    bool
	asking  config.Asking
	audit   float64
	edits   editsFlag
}

func newJudgeCommand(a *app) *cobra.Command {
	var flags judgeFlags
	cmd := &cobra.Command{
		Use:   "judge RUN --model FILE",
		Short: "Have a language model judge the answers of a run",
		Long: `Judge asks a language model whether each answer of a run is right by the gold
answer, or states the expected facts. Then it scores the run again with the
metrics judge and pass@judge, and prints the tables, which name the judge and the
hash of its prompt.

Each verdict is appended to the run folder at once. After Ctrl-C, a kill or an
empty account, run the same command again to continue: it skips answers that the
same model has judged with the same prompt. Calls are recorded and replayed like
those of a run.

With --judge, other profiles judge instead, each with its own columns, such as
judge:strict@gpt-4o-mini: the profile and the model. --judge PROFILE=FOLDER uses the
authors' prompts, from a folder that scripts/prompts.py made. 'bench list judges'
lists the profiles, and 'bench judge show' compares the judges of a run.

With --when unclear, judges are asked only about answers that are neither right nor
wrong by f1@span, and about a random audit of the others. The audit corrects the
rates in tables; notes and intervals say so.

If a run's config has judges, they judge in the same way once all questions are
answered. The stand-in does not judge.`,
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
	cmd.Flags().StringVar(&flags.model, "model", "", "`FILE` of the model entry that judges, such as configs/models/openai.yaml")
	cmd.Flags().StringVar(&flags.prompts, "prompts", "", "`folder` with your own prompt, "+runners.JudgePrompt)
	cmd.Flags().StringArrayVar(&flags.set, "set", nil, "a setting of the judge's calls: `path=value` as in a config, such as budget.usd=2 or concurrency.requests=8; may be repeated")
	cmd.Flags().StringArrayVar(&flags.judges, "judge", nil, "`profile` to judge by, with =FOLDER for its authors' prompts; may be repeated")
	cmd.Flags().StringToIntVar(&flags.samples, "sample", nil, "judge only a `number` of answers of the rows that match a pattern, as in 'ap-*=200'; may be repeated")
	cmd.Flags().StringVar(&flags.asking.When, "when", "", "`unclear` judges only answers that f1@span does not decide, and an audit of the others")
	cmd.Flags().Float64Var(&flags.audit, "audit", config.DefaultAudit, "`share` of the answers decided as right that the audit judges; for those decided as wrong it is 20 times as high")
	cmd.Flags().BoolVar(&flags.plan, "plan", false, "print the calls and the cost of judging, and call nothing")
	cmd.AddCommand(newJudgeShowCommand(a), newJudgeCalibrateCommand(a), newJudgeProbeCommand(a), newPeopleCommand(a))
	return cmd
}

// A judging is a judge and the settings that open its model.
type judging struct {
	runners.JudgeOptions
	// config returns the config whose first model judges a run of a seed.
	config func(seed uint64) (*config.Config, error)
}

// asks reports whether the judge calls a model.
func (o judging) asks() bool { return o.Profile == nil || !o.Profile.Rule }

// judgings returns the judges that the flags name: one without a profile if they name
// none.
func (f *judgeFlags) judgings() (judges []judging, err error) {
	faults := []error{f.asking.Validate()}
	every := judging{runners.JudgeOptions{Audit: f.asking.Share()}, func(seed uint64) (*config.Config, error) {
		models, err := modelList(f.model)
		if err != nil {
			return nil, err
		}
		return modelConfig(models, seed, f.set...)
	}}
	// Specific patterns precede general ones, such as ap-* before *.
	for _, pattern := range slices.Backward(slices.Sorted(maps.Keys(f.samples))) {
		every.Sample = append(every.Sample, runners.RowSample{Pattern: pattern, Answers: f.samples[pattern]})
	}
	if f.prompts != "" {
		every.Own = os.DirFS(f.prompts)
		if _, err := fs.Stat(every.Own, runners.JudgePrompt); err != nil {
			faults = append(faults, fmt.Errorf("--prompts %s has no prompt for a judge: %w", f.prompts, err))
		}
	}
	given := make(map[string]bool)
	for _, text := range f.judges {
		one := every
		var name string
		name, one.Authors, _ = strings.Cut(text, "=")
		one.Profile, err = judge.FindProfile(name)
		if err == nil && given[name] {
			err = fmt.Errorf("%s is given twice", name)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("--judge: %w", err))
			continue
		}
		given[name] = true
		judges = append(judges, one)
	}
	if len(f.judges) == 0 {
		judges = []judging{every}
	}
	if f.model == "" && slices.ContainsFunc(judges, judging.asks) {
		faults = append(faults, errors.New("give the model entry that judges, such as --model configs/models/openai.yaml"))
	}
	return judges, errors.Join(faults...)
}

// configuredJudges returns the judges of a run's config.
func configuredJudges(c *config.Config) (judges []judging, err error) {
	var faults []error
	for i, j := range c.Judges {
		profile, err := judge.FindProfile(j.Profile)
		if err == nil && j.Model.Use == "" && !profile.Rule {
			err = errors.New("the key model is missing, which names the model that judges; see configs/models")
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
		judges = append(judges, judging{o, func(uint64) (*config.Config, error) { return &of, nil }})
	}
	return judges, errors.Join(faults...)
}

// openJudges opens the judges of a config and closes them again, to find what keeps one
// from judging before anything is spent.
func (a *app) openJudges(ctx context.Context, c *config.Config, flags runFlags) ([]judging, error) {
	judges, err := configuredJudges(c)
	if err != nil {
		return nil, usageError(err)
	}
	names := make(map[string]int)
	for i, o := range judges {
		err := a.withJudge(ctx, c.Seed, flags, o, func(j *runners.Judging) error {
			if first, taken := names[j.Name()]; taken {
				return usageError(fmt.Errorf("judges[%[2]d] is named %[1]s, too; give one of them a label", j.Name(), first))
			}
			names[j.Name()] = i
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("judges[%d]: %w", i, err)
		}
	}
	return judges, nil
}

// withJudge calls a function with an open judge.
func (a *app) withJudge(ctx context.Context, seed uint64, flags runFlags, o judging, do func(*runners.Judging) error) (err error) {
	env := runners.Env{Now: time.Now, Log: a.log(), Getenv: a.env}
	c := &config.Config{Seed: seed, Concurrency: config.Concurrency{Requests: 1}}
	if o.asks() {
		if c, err = o.config(seed); err != nil {
			return usageError(err)
		}
	}
	mode, store, err := a.recordings(c, flags)
	if err != nil {
		return usageError(err)
	}
	var closeCalls func()
	if env.Calls, closeCalls, err = a.recorder(mode, store); err != nil {
		return usageError(err)
	}
	defer closeCalls()
	j, err := runners.NewJudging(ctx, c, suite.Plugins(), env, o.JudgeOptions)
	switch {
	case err == nil:
		return errors.Join(do(j), j.Close())
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, judge.ErrChanged):
		return withExit(exitFingerprint, err)
	}
	return usageError(err)
}

// judgeFolder judges, scores and prints a run folder, which it locks.
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
	sum, err := a.judgeAll(ctx, folder, &header, flags.runFlags, judges, "run the same command again to continue")
	var scored *freshRun
	if err == nil {
		scored, err = a.scoreRun(ctx, folder, header, judgedMetrics(header, header.Metrics))
	}
	if err == nil {
		err = a.printRun(scored, flags.json)
	}
	if err == nil {
		err = unjudged(folder, sum, "the same command")
	}
	if flags.json {
		err = errors.Join(err, a.event("done", map[string]any{"dir": dir, "judged": sum.Judged, "failed": sum.Failed, "taken": sum.Taken, "exit": exitCode(err)}))
	}
	return err
}

// unjudged returns an error if answers were left without a verdict.
func unjudged(folder record.Folder, sum runners.JudgeResult, again string) error {
	if sum.Failed == 0 {
		return nil
	}
	return withExit(exitErrors, fmt.Errorf("%d of %d answers could not be judged; %s has the errors; to judge them again, use %s, with --calls record for new replies",
		sum.Failed, sum.Judged+sum.Failed, filepath.Join(string(folder), "cells", "*", "judgements.jsonl"), again))
}

// judgeAll judges a run by several judges, notes them in the header, and seals their
// verdicts. If judging stops, the error ends with how to continue.
func (a *app) judgeAll(ctx context.Context, folder record.Folder, header *record.Header, flags runFlags, judges []judging, goOn string) (sum runners.JudgeResult, err error) {
	for _, o := range judges {
		err := a.withJudge(ctx, header.Seed, flags, o, func(j *runners.Judging) error {
			result, err := j.Run(ctx, folder, *header, a.progress(flags.display))
			sum.Judged, sum.Failed, sum.Taken = sum.Judged+result.Judged, sum.Failed+result.Failed, sum.Taken+result.Taken
			if _, unfit := errors.AsType[runners.UnfitJudgeError](err); unfit {
				return usageError(err)
			}
			a.log().Info(result.Paid.String())
			if result.Taken > 0 {
				a.log().Info(fmt.Sprintf("f1@span decided %d answers without the judge", result.Taken))
			}
			if err == nil {
				header.SetJudge(result.Judge)
			}
			return judgeStop(ctx, err, result, goOn)
		})
		if err != nil {
			return sum, err
		}
	}
	return sum, folder.Seal(header, lists.Map(header.Cells, func(c record.Cell) string { return folder.Judgements(c.ID) })...)
}

// judgeStop returns the error that ends the verb before the tables, with its exit code;
// nil if all answers were judged.
func judgeStop(ctx context.Context, err error, result runners.JudgeResult, goOn string) error {
	switch kind := fault.KindOf(err); {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return withExit(exitInterrupted, fmt.Errorf("interrupted after %d judgements; %s", result.Judged, goOn))
	case kind.Stops():
		return withExit(stopCode(kind), fmt.Errorf("stopped after %d judgements: %w\n%s", result.Judged, err, goOn))
	default:
		return fmt.Errorf("%w; the verdicts so far are saved; %s", err, goOn)
	}
}

// planJudges prints what judging a run would cost.
func (a *app) planJudges(ctx context.Context, dir string, flags judgeFlags, judges []judging) error {
	folder, header, err := record.Open(dir, flags.edits.options()...)
	if err != nil {
		return usageError(err)
	}
	t := &report.Table{Name: "plan", Title: "estimated calls and cost of judging", Columns: report.Numbers("judge", "answers", "judged", "calls", "input", "output", "dollars")}
	for _, o := range judges {
		var p runners.JudgePlan
		err := a.withJudge(ctx, header.Seed, flags.runFlags, o, func(j *runners.Judging) (err error) {
			p, err = j.Plan(folder, header)
			return usageError(err)
		})
		if err != nil {
			return err
		}
		usd := report.Cell{Text: "not known"}
		if p.USD != nil {
			usd = report.Decimal(*p.USD, 4, nil)
		}
		calls, answers := whole(p.Calls), whole(p.Answers)
		if p.Order > 0 {
			calls.Notes = []int{t.Note(fmt.Sprintf("and at least %d about the order of lines, up to one for each line and nugget, not included in the other figures", p.Order))}
		}
		if o.Audit != nil {
			answers.Notes = []int{t.Note(fmt.Sprintf("%d of %d answers go to the judge, %d of them judged before; f1@span decides the others",
				p.Answers-p.Taken, p.Answers, p.Judged))}
		}
		t.Rows = append(t.Rows, []report.Cell{{Text: p.Name}, answers, whole(p.Judged), calls, whole(p.Input), whole(p.Output), usd})
	}
	t.NoteTitle("judged: judged before, and not again; output and dollars are upper bounds: "+
		"each reply as long as allowed, and none repeated", "no model was called")
	return (&report.Document{Tables: []*report.Table{t}}).Write(a.stdout, "text")
}

// judgedMetrics adds the metrics of verdicts to others.
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
