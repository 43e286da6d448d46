package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recallbench/internal/backend/calls"
	"recallbench/internal/calc/lists"
	"recallbench/internal/config"
	"recallbench/internal/config/suite"
	"recallbench/internal/publish/judges"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/judge"
	"recallbench/internal/result/note"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
	"recallbench/internal/text/suggest"
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
columns, such as judge:strict@gpt-4o-mini. A run's config can have judges, too (docs/judging.md).`,
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

// judgedFlags choose judges of a run and how votes are combined.
type judgedFlags struct {
	judges  []string
	combine string
	edits   editsFlag
	out     output
}

func (f *judgedFlags) add(cmd *cobra.Command, combine string) {
	f.out.add(cmd)
	f.edits.add(cmd)
	cmd.Flags().StringSliceVar(&f.judges, "judge", nil, "`names` of judges, separated by commas (default: all of the run)")
	cmd.Flags().StringVar(&f.combine, "combine", combine, "how several votes become one score: `"+judge.Mean+" or "+judge.Majority+"`")
}

// open reads the answers of a run with the verdicts of its judges.
func (f *judgedFlags) open(folder record.Folder, h record.Header) (rows []judge.Row, o judges.Options, err error) {
	if err := oneOf("--combine", f.combine, []string{judge.Mean, judge.Majority}); err != nil {
		return nil, o, err
	}
	o = judges.Options{Combine: f.combine, Seed: h.Seed}
	if o.Judges, err = chooseJudges(h, f.judges); err != nil {
		return nil, o, err
	}
	rows, err = runners.JudgedRows(folder, h)
	return rows, o, err
}

func newJudgeShowCommand(a *app) *cobra.Command {
	var flags judgedFlags
	cmd := &cobra.Command{
		Use:   "show RUN",
		Short: "Compare the judges of a run",
		Long: `Show prints the score of each row by each judge, the range from the lowest to the
highest, and the agreement of the judges. Abstentions that the dataset does not explain
are left out. 'bench compare --columns judge:NAME' tests whether rows differ by a judge.`,
		Example: "  bench judge show results/runs/mine --combine majority",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			folder, header, err := record.Open(args[0], flags.edits.options()...)
			if err != nil {
				return usageError(err)
			}
			rows, o, err := flags.open(folder, header)
			if err != nil {
				return usageError(err)
			}
			o.Notes = append(judgeNotes(header, o.Judges), judges.UnaskedNotes(rows, o.Judges)...)
			return flags.out.write(a, judges.Document(rows, o))
		},
	}
	flags.add(cmd, judge.Mean)
	return cmd
}

// chooseJudges returns the names of judges of a run, all of them where none is named.
func chooseJudges(h record.Header, names []string) ([]string, error) {
	of := lists.Filter(h.Judges, func(j record.Judge) bool { return !slices.Contains(j.Columns, metrics.RefusalColumn) })
	have := lists.Map(of, func(j record.Judge) string { return j.Name })
	if h.Judge != nil {
		have = append([]string{runners.Unnamed}, have...)
	}
	if len(have) == 0 {
		return nil, fmt.Errorf("run %s was not judged; 'bench judge' has a language model judge its answers", h.ID)
	}
	for _, n := range names {
		if !slices.Contains(have, n) {
			return nil, errors.New(suggest.Unknown("judge", n, have))
		}
	}
	if len(names) > 0 {
		return names, nil
	}
	return have, nil
}

// judgeNotes returns notes that describe judges by name.
func judgeNotes(h record.Header, names []string) []string {
	var notes []string
	if h.Judge != nil && slices.Contains(names, runners.Unnamed) {
		notes = []string{fmt.Sprintf("%s: %s; %s", runners.Unnamed, h.Judge.Reader, h.Trust(h.Judge))}
	}
	for _, j := range h.Judges {
		if slices.Contains(names, j.Name) {
			notes = append(notes, j.Name+": "+h.Described(&j))
		}
	}
	return notes
}

type calibrateFlags struct {
	judgedFlags
	reference    string
	right, wrong string
}

func newJudgeCalibrateCommand(a *app) *cobra.Command {
	var flags calibrateFlags
	cmd := &cobra.Command{
		Use:   "calibrate RUN",
		Short: "Compare judges with labels, and correct their rates",
		Long: `Calibrate compares the judges of a run with people's labels of the same answers: it
prints how many right and how many wrong answers each judge accepts, and the corrected
rate of right answers. Labels come from the sheets of 'bench judge people' or the pages
of the run; only blind ones count. The result is saved with the run, and tables show it
in place of "uncalibrated". With --reference, --wrong or --right it is not saved.`,
		Example: `  bench judge calibrate results/runs/mine
  bench judge calibrate RUN --judge strict@gpt-4o-mini --reference recorded --wrong 'ap-*'`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return withLocked(args[0], flags.edits, func(folder record.Folder, header record.Header) error {
				d, err := flags.calibrate(folder, header)
				if err != nil {
					return usageError(err)
				}
				return flags.out.write(a, d)
			})
		},
	}
	flags.add(cmd, judge.Majority)
	cmd.Flags().StringVar(&flags.reference, "reference", "", "`name` of a judge whose verdicts are taken as the truth")
	cmd.Flags().StringVar(&flags.wrong, "wrong", "", "`pattern` of rows whose answers are all wrong")
	cmd.Flags().StringVar(&flags.right, "right", "", "`pattern` of rows whose answers are all right")
	return cmd
}

