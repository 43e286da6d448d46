package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"recallbench/internal/backend/calls"
)

func newCallsCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "calls",
		Short: "List, check, prune and move recorded model calls",
		Long: `Calls looks after the recordings of model calls, which runs write and read in
the modes record, reuse and replay. The folder of the recordings is --store,
$BENCH_CALLS, or results/calls. docs/recordings.md says what is recorded.`,
		Args: verbArgs,
		RunE: help,
	}
	cmd.AddCommand(
		newCallsListCommand(a),
		newCallsShowCommand(a),
		newCallsVerifyCommand(a),
		newCallsPruneCommand(a),
		newCallsExportCommand(a),
		newCallsImportCommand(a),
	)
	return cmd
}

func storeFlag(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "store", "", "`folder` of the recordings (default $BENCH_CALLS, results/calls)")
}

// callsFolder returns the folder of the recordings, which must be there.
func (a *app) callsFolder(named string) (string, error) {
	dir := callsDir(named, a.env)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", usageError(fmt.Errorf("there are no recordings: %s is no folder; --store or BENCH_CALLS names another", dir))
	}
	return dir, nil
}

func (a *app) openCalls(named string) (*calls.Store, error) {
	dir, err := a.callsFolder(named)
	if err != nil {
		return nil, err
	}
	s, err := calls.OpenToRead(dir, a.log())
	return s, usageError(err)
}

// stamp writes a time to the second.
func stamp(t time.Time) string { return t.UTC().Format(time.DateTime) }

// sizeOf writes a number of bytes.
func sizeOf(n int64) string {
	switch {
	case n < 1e3:
		return fmt.Sprintf("%d B", n)
	case n < 1e6:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	case n < 1e9:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	default:
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	}
}

// callsDir returns the folder of the recordings: what a flag or a config says,
// else $BENCH_CALLS, else results/calls below the working directory.
func callsDir(named string, env func(string) string) string {
	return cmp.Or(named, env("BENCH_CALLS"), filepath.Join("results", "calls"))
}
