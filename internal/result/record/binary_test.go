package record_test

import (
	"runtime/debug"
	"testing"

	"recallbench/internal/result/record"
)

func TestBinaryOf(t *testing.T) {
	setting := func(key, value string) debug.BuildSetting { return debug.BuildSetting{Key: key, Value: value} }
	clone := debug.BuildInfo{
		Main:     debug.Module{Version: "v0.0.0-20260101000000-1a2b3c4d5e6f"},
		Settings: []debug.BuildSetting{setting("vcs.revision", "1a2b3c4d5e6f"), setting("vcs.modified", "true")},
	}
	for name, test := range map[string]struct {
		release         string
		info            debug.BuildInfo
		version, commit string
		dirty           bool
	}{
		"a release":               {release: "v1.2.3", info: clone, version: "v1.2.3", commit: "1a2b3c4d5e6f", dirty: true},
		"a clone":                 {info: clone, version: "devel", commit: "1a2b3c4d5e6f", dirty: true},
		"installed as a module":   {info: debug.BuildInfo{Main: debug.Module{Version: "v1.2.3", Sum: "h1:x"}}, version: "v1.2.3"},
		"an archive, without git": {info: debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}, version: "devel"},
		"no information":          {version: "devel"},
	} {
		t.Run(name, func(t *testing.T) {
			b := record.BinaryOf(test.release, &test.info)
			if b.Version != test.version || b.Commit != test.commit || b.Dirty != test.dirty {
				t.Errorf("have version %q, commit %q, dirty %t; want %q, %q, %t", b.Version, b.Commit, b.Dirty, test.version, test.commit, test.dirty)
			}
		})
	}
}
