package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recallbench/internal/calc/lists"
	"recallbench/internal/config"
	"recallbench/internal/config/suite"
	"recallbench/internal/door/fault"
	"recallbench/internal/publish/gate"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/internal/text/suggest"
)

func newGateCommand(a *app) *cobra.Command {
	var flags gateFlags
	cmd := &cobra.Command{
		Use:   "gate RUN",
		Short: "Check a run against rules and a baseline",
		Long: `Gate checks a scored run against rules and, if they need one, a baseline: the name
of a baseline, or the folder of any scored run. The exit code is 4 if the rules fail
on one of the verdicts.

Without --rules, no column in which higher is better may be significantly worse than
in the baseline, over all questions or in a category, and at most one percent more of
the questions may fail:

  ` + strings.ReplaceAll(strings.TrimSpace(gate.DefaultText()), "\n", "\n  ") + `

Differences of scores are tested on the questions that both runs have, as in 'bench
compare'; errors, latency, cost and ratios are checked without a test. What cannot be
tested, or is not comparable, fails too, unless the rules say otherwise (docs/ci.md).

Verdicts that are not listed are stable. On GitHub Actions, gate also writes a step summary.`,
		Example: `  bench gate results/runs/20260101T000000Z-ci-1a2b3c4d --baseline main
  bench gate RUN --baseline main --rules gate.yaml --out gate.xml --out gate.json
  bench gate RUN --rules floor.yaml`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			result, err := flags.check(args[0])
			if err != nil {
				return usageError(err)
			}
			if err := flags.print(a, result); err != nil {
				return err
			}
			if result.Failed {
				return withExit(exitGate, errSilent)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&flags.baseline, "baseline", "", "`name` of a baseline, or the folder of a baseline or scored run")
	cmd.Flags().StringVar(&flags.rules, "rules", "", "`file` of rules (default: the rules above)")
	choiceFlag(cmd, &flags.unit, "unit", "", units, "what tests treat as independent: each `sample` (a conversation) or each request (a question) (default: what the rules say, else sample)")
	cmd.Flags().BoolVar(&flags.acceptTwo, "accept-two", false, "test differences of two conversations, too, as accept_two in the rules does")
	baselinesFlag(cmd, &flags.baselines)
	flags.edits.add(cmd)
	choiceFlag(cmd, &flags.format, "format", "text", gate.Formats(), "`format` of the output: "+strings.Join(gate.Formats(), ", "))
	cmd.Flags().StringArrayVar(&flags.files, "out", nil, "also write this `file`, in the format of its name: .md, .json, .xml (JUnit) or .txt; may be repeated")
	cmd.Flags().BoolVar(&flags.all, "all", false, "list stable verdicts, too")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("baseline", completeBaselines))
	return cmd
}

type gateFlags struct {
	baseline, baselines, rules string
	unit                       string
	acceptTwo                  bool
	edits                      editsFlag
	format                     string
	files                      []string
	all                        bool
}

// check checks a run against the rules and the baseline.
func (g *gateFlags) check(run string) (*gate.Result, error) {
	for _, file := range g.files {
		if gate.FormatOf(file) == "" {
			return nil, fmt.Errorf("--out: %s ends in %q, want .txt, .md, .json or .xml", file, filepath.Ext(file))
		}
	}
	if g.baseline == "" && g.rules == "" {
		return nil, errors.New("give --baseline NAME or DIR, or --rules FILE with rules that have neither margin nor ratio")
	}
	rules := gate.Default()
	if g.rules != "" {
		data, err := os.ReadFile(g.rules)
		if err != nil {
			return nil, fmt.Errorf("--rules: %w", err)
		}
		if rules, err = gate.Parse(g.rules, data); err != nil {
			return nil, err
		}
	}
	rules.Unit = cmp.Or(gate.Unit(g.unit), rules.Unit)
	rules.AcceptTwo = rules.AcceptTwo || g.acceptTwo
	subject, err := gateSubject(run, g.edits)
	if err != nil {
		return nil, err
	}
	var base *gate.Subject
	if g.baseline != "" {
		dir, ok := namedBaseline(g.baseline, g.baselines)
		if !ok {
			if dir = g.baseline; !record.IsRun(dir) {
				return nil, unknownBaseline(dir, g.baselines)
			}
		}
		if base, err = gateSubject(dir, g.edits); err != nil {
			return nil, err
		}
	}
	return gate.Check(rules, *subject, base, reportOptions())
}

