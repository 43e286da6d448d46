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

	"recallbench/internal/result/record"
	"recallbench/internal/text/suggest"
)

func newBaselineCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "baseline",
		Short: "Compare runs with a named baseline",
		Long: `A baseline is a run that a person has blessed, kept small: its settings and
scores, and how long its requests took and what they cost, but no questions,
answers or evidence. It may be committed where the data may not.

Baselines lie in results/baselines of the working directory, or in the folder
that BENCH_BASELINES or --baselines names. 'bench table' and 'bench compare'
take the name of one in place of a run's folder, 'bench gate' as --baseline.`,
		Args: verbArgs,
		RunE: help,
	}
	cmd.AddCommand(
		newBaselineSetCommand(a, time.Now),
		newBaselineListCommand(a),
	)
	return cmd
}

func baselinesFlag(cmd *cobra.Command, folder *string) {
	cmd.Flags().StringVar(folder, "baselines", "", "`folder` of the baselines (default BENCH_BASELINES, or results/baselines)")
	cobra.CheckErr(cmd.MarkFlagDirname("baselines"))
}

// baselineFolder is where baselines are kept: the folder that a flag gives, or
// BENCH_BASELINES, or results/baselines in the working directory.
func baselineFolder(flag string) string {
	return cmp.Or(flag, os.Getenv("BENCH_BASELINES"), filepath.Join("results", "baselines"))
}

// namedBaseline returns the folder of the baseline of a name, and whether there is
// one.
func namedBaseline(name, baselines string) (string, bool) {
	dir := filepath.Join(baselineFolder(baselines), name)
	return dir, record.CheckBaselineName(name) == nil && record.IsBaseline(dir)
}

// baselineNames lists the baselines in a folder, by name. A folder that is not
// there has none.
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

// unknownBaseline says that there is no baseline of a name, and which there are.
func unknownBaseline(name, baselines string) error {
	folder := baselineFolder(baselines)
	names, err := baselineNames(folder)
	return errors.Join(err, fmt.Errorf("%s; they are looked for in %s", suggest.Unknown("baseline", name, names), folder))
}

func completeBaselines(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	names, err := baselineNames(baselineFolder(""))
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return names, cobra.ShellCompDirectiveDefault
}
