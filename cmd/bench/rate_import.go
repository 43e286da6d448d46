package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/result/rating"
	"recallbench/internal/result/record"
	"recallbench/metrics"
	"recallbench/runners"
)

type rateImport struct {
	out     output
	dataset string
	what    whatFlag
	replace bool
}

func newRateImportCommand(a *app) *cobra.Command {
	var flags rateImport
	cmd := &cobra.Command{
		Use:   "import RUN FILE...",
		Short: "Read what raters filled in, check it and sum it up",
		Long: `Import reads sheets that raters filled in, as CSV or JSON, checks them, joins them
with the key and adds them to the run folder. Then it scores the run again with
the metric ucs, so that 'bench table' shows it and 'bench compare --columns ucs' tests it,
and prints what the ratings say.

What is said with --what correctness becomes labels among the notes of the run,
under the rater's name, which 'bench judge calibrate' reads and 'bench view' shows.

A line that nobody filled in is a missing rating. Anything else that is not right
is refused, all of it at once, and nothing is stored then.`,
		Example: `  bench judge people import results/runs/mine returned/*.csv`,
		Args:    cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.importRatings(cmd.Context(), args[0], args[1:], flags)
		},
	}
	flags.out.add(cmd)
	addRated(cmd, &flags.dataset)
	flags.what.add(cmd)
	cmd.Flags().BoolVar(&flags.replace, "force", false, "take a new rating where the same rater rated the same item otherwise before")
	return cmd
}

func (a *app) importRatings(ctx context.Context, dir string, names []string, flags rateImport) error {
	folder, header, unlock, err := openLocked(dir)
	if err != nil {
		return usageError(err)
	}
	defer unlock() //nolint:errcheck // the lock ends with the process at the latest
	label, err := runners.RatedDataset(header, flags.dataset)
	if err != nil {
		return usageError(err)
	}
	asked, err := readAsked(folder, label, string(flags.what))
	if err != nil {
		return usageError(err)
	}
	if asked.What == rating.Correctness {
		if err := importLabels(folder, asked, names, flags); err != nil {
			return usageError(err)
		}
		return a.printCorrectness(flags.out, folder, asked)
	}
	ratings, err := a.joined(folder, asked, names, flags)
	if err != nil {
		return usageError(err)
	}
	if err := folder.Unseal(&header, folder.Ratings(label)); err != nil {
		return err
	}
	err = record.WriteFile(folder.Ratings(label), func(w io.Writer) error {
		return jsonout.Lines(w, ratings...)
	})
	if err != nil {
		return err
	}
	if err := folder.Seal(&header, folder.Ratings(label), folder.Asked(label)); err != nil {
		return err
	}
	metricNames := slices.Clone(header.Metrics)
	metricNames = lists.AddNew(metricNames, metrics.UCSSpec.Name)
	if _, err := a.scoreRun(ctx, folder, header, metricNames); err != nil {
		return err
	}
	return a.printRatings(flags.out, asked, ratings)
}

// joined reads files and adds their ratings to those that are stored.
func (a *app) joined(folder record.Folder, asked rating.Asked, names []string, flags rateImport) ([]rating.Rating, error) {
	stored, err := readRatings(folder, asked.Dataset)
	if err != nil {
		return nil, err
	}
	added, err := filledIn(asked, names)
	if err != nil {
		return nil, err
	}
	return asked.Merge(stored, added, flags.replace)
}

// filledIn reads sheets that came back. Sheets on which nothing is filled in are an error.
func filledIn(asked rating.Asked, names []string) ([]rating.Rating, error) {
	var files []rating.File
	var faults []error
	for _, name := range names {
		data, err := os.ReadFile(name)
		faults = append(faults, err)
		files = append(files, rating.File{Name: name, Data: data})
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	added, err := asked.Read(files)
	if err == nil && len(added) == 0 {
		err = fmt.Errorf("nothing is filled in; read was %s", strings.Join(names, ", "))
	}
	return added, err
}