// calibrate compares judges with the truth, and saves the result if people said what is true.
func (f *calibrateFlags) calibrate(folder record.Folder, header record.Header) (*report.Document, error) {
	rows, o, err := f.open(folder, header)
	if err != nil {
		return nil, err
	}
	truth, err := f.refer(header, rows)
	people := truth == "" && err == nil
	var alpha *float64
	if people {
		var labels []note.Label
		if labels, err = note.Labels(folder); err == nil {
			truth, alpha, err = judges.LabelTruth(rows, labels)
		}
	}
	if err != nil {
		return nil, err
	}
	d := new(report.Document)
	for _, name := range slices.DeleteFunc(o.Judges, func(n string) bool { return n == f.reference }) {
		t := judges.Calibration(rows, name, o)
		t.NoteTitle(append([]string{"truth: " + truth}, judges.UnaskedNotes(rows, []string{name})...)...)
		d.Tables = append(d.Tables, t)
		if people {
			j := header.Judge
			if name != runners.Unnamed {
				j = header.FindJudge(name)
			}
			j.Calibrations = judges.Calibrations(rows, name, alpha, o)
		}
	}
	if len(d.Tables) == 0 {
		return nil, errors.New("the reference is the only judge; there is no other to compare with it")
	}
	if people {
		err = folder.WriteHeader(header)
	}
	return d, err
}

// refer sets the truth of answers by the flags, and says what it is; nothing without flags.
func (f *calibrateFlags) refer(h record.Header, rows []judge.Row) (string, error) {
	var parts []string
	if f.reference != "" {
		if _, err := chooseJudges(h, []string{f.reference}); err != nil {
			return "", fmt.Errorf("--reference: %w", err)
		}
		parts = append(parts, judges.JudgeTruth(rows, f.reference, f.combine))
	}
	for truth, pattern := range []string{f.wrong, f.right} {
		if pattern == "" {
			continue
		}
		about, err := judges.RowTruth(rows, pattern, float64(truth))
		if err != nil {
			return "", fmt.Errorf("--%s %w", []string{"wrong", "right"}[truth], err)
		}
		parts = append(parts, about)
	}
	return strings.Join(parts, "; "), nil
}

func newJudgeProbeCommand(a *app) *cobra.Command {
	var flags importFlags
	cmd := &cobra.Command{
		Use:   "probe --dataset NAME --out DIR",
		Short: "Build a run of answers known to be right or wrong",
		Long: `Probe makes a run folder of made-up answers to the questions of a dataset: the row
right-gold has the gold answers, wrong-other the gold answers to other questions. The
share of each row that a judge accepts shows how it errs:

` + strings.Join(lists.Map(judge.Probes(), func(p judge.Probe) string { return fmt.Sprintf("  %-14s  %s", p.Name, p.Doc) }), "\n") + `

'bench judge' judges the run like any other, and 'bench judge calibrate --wrong wrong-*'
prints the share of wrong answers that were accepted. The difference between wrong-injected
and wrong-other is the effect of an instruction in the answer.`,
		Example: `  bench judge probe --dataset locomo --out probes
  bench judge probes --model configs/models/openai.yaml --judge strict --sample '*=700'
  bench judge calibrate probes --wrong 'wrong-*'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if flags.dataset == "" || flags.out == "" {
				return usageError(errors.New("give the dataset and the folder of the run, as in --dataset locomo --out probes"))
			}
			return a.writeProbes(cmd.Context(), flags)
		},
	}
	flags.addDataset(cmd)
	return cmd
}

func (a *app) writeProbes(ctx context.Context, flags importFlags) error {
	into, err := a.openImport(ctx, flags)
	if err != nil {
		return err
	}
	defer into.Close()
	var cells []runners.ImportedCell
	for _, p := range judge.Probes() {
		answers := p.Answers(into.Golds)
		c := runners.ImportedCell{Label: p.Name, Answers: make([]*scored.Request, len(into.Golds))}
		n := 0
		for i, text := range answers {
			if text != nil {
				c.Answers[i] = &scored.Request{Record: record.Record{Answer: *text, Status: record.OK, Attempts: 1}}
				n++
			}
		}
		if n == 0 {
			continue
		}
		data, err := json.Marshal(answers)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(append(data, p.Name...))
		c.From = record.Imported{File: p.Name, Format: "probe", SHA256: hex.EncodeToString(sum[:]), Without: []metrics.Part{metrics.Evidence, metrics.Usage}}
		cells = append(cells, c)
	}
	if len(cells) == 0 {
		return usageError(fmt.Errorf("no question of %s has a gold answer to probe with", flags.dataset))
	}
	return a.writeImport(ctx, into, flags.out, "none", []*metrics.Spec{metrics.F1Mem0Spec}, cells)
}
