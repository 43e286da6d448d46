package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recallbench/internal/backend/calls"
	"recallbench/internal/calc/lists"
	"recallbench/internal/config"
	"recallbench/internal/config/suite"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/judge"
	"recallbench/internal/result/record"
	"recallbench/runners"
)

type judgeFlags struct {
	runFlags
	model   string
	prompts string
	set     []string
	judges  []string
	samples map[string]int
	asking  config.Asking
	edits   editsFlag
}

func newJudgeCommand(a *app) *cobra.Command {
	var flags judgeFlags
	var audit float64
	var plan bool
	cmd := &cobra.Command{
		Use:   "judge RUN --model FILE",
		Short: "Have a language model judge the answers of a run",
		Long: `Judge asks a language model whether each answer of a run is right by the gold
answer, or states the expected facts. Then it scores the run again with the
metrics judge and pass@judge, and prints the results.

Each verdict is appended to the run folder at once. After Ctrl-C, a kill or an
empty account, the same command continues. Calls are recorded and replayed like
those of a run.

With --judge, other profiles ('bench list judges') judge instead, each with its own
columns, such as judge:strict@gpt-4o-mini. With --when unclear, judges are asked only
about answers that f1@span does not decide, and about a random audit of the others.
A run's config can have judges, too (docs/judging.md).`,
		Example: `  bench judge results/runs/20260101T000000Z-quickstart-1a2b3c4d --model configs/models/openai.yaml
  bench judge DIR --model configs/models/openai.yaml --set budget.usd=2 --prompts my-prompts
  bench judge DIR --model configs/models/openai.yaml --judge strict --judge longmemeval=prompts --plan`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("audit") {
				flags.asking.Audit = &audit
			}
			if plan {
				return a.planJudges(cmd.Context(), args[0], flags)
			}
			return withLocked(args[0], flags.edits, func(folder record.Folder, header record.Header) error {
				return a.judgeFolder(cmd.Context(), folder, header, flags)
			})
		},
	}
	flags.addCalls(cmd)
	flags.addDisplay(cmd)
	flags.edits.add(cmd)
	cmd.Flags().StringVar(&flags.model, "model", "", "`FILE` of the model entry that judges, such as configs/models/openai.yaml")
	cmd.Flags().StringVar(&flags.prompts, "prompts", "", "`folder` with your own prompt, "+judge.Prompt)
	cmd.Flags().StringArrayVar(&flags.set, "set", nil, "a setting of the judge's calls: `path=value` as in a config, such as budget.usd=2 or concurrency.requests=8; may be repeated")
	cmd.Flags().StringArrayVar(&flags.judges, "judge", nil, "`profile` to judge by, with =FOLDER for its authors' prompts; may be repeated")
	cmd.Flags().StringToIntVar(&flags.samples, "sample", nil, "judge only a `number` of answers of the rows that match a pattern, as in 'ap-*=200'; may be repeated")
	cmd.Flags().StringVar(&flags.asking.When, "when", "", "`unclear` judges only answers that f1@span does not decide, and an audit of the others")
	cmd.Flags().Float64Var(&audit, "audit", config.DefaultAudit, "`share` of the answers decided as right that the audit judges; for those decided as wrong it is 20 times as high")
	cmd.Flags().BoolVar(&plan, "plan", false, "print the calls and the cost of judging, and call nothing")
	cmd.AddCommand(newJudgeShowCommand(a), newJudgeCalibrateCommand(a), newJudgeProbeCommand(a), newPeopleCommand(a))
	return cmd
}

// A judging is a judge, and the config whose first model it asks.
type judging struct {
	runners.JudgeOptions
	config *config.Config
}

// newJudging finds the profile of a judge; one without a name has the column judge. A judge
// by rule asks no model; for any other, missing says what to give if there is none.
func newJudging(profile string, o runners.JudgeOptions, c *config.Config, missing string) (_ judging, err error) {
	if profile != "" {
		if o.Profile, err = judge.FindProfile(profile); err != nil {
			return judging{}, err
		}
	}
	if o.Profile != nil && o.Profile.Rule {
		return judging{o, &config.Config{Seed: c.Seed, Concurrency: config.Concurrency{Requests: 1}}}, nil
	}
	if missing != "" {
		return judging{}, errors.New(missing)
	}
	return judging{o, c}, nil
}

// judgings returns the judges that the flags name for a run of a seed: one without a profile
// if they name none.
func (f *judgeFlags) judgings(seed uint64) (judges []judging, err error) {
	faults := []error{f.asking.Validate()}
	c, missing := &config.Config{Seed: seed}, "give the model entry that judges, such as --model configs/models/openai.yaml"
	if f.model != "" {
		if c, err = modelConfig(f.model, seed, f.set...); err != nil {
			return nil, err
		}
		missing = ""
	}
	every := runners.JudgeOptions{Audit: f.asking.Share(), Sample: f.samples}
	if f.prompts != "" {
		every.Own = os.DirFS(f.prompts)
		if _, err := fs.Stat(every.Own, judge.Prompt); err != nil {
			faults = append(faults, fmt.Errorf("--prompts %s has no prompt for a judge: %w", f.prompts, err))
		}
	}
	if len(f.judges) == 0 {
		f.judges = []string{""}
	}
	for _, text := range f.judges {
		one := every
		var name string
		name, one.Authors, _ = strings.Cut(text, "=")
		j, err := newJudging(name, one, c, missing)
		judges, faults = append(judges, j), append(faults, err)
	}
	return judges, errors.Join(faults...)
}

