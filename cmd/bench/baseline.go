package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"recallbench/internal/config"
	"recallbench/internal/config/suite"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/internal/text/suggest"
)

func newBaselineCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "baseline",
		Short: "Compare runs with a named baseline",
		Long: `A baseline is a reviewed run, reduced to its settings, its scores, and the time and
cost of each answer. It holds no questions, answers or evidence, so that it can be
committed even if the data cannot.

Baselines are in results/baselines below the working directory, or in the folder
that BENCH_BASELINES or --baselines names; 'bench runs list' lists them. 'bench table'
and 'bench compare' take the name of a baseline in place of a run's folder; 'bench
gate' takes it as --baseline.`,
		Args: verbArgs,
		RunE: help,
	}
	cmd.AddCommand(newBaselineSetCommand(a, time.Now))
	return cmd
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

// baselineNames lists the names of the baselines in a folder. A missing folder has
// none.
func baselineNames(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, e := range entries {
		if _, ok := namedBaseline(e.Name(), folder); ok {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// unknownBaseline is the error of a name that no baseline has; it lists those that exist.
func unknownBaseline(name, baselines string) error {
	folder := baselineFolder(baselines)
	names, err := baselineNames(folder)
	return errors.Join(err, fmt.Errorf("%s; baselines are looked up in %s", suggest.Unknown("baseline", name, names), folder))
}

func completeBaselines(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	names, _ := baselineNames(baselineFolder("")) // without a list there is no suggestion
	return names, cobra.ShellCompDirectiveDefault
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
			dir, b, h, err := flags.bless(args[0], args[1], now().UTC().Truncate(time.Second))
			if err != nil {
				return usageError(err)
			}
			rows, err := summarize(dir)
			if err != nil {
				return err
			}
			if err := record.WriteSummary(dir, rows); err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.stdout, "%s: run %s, %d answers in %d cells\n", dir, h.ID, requestsOf(b), len(h.Cells))
			return err
		},
	}
	baselinesFlag(cmd, &flags.baselines)
	flags.edits.add(cmd)
	cmd.Flags().StringVar(&flags.note, "note", "", "the reason, a `text` for later readers")
	cmd.Flags().BoolVar(&flags.force, "force", false, "replace a baseline, or accept a run that would be refused")
	return cmd
}

// bless writes a run as a baseline. It reports all objections at once; with force, only
// those that make it impossible.
func (f blessFlags) bless(name, run string, now time.Time) (dir string, b record.Baseline, h record.Header, err error) {
	dir = filepath.Join(baselineFolder(f.baselines), name)
	if name == latest {
		return dir, b, h, fmt.Errorf("baseline name is %q, which stands for the newest run; choose another", name)
	}
	if err := record.CheckBaselineName(name); err != nil {
		return dir, b, h, err
	}
	folder, h, err := record.Open(run, append(f.edits.options(), record.WithScores)...)
	if err != nil {
		return dir, b, h, err
	}
	r, err := scoredRun(run, f.edits.options()...)
	if err == nil && !f.force {
		err = worthy(dir, run, r)
	}
	if err != nil {
		return dir, b, h, err
	}
	spent, err := recordsSpent(folder, h)
	if err != nil {
		return dir, b, h, err
	}
	b = record.Baseline{Name: name, Spent: spent, Set: now, Note: f.note, Program: binary()}
	return dir, b, h, record.WriteBaseline(dir, b, r.Header, r.Scores)
}

// worthy reports all objections to a run as a baseline.
func worthy(dir, run string, r *report.Run) error {
	var faults []error
	refuse := func(bad bool, format string, args ...any) {
		if bad {
			faults = append(faults, fmt.Errorf(format+"; --force does it anyway", args...))
		}
	}
	h := r.Header
	refuse(record.IsBaseline(dir), "the baseline %s exists, and this run would replace it", filepath.Base(dir))
	if h.Shard != nil {
		refuse(true, "%s is shard %d of %d; 'bench resume' joins them", run, h.Shard.Index, h.Shard.Of)
	}
	refuse(h.Status != record.Complete, "%s is %s; 'bench resume %[1]s' finishes it", run, h.Status)
	planned, scored, failed := 0, 0, 0
	for _, c := range h.Cells {
		planned += c.Planned
	}
	for s, err := range r.Scores {
		if err != nil {
			return err
		}
		scored++
		if s.Status != record.OK {
			failed++
		}
	}
	refuse(scored != planned && h.Status == record.Complete, "%s has scores of %d of %d questions; 'bench score' scores the rest of a run, but an imported file has no more answers", run, scored, planned)
	limit := 0.0 // of a run without a config, whose answers were made elsewhere
	c, err := config.Load(record.Folder(run).Config(), suite.Plugins())
	if err == nil {
		limit = c.Limits.Errors
	} else if !errors.Is(err, fs.ErrNotExist) {
		faults = append(faults, err)
	}
	refuse(float64(failed) > limit*float64(max(scored, 1)), "%d of %d questions of %s failed, above the limit of %v", failed, scored, run, limit)
	return errors.Join(faults...)
}

func requestsOf(b record.Baseline) (n int) {
	for _, s := range b.Spent {
		n += s.Requests
	}
	return n
}
