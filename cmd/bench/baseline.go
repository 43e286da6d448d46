package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"recallbench/internal/calc/lists"
	"recallbench/internal/config"
	"recallbench/internal/config/suite"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/internal/text/suggest"
)

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
	var faults []error
	for _, objection := range []struct {
		holds bool
		text  string
	}{
		{record.IsBaseline(dir), fmt.Sprintf("the baseline %s exists, and this run would replace it", filepath.Base(dir))},
		{r.Header.Shard != nil, fmt.Sprintf("%s is a shard; 'bench resume' joins them", r.Folder)},
		{r.Header.Status != record.Complete, fmt.Sprintf("%s is %s; 'bench resume %[1]s' finishes it", r.Folder, r.Header.Status)},
		{answers != planned && r.Header.Status == record.Complete, fmt.Sprintf("%s has scores of %d of %d questions", r.Folder, answers, planned)},
		{float64(failed) > limit*float64(max(answers, 1)), fmt.Sprintf("%d of %d questions of %s failed, above the limit of %v", failed, answers, r.Folder, limit)},
	} {
		if objection.holds {
			faults = append(faults, errors.New(objection.text+"; --force does it anyway"))
		}
	}
	return errors.Join(faults...)
}
