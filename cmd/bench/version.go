package main

import (
	"cmp"
	"runtime"
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
	return binaryOf(version, info)
}

// binaryOf describes a binary by its release version, if it has one, and by the build
// information of Go. A module installed by version has that version and a checksum.
// Other builds are "devel": Go derives their version from the commit, which is recorded,
// too.
func binaryOf(release string, info *debug.BuildInfo) record.Binary {
	b := record.Binary{Version: "devel", Go: runtime.Version(), Host: runtime.GOOS + "/" + runtime.GOARCH}
	switch {
	case release != "":
		b.Version = release
	case info.Main.Sum != "":
		b.Version = info.Main.Version
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