// gateSubject opens a scored run, or a baseline.
func gateSubject(arg string, edits editsFlag) (*gate.Subject, error) {
	r, err := scoredRun(arg, edits)
	return &gate.Subject{Run: r, Spent: func() ([]record.Spent, error) { return r.Folder.Spent(r.Header) }}, err
}

// print writes a result to stdout, to the files, and, if it runs the command, to
// GitHub Actions.
func (g *gateFlags) print(a *app, r *gate.Result) error {
	if err := r.Write(a.stdout, g.format, g.all); err != nil {
		return err
	}
	for _, file := range g.files {
		if err := a.writeOut(file, func(w io.Writer) error { return r.Write(w, gate.FormatOf(file), g.all) }); err != nil {
			return err
		}
	}
	summary := a.env("GITHUB_STEP_SUMMARY")
	if summary == "" {
		return nil
	}
	f, err := os.OpenFile(summary, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return usageError(fmt.Errorf("GITHUB_STEP_SUMMARY: %w", err))
	}
	return errors.Join(r.Write(f, "markdown", false), f.Close())
}

func newBaselineCommand(a *app) *cobra.Command {
	return newGroup("baseline", "Compare runs with a named baseline", `A baseline is a reviewed run, reduced to its settings, its scores, and the time and
cost of each answer. It holds no questions, answers or evidence, so that it can be
committed even if the data cannot.

Baselines are in results/baselines below the working directory, or in the folder
that BENCH_BASELINES or --baselines names; 'bench runs list' lists them. 'bench table'
and 'bench compare' take the name of a baseline in place of a run's folder; 'bench
gate' takes it as --baseline.`,
		newBaselineSetCommand(a, time.Now),
	)
}

func baselinesFlag(cmd *cobra.Command, folder *string) {
	cmd.Flags().StringVar(folder, "baselines", "", "`folder` of the baselines (default BENCH_BASELINES, or results/baselines)")
	cobra.CheckErr(cmd.MarkFlagDirname("baselines"))
}

// baselineFolder returns the folder of the baselines: that of a flag, else
// BENCH_BASELINES, else results/baselines in the working directory.
func baselineFolder(flag string) string {
	return cmp.Or(flag, os.Getenv("BENCH_BASELINES"), filepath.Join("results", "baselines"))
}

// namedBaseline returns the folder of a baseline by name, and whether it exists.
func namedBaseline(name, baselines string) (string, bool) {
	dir := filepath.Join(baselineFolder(baselines), name)
	return dir, record.CheckBaselineName(name) == nil && record.IsBaseline(dir)
}

// baselineNames lists the names of the baselines in a folder, for suggestions.
func baselineNames(folder string) []string {
	found, _ := filepath.Glob(filepath.Join(folder, "*", "run.json")) // the pattern is right
	return lists.Map(found, func(path string) string { return filepath.Base(filepath.Dir(path)) })
}

// unknownBaseline is the error of a name that no baseline has; it lists those that exist.
func unknownBaseline(name, baselines string) error {
	folder := baselineFolder(baselines)
	return fmt.Errorf("%s; baselines are looked up in %s", suggest.Unknown("baseline", name, baselineNames(folder)), folder)
}

func completeBaselines(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return baselineNames(baselineFolder("")), cobra.ShellCompDirectiveDefault
}

type blessFlags struct {
	baselines, note string
	force           bool
	edits           editsFlag
}

