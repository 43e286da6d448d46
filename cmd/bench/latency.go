package main

import (
	"errors"
	"fmt"
	"iter"
	"path/filepath"

	"github.com/spf13/cobra"

	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
)

func newLatencyCommand(a *app) *cobra.Command {
	var (
		out   output
		warm  int
		edits editsFlag
	)
	cmd := &cobra.Command{
		Use:   "latency RUN...",
		Short: "Print how long the stages of requests took",
		Long: `Latency prints, for each method of the runs, how many milliseconds its requests
spent in each stage: mean, median and 95th percentile. Stages are those that the
method names; of semantic-anchoring they are embed, dense, annotate, symbolic and
fusion, and the published means stand beside the three that the paper prints.

Times are no part of a result: they differ between machines and runs. To measure
as the paper does, ask one request after another:

  bench run CONFIG --set concurrency.requests=1 --set concurrency.samples=1`,
		Example: `  bench latency results/runs/20260101T000000Z-quickstart-1a2b3c4d
  bench latency RUN --warm 100 --format csv`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if warm < 0 {
				return usageError(fmt.Errorf("--warm is %d, want at least 0", warm))
			}
			runs, err := timedRuns(args, edits.options()...)
			if err != nil {
				return usageError(err)
			}
			doc, err := report.Latency(runs, warm)
			if err != nil {
				return err
			}
			return out.print(a, doc)
		},
	}
	out.add(cmd)
	edits.add(cmd)
	cmd.Flags().IntVar(&warm, "warm", 10, "requests of each method to leave out, from the first that was asked")
	return cmd
}

// timedRuns opens run folders and reports all that cannot be.
func timedRuns(dirs []string, options ...record.Option) ([]*report.Timed, error) {
	var runs []*report.Timed
	var faults []error
	for _, dir := range dirs {
		folder, header, err := record.Open(dir, options...)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		runs = append(runs, &report.Timed{Name: filepath.Base(filepath.Clean(dir)), Header: header, Records: timed(cellRecords(folder))})
	}
	return runs, errors.Join(faults...)
}

func cellRecords(folder record.Folder) func(record.Cell) iter.Seq2[record.Record, error] {
	return func(c record.Cell) iter.Seq2[record.Record, error] {
		return record.Values[record.Record](folder.Records(c.ID))
	}
}

// timed leaves out the records of imported answers that nobody knows the time of.
func timed(records func(record.Cell) iter.Seq2[record.Record, error]) func(record.Cell) iter.Seq2[record.Record, error] {
	return func(c record.Cell) iter.Seq2[record.Record, error] {
		return func(yield func(record.Record, error) bool) {
			for r, err := range records(c) {
				if c.Imported != nil && r.Time.Total == 0 && err == nil {
					continue
				}
				if !yield(r, err) {
					return
				}
			}
		}
	}
}
