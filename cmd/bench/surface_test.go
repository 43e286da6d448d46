package main

import (
	"bytes"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"recallbench/internal/testkit/try"
)

// TestProfile writes a profile of a verb, and over nothing that a run consists of.
func TestProfile(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, "list", "metrics", "--cpuprofile", "cpu.out")
	if data := try.Get(os.ReadFile("cpu.out"))(t); !bytes.HasPrefix(data, []byte{0x1f, 0x8b}) { // gzip
		t.Errorf("the profile begins with %x", data[:min(8, len(data))])
	}
	config := write(t, "small.yaml", smallConfig)
	must(t, "run", config, "--out", "run", "--limit", "2", "--display", "none")
	if r := run(t, "table", "run", "--cpuprofile", "run/run.json"); r.code != exitUsage || !strings.Contains(r.stderr, "the folder of a run") {
		t.Errorf("over a run's file: exit %d: %s", r.code, r.stderr)
	}
}

// What a user can name stays small: verbs in groups, and names of flags over all of
// them.
func TestSurface(t *testing.T) {
	root := newRootCommand(&app{})
	verbs := 0
	for _, cmd := range root.Commands() {
		if cmd.GroupID != "" {
			verbs++
		}
	}
	if verbs > 24 {
		t.Errorf("%d verbs in groups, want 24 at most", verbs)
	}
	flags := make(map[string]bool)
	var visit func(*cobra.Command)
	visit = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) { flags[f.Name] = true })
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(root)
	if len(flags) > 110 {
		t.Errorf("%d names of flags, want 110 at most: %v", len(flags), slices.Sorted(maps.Keys(flags)))
	}
}