func newBaselineSetCommand(a *app, now func() time.Time) *cobra.Command {
	var flags blessFlags
	cmd := &cobra.Command{
		Use:   "set NAME RUN",
		Short: "Save a run as a named baseline",
		Long: `Set saves what comparisons need of a run as the baseline NAME. Baselines are only
ever set by a person, who has reviewed the run and expects later runs to reach it.

Without --force, it refuses to replace a baseline, and refuses a run that is
unfinished, is a shard, or has more failed questions than its config allows.`,
		Example: `  bench baseline set main results/runs/20260101T000000Z-quickstart-1a2b3c4d --note "first run of release 1"
  bench baseline set main RUN --force --note "the reader's prompt is shorter: 1 point of F1 for half the tokens"`,
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := scoredRun(args[1], flags.edits)
			if err != nil {
				return usageError(err)
			}
			return flags.bless(a, args[0], r, now().UTC().Truncate(time.Second))
		},
	}
	baselinesFlag(cmd, &flags.baselines)
	flags.edits.add(cmd)
	cmd.Flags().StringVar(&flags.note, "note", "", "the reason, a `text` for later readers")
	cmd.Flags().BoolVar(&flags.force, "force", false, "replace a baseline, or accept a run that would be refused")
	return cmd
}

// bless writes a run as a baseline.
func (f blessFlags) bless(a *app, name string, r *report.Run, now time.Time) error {
	if name == latest {
		return usageError(fmt.Errorf("baseline name is %q, which stands for the newest run; choose another", name))
	}
	if err := record.CheckBaselineName(name); err != nil {
		return usageError(err)
	}
	if r.Header.Baseline != nil {
		return usageError(fmt.Errorf("%s is a baseline, which has the scores of a run, but no questions or answers", r.Folder))
	}
	dir := filepath.Join(baselineFolder(f.baselines), name)
	spent, err := r.Folder.Spent(r.Header)
	if err != nil {
		return err
	}
	rows, err := report.Summarize(r, spent, reportOptions())
	if err != nil {
		return err
	}
	answers, failed := 0, 0
	for _, row := range rows {
		answers, failed = answers+row.Requests, failed+row.Errors
	}
	if err := unworthy(dir, r, answers, failed); err != nil && !f.force {
		return usageError(err)
	}
	b := record.Baseline{Name: name, Spent: spent, Set: now, Note: f.note, Program: binary()}
	if err := record.WriteBaseline(dir, b, r.Header, r.Scores); err != nil {
		return usageError(err)
	}
	if err := record.WriteSummary(dir, rows); err != nil {
		return err
	}
	return a.say("%s: run %s, %d answers in %d cells", dir, r.Header.ID, answers, len(r.Header.Cells))
}

// unworthy reports all objections to a run with some scored answers, of which some failed,
// as a baseline.
func unworthy(dir string, r *report.Run, answers, failed int) error {
	planned := 0
	for _, c := range r.Header.Cells {
		planned += c.Planned
	}
	limit := 0.0 // of a run without a config, whose answers were made elsewhere
	if c, err := config.Load(r.Folder.Config(), suite.Plugins()); err == nil {
		limit = c.Limits.Errors
	}
	const force = "; --force does it anyway"
	complete := r.Header.Status == record.Complete
	var faults fault.List
	faults.Want(!record.IsBaseline(dir), "the baseline %s exists, and this run would replace it"+force, filepath.Base(dir))
	faults.Want(r.Header.Shard == nil, "%s is a shard; 'bench resume' joins them"+force, r.Folder)
	faults.Want(complete, "%s is %s; 'bench resume %[1]s' finishes it"+force, r.Folder, r.Header.Status)
	faults.Want(answers == planned || !complete, "%s has scores of %d of %d questions"+force, r.Folder, answers, planned)
	faults.Want(float64(failed) <= limit*float64(max(answers, 1)), "%d of %d questions of %s failed, above the limit of %v"+force, failed, answers, r.Folder, limit)
	return errors.Join(faults...)
}
