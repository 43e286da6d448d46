package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"recallbench/internal/config"
	"recallbench/internal/config/suite"
	"recallbench/internal/result/record"
)

func newBaselineSetCommand(a *app, now func() time.Time) *cobra.Command {
	var (
		baselines, note string
		force           bool
		edits           editsFlag
	)
	cmd := &cobra.Command{
		Use:   "set NAME RUN",
		Short: "Save a run as a named baseline",
		Long: `Set keeps what comparing needs of a run as the baseline NAME. Nothing sets a
baseline by itself: it says that a person has looked at the run and holds it for
what others should reach.

It refuses to replace a baseline. It refuses a run that is unfinished, is a shard,
or has more failed requests than its config allows. --force overrides this.`,
		Example: `  bench baseline set main results/runs/20260101T000000Z-quickstart-1a2b3c4d --note "first run of release 1"
  bench baseline set main RUN --force --note "the reader's prompt is shorter: 1 point of F1 for half the tokens"`,
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			name, run := args[0], args[1]
			if name == latest {
				return usageError(fmt.Errorf("baseline name is %q, which names the newest run; take another", name))
			}
			dir := filepath.Join(baselineFolder(baselines), name)
			b, err := bless(name, run, force || !record.IsBaseline(dir), force, edits.options()...)
			if err != nil {
				return usageError(err)
			}
			b.Set, b.Note, b.Program = now().UTC().Truncate(time.Second), note, binary()
			r, err := scoredRun(run, edits.options()...)
			if err != nil {
				return usageError(err)
			}
			if err := record.WriteBaseline(dir, b, r.Header, r.Scores); err != nil {
				return usageError(fmt.Errorf("baseline %s: %w", name, err))
			}
			rows, err := summarizeBaseline(dir)
			if err != nil {
				return err
			}
			if err := record.WriteSummary(dir, rows); err != nil {
				return err
			}
			size, err := folderSize(dir)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.stdout, "%s: run %s, %d requests of %d cells, %.1f kB\n", dir, b.Run, requestsOf(b), len(r.Header.Cells), float64(size)/1000)
			return err
		},
	}
	baselinesFlag(cmd, &baselines)
	edits.add(cmd)
	cmd.Flags().StringVar(&note, "note", "", "why, as `text` for those who come later")
	cmd.Flags().BoolVar(&force, "force", false, "replace a baseline, or take a run that would be refused")
	return cmd
}

// bless checks that a run can be a baseline, and sums up its records. All that
// speaks against it is reported at once; with force only what makes it impossible.
func bless(name, dir string, free, force bool, options ...record.Option) (record.Baseline, error) {
	if err := record.CheckBaselineName(name); err != nil {
		return record.Baseline{}, err
	}
	folder, h, err := record.Open(dir, append(options, record.WithScores)...)
	if err != nil {
		return record.Baseline{}, err
	}
	var faults []error
	refuse := func(format string, args ...any) {
		if !force {
			faults = append(faults, fmt.Errorf(format+"; --force does it all the same", args...))
		}
	}
	if !free {
		refuse("there is a baseline %s, and this run would take its place", name)
	}
	if h.Shard != nil {
		refuse("%s is shard %d of %d; 'bench resume' joins them", dir, h.Shard.Index, h.Shard.Of)
	}
	if h.Status != record.Complete {
		refuse("%s is %s; 'bench resume %s' finishes it", dir, h.Status, dir)
	}
	planned, scored, failed, err := countScores(dir, h, options...)
	if err != nil {
		return record.Baseline{}, errors.Join(append(faults, err)...)
	}
	if scored != planned && h.Status == record.Complete {
		remedy := "'bench score " + dir + "' makes them"
		if h.Imported() {
			remedy = "its file holds no more answers"
		}
		refuse("%s has scores of %d of %d requests; %s", dir, scored, planned, remedy)
	}
	limit, err := errorLimit(folder)
	if err != nil {
		return record.Baseline{}, errors.Join(append(faults, err)...)
	}
	if share := float64(failed) / float64(max(scored, 1)); share > limit {
		refuse("%d of %d requests of %s failed, above the limit of %v", failed, scored, dir, limit)
	}
	if len(faults) > 0 {
		return record.Baseline{}, errors.Join(faults...)
	}
	spent, err := record.SpentBy(h, cellRecords(folder))
	return record.Baseline{Name: name, Run: h.ID, Spent: spent}, err
}

// countScores counts the requests that a run was to ask, those that are scored,
// and those of them that failed.
func countScores(dir string, h record.Header, options ...record.Option) (planned, scored, failed int, err error) {
	for _, c := range h.Cells {
		planned += c.Planned
	}
	r, err := scoredRun(dir, options...)
	if err != nil {
		return 0, 0, 0, err
	}
	for s, err := range r.Scores {
		if err != nil {
			return 0, 0, 0, err
		}
		scored++
		if s.Status != record.OK {
			failed++
		}
	}
	return planned, scored, failed, nil
}

// errorLimit returns the share of failed requests that a run's config allows; 0
// for a run without a config, whose answers were made elsewhere.
func errorLimit(folder record.Folder) (float64, error) {
	config, err := config.Load(folder.Config(), suite.Plugins())
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return config.Limits.Errors, nil
}

func requestsOf(b record.Baseline) int {
	n := 0
	for _, s := range b.Spent {
		n += s.Requests
	}
	return n
}

// folderSize adds up the files of a folder, in bytes.
func folderSize(dir string) (int64, error) {
	var size int64
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}
