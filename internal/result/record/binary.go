package record

import (
	"runtime"
	"runtime/debug"
)

// BinaryOf describes a binary by its release version, if it has one, and by the build
// information of Go. A module installed by version has that version and a checksum.
// Other builds are "devel": Go derives their version from the commit, which is recorded,
// too.
func BinaryOf(release string, info *debug.BuildInfo) Binary {
	b := Binary{Version: "devel", Go: runtime.Version(), Host: runtime.GOOS + "/" + runtime.GOARCH}
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
