package main

import (
	"cmp"
	"runtime/debug"

	"github.com/spf13/cobra"

	"recallbench/internal/result/record"
)

// version is the version of a release, set by scripts/release.sh.
var version string

func newVersionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, the commit and the platform",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			b := binary()
			commit := cmp.Or(b.Commit, "(commit unknown)")
			if b.Dirty {
				commit += " (with local changes)"
			}
			return a.say("bench %s %s %s %s", b.Version, commit, b.Go, b.Host)
		},
	}
}

func binary() record.Binary {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = new(debug.BuildInfo)
	}
	return record.BinaryOf(version, info)
}
