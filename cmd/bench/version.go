package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"recallbench/internal/result/record"
)

// version is the released version; builds between releases say "devel".
var version = "devel"

func newVersionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, the commit and the platform",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			b := binary()
			line := "bench " + b.Version
			if b.Commit != "" {
				line += " " + b.Commit
			}
			if b.Dirty {
				line += " (with local changes)"
			}
			_, err := fmt.Fprintf(a.stdout, "%s %s %s\n", line, b.Go, b.Host)
			return err
		},
	}
}

func binary() record.Binary {
	b := record.Binary{Version: version, Go: runtime.Version(), Host: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Dirty = s.Value == "true"
		}
	}
	return b
}
