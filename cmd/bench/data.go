package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"recallbench/datasets"
	datasetsuite "recallbench/datasets/suite"
	"recallbench/internal/calc/lists"
	"recallbench/internal/files/datadir"
	"recallbench/internal/text/suggest"
)

func newDataCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "data",
		Short: "List, fetch, verify, build and count the datasets",
		Long: `Data looks after the datasets that runs read. The folder of the data is the
first of these that is given or there, and no other is searched: --data,
BENCH_DATA, ./data, ../shared/datasets.`,
		Args: verbArgs,
		RunE: help,
	}
	cmd.AddCommand(
		newDataListCommand(a),
		newDataFetchCommand(a),
		newDataVerifyCommand(a),
		newDataStatsCommand(a),
		newDataExportCommand(a),
		newDataErrataCommand(a),
	)
	return cmd
}

func dataFlag(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "data", "", "root `folder` of the datasets (default $BENCH_DATA, ./data, ../shared/datasets)")
}

func completeDatasets(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return datasetNames(datasetsuite.All()), cobra.ShellCompDirectiveNoFileComp
}

func datasetNames(specs []*datasets.Spec) []string {
	return lists.Map(specs, func(s *datasets.Spec) string { return s.Name })
}

func completeFetchable(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return fetchable(), cobra.ShellCompDirectiveNoFileComp
}

// findDatasets finds datasets by name and reports all names that are unknown.
func findDatasets(names []string) ([]*datasets.Spec, error) {
	return findIn(datasetsuite.All(), names)
}

func findIn(all []*datasets.Spec, names []string) ([]*datasets.Spec, error) {
	var found []*datasets.Spec
	var faults []error
	for _, name := range names {
		i := slices.IndexFunc(all, func(s *datasets.Spec) bool { return s.Name == name })
		switch {
		case i < 0:
			faults = append(faults, errors.New(suggest.Unknown("dataset", name, datasetNames(all))))
		case !slices.Contains(found, all[i]):
			found = append(found, all[i])
		}
	}
	return found, usageError(errors.Join(faults...))
}

// say prints a line to stdout.
func (a *app) say(format string, args ...any) error {
	_, err := fmt.Fprintf(a.stdout, format+"\n", args...)
	return err
}

// columns prints text to stdout with the columns that its tabs part.
func (a *app) columns(text string) error {
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	if _, err := io.WriteString(w, text); err != nil {
		return err
	}
	return w.Flush()
}

// searched says where the data was looked for: the folder, or that none was
// found.
func searched(dir string) string {
	if dir != "" {
		return dir
	}
	return fmt.Sprintf("none: no --data, no %s, no ./data, no ../shared/datasets", datadir.Env)
}

// A fileState says what is there of a file, by its size alone.
type fileState string

const (
	present   fileState = "present"
	missing   fileState = "missing"
	otherSize fileState = "another size"
)

func stateOf(dir string, s *datasets.Spec, f datasets.File) fileState {
	if dir == "" {
		return missing
	}
	path := filepath.Join(dir, s.Home(), filepath.FromSlash(f.Name))
	info, err := os.Stat(path)
	switch {
	case err == nil && info.Mode().IsRegular() && (f.Size == 0 || info.Size() == f.Size):
		return present
	case err == nil:
		return otherSize
	}
	return missing
}

// dataState says what is there of a dataset.
func dataState(dir string, s *datasets.Spec) string {
	switch {
	case s.Embedded:
		return "embedded"
	case len(s.Files) == 0:
		return "your files"
	}
	var states []string
	for _, f := range s.FilesOf() {
		if state := string(stateOf(dir, s, f)); !f.License && !slices.Contains(states, state) {
			states = append(states, state)
		}
	}
	if len(states) > 1 && len(s.Parts()) > 0 {
		return "in part"
	}
	return strings.Join(states, ", ")
}