// openJudges opens the judges of a config and closes them again, to find what keeps one
// from judging before anything is spent.
func (a *app) openJudges(ctx context.Context, c *config.Config, flags runFlags) (judges []judging, err error) {
	var faults []error
	for i, j := range c.Judges {
		own := *c
		own.Models, own.Exclude, own.Seeds = []config.Entry{j.Model}, nil, nil
		o := runners.JudgeOptions{Label: j.Label, Audit: c.Judge.Share()}
		if j.Prompts != "" {
			o.Authors = c.Path(j.Prompts)
		}
		missing := ""
		if j.Model.Use == "" {
			missing = "the key model is missing, which names the model that judges; see configs/models"
		}
		one, err := newJudging(j.Profile, o, &own, missing)
		if err != nil {
			faults = append(faults, fmt.Errorf("judges[%d]: %w", i, err))
		}
		judges = append(judges, one)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, usageError(err)
	}
	names := make(map[string]int)
	for i, one := range judges {
		err := a.withJudge(ctx, flags, one, func(j *runners.Judging) error {
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
func (a *app) withJudge(ctx context.Context, flags runFlags, one judging, do func(*runners.Judging) error) (err error) {
	mode, dir := a.recordings(one.config, flags)
	recorder, err := calls.OpenRecorder(mode, dir, a.log)
	if err != nil {
		return usageError(err)
	}
	env := runners.Env{Now: time.Now, Log: a.log, Getenv: a.env, Calls: recorder}
	j, err := runners.NewJudging(ctx, one.config, suite.Plugins(), env, one.JudgeOptions)
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

// judgeFolder judges, scores and prints a locked run folder.
func (a *app) judgeFolder(ctx context.Context, folder record.Folder, header record.Header, flags judgeFlags) (err error) {
	judges, err := flags.judgings(header.Seed)
	if err != nil {
		return usageError(err)
	}
	if err := a.startEvent(flags.runFlags, folder, header); err != nil {
		return err
	}
	sum, err := a.judgeAll(ctx, folder, &header, flags.runFlags, judges, "run the same command again to continue")
	var scored *freshRun
	if err == nil {
		scored, err = a.scoreRun(ctx, folder, header, runners.JudgedMetrics(header, header.Metrics))
	}
	if err == nil {
		err = a.printRun(scored, flags.json)
	}
	if err == nil {
		err = unjudged(folder, sum, "the same command")
	}
	if flags.json {
		err = errors.Join(err, a.event("done", map[string]any{"dir": folder, "judged": sum.Judged, "failed": sum.Failed, "taken": sum.Taken, "exit": exitCode(err)}))
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
		err := a.withJudge(ctx, flags, o, func(j *runners.Judging) error {
			result, err := j.Run(ctx, folder, *header, a.progress(flags.display))
			sum.Judged, sum.Failed, sum.Taken = sum.Judged+result.Judged, sum.Failed+result.Failed, sum.Taken+result.Taken
			if _, unfit := errors.AsType[runners.UnfitJudgeError](err); unfit {
				return usageError(err)
			}
			a.log.Info(result.Paid.String())
			if result.Taken > 0 {
				a.log.Info(fmt.Sprintf("f1@span decided %d answers without the judge", result.Taken))
			}
			if err == nil {
				header.SetJudge(result.Judge)
			}
			return stopped(ctx, err, fmt.Sprintf("%d judgements", result.Judged), "the verdicts", goOn)
		})
		if err != nil {
			return sum, err
		}
	}
	return sum, folder.Seal(header, nil, lists.Map(header.Cells, func(c record.Cell) string { return folder.Judgements(c.ID) })...)
}

// planJudges prints what judging a run would cost.
func (a *app) planJudges(ctx context.Context, dir string, flags judgeFlags) error {
	folder, header, err := record.Open(dir, flags.edits.options()...)
	if err != nil {
		return usageError(err)
	}
	judges, err := flags.judgings(header.Seed)
	if err != nil {
		return usageError(err)
	}
	t := &report.Table{Name: "plan", Title: "estimated calls and cost of judging", Columns: report.Numbers("judge", "answers", "judged", "calls", "input", "output", "dollars")}
	for _, one := range judges {
		err := a.withJudge(ctx, flags.runFlags, one, func(j *runners.Judging) error {
			p, err := j.Plan(folder, header)
			t.Rows = append(t.Rows, planRow(t, p, one.Audit != nil))
			return usageError(err)
		})
		if err != nil {
			return err
		}
	}
	t.NoteTitle("judged: judged before, and not again; output and dollars are upper bounds: "+
		"each reply as long as allowed, and none repeated", "no model was called")
	return (&report.Document{Tables: []*report.Table{t}}).Write(a.stdout, "text")
}

// planRow returns the row of a judge in the table of a plan.
func planRow(t *report.Table, p runners.JudgePlan, audit bool) []report.Cell {
	usd, calls, answers := report.Cell{Text: "not known"}, report.Whole(p.Calls), report.Whole(p.Answers)
	if p.USD != nil {
		usd = report.Decimal(*p.USD, 4, nil)
	}
	if p.Order > 0 {
		calls.Notes = []int{t.Note(fmt.Sprintf("and at least %d about the order of lines, up to one for each line and nugget, not included in the other figures", p.Order))}
	}
	if audit {
		answers.Notes = []int{t.Note(fmt.Sprintf("%d of %d answers go to the judge, %d of them judged before; f1@span decides the others", p.Answers-p.Taken, p.Answers, p.Judged))}
	}
	return []report.Cell{{Text: p.Name}, answers, report.Whole(p.Judged), calls, report.Whole(p.Input), report.Whole(p.Output), usd}
}
