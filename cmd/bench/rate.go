package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"recallbench/internal/result/rating"
	"recallbench/internal/result/record"
	"recallbench/runners"
)

func newPeopleCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "people",
		Short: "Have people rate the answers of a run",
		Long: `People collects human ratings of how well answers continue the conversation (User
Continuity Satisfaction, 1 to 5) or, with --what correctness, of whether they are right.
Its sheets hide which method gave an answer; the verbs below write them, read them back
and summarise them. 'bench judge calibrate' compares judges with labels of correctness.
docs/rating.md is the guide.

No program rates: what people did not give is missing.`,
		Args: verbArgs,
		RunE: help,
	}
	cmd.AddCommand(newRateExportCommand(a), newRateImportCommand(a), newRateShowCommand(a))
	return cmd
}

// readAsked reads what raters were asked about a dataset of a run.
func readAsked(folder record.Folder, dataset, what string) (asked rating.Asked, err error) {
	path := askedPath(folder, dataset, what)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		more := ""
		if what == rating.Correctness {
			more = " --what " + what
		}
		return asked, fmt.Errorf("nothing of %s on %s was given to raters; 'bench judge people export %s%s' does so", folder, dataset, folder, more)
	}
	if err != nil {
		return asked, err
	}
	if err := json.Unmarshal(data, &asked); err != nil {
		return asked, fmt.Errorf("%s: %w", path, err)
	}
	return asked, nil
}

// readRatings reads the ratings that are stored.
func readRatings(folder record.Folder, dataset string) ([]rating.Rating, error) {
	var stored []rating.Rating
	for line, err := range record.Lines[rating.Rating](folder.Ratings(dataset)) {
		if err != nil {
			return nil, err
		}
		stored = append(stored, line.Value)
	}
	return stored, nil
}

func newRateShowCommand(a *app) *cobra.Command {
	var (
		out     output
		dataset string
		what    whatFlag
	)
	cmd := &cobra.Command{
		Use:     "show RUN",
		Short:   "Print the ratings of a run",
		Example: "  bench judge people show results/runs/mine",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			folder, header, err := record.Open(args[0])
			if err != nil {
				return usageError(err)
			}
			label, err := runners.RatedDataset(header, dataset)
			if err != nil {
				return usageError(err)
			}
			asked, err := readAsked(folder, label, string(what))
			if err != nil {
				return usageError(err)
			}
			if asked.What == rating.Correctness {
				return a.printCorrectness(out, folder, asked)
			}
			ratings, err := readRatings(folder, label)
			if err != nil {
				return usageError(err)
			}
			return a.printRatings(out, asked, ratings)
		},
	}
	out.add(cmd)
	addRated(cmd, &dataset)
	what.add(cmd)
	return cmd
}

func addRated(cmd *cobra.Command, dataset *string) {
	cmd.Flags().StringVar(dataset, "dataset", "", "`label` of the dataset, where the run has several")
}

// inside reports whether a path, which need not be there, lies in a folder.
func inside(path, folder string) bool {
	rel, err := filepath.Rel(resolved(folder), resolved(path))
	return err == nil && filepath.IsLocal(rel)
}

// resolved returns a path without links, as far as it is there.
func resolved(path string) string {
	full, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	for at, rest := full, ""; ; at, rest = filepath.Dir(at), filepath.Join(filepath.Base(at), rest) {
		if target, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(target, rest)
		}
		if at == filepath.Dir(at) {
			return full
		}
	}
}

// continuity is what sheets ask for by default.
const continuity = "continuity"

// A whatFlag says what people are asked.
type whatFlag string

func (w *whatFlag) add(cmd *cobra.Command) {
	*w = continuity
	cmd.Flags().Var(w, "what", "what people say of answers: `continuity`, 1 to 5, or correctness")
}

func (w *whatFlag) String() string { return string(*w) }

func (w *whatFlag) Type() string { return "text" }

func (w *whatFlag) Set(text string) error {
	if text != continuity && text != rating.Correctness {
		return fmt.Errorf("want %s or %s", continuity, rating.Correctness)
	}
	*w = whatFlag(text)
	return nil
}

// askedPath is the path of what people were asked about a dataset.
func askedPath(folder record.Folder, dataset, what string) string {
	if what == rating.Correctness {
		dataset += "." + what
	}
	return folder.Asked(dataset)
}
