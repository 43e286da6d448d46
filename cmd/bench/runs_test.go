package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRuns(t *testing.T) {
	root := t.TempDir()
	config := write(t, "small.yaml", smallConfig)
	first, second := filepath.Join(root, "first"), filepath.Join(root, "second")
	screen := must(t, "run", config, "--out", first, "--display", "none", "--limit", "6").stdout
	must(t, "run", config, "--out", second, "--display", "none", "--limit", "3")
	list := must(t, "runs", "list", root).stdout
	for _, want := range []string{"2 runs", first, second, "complete", "sample"} {
		if !strings.Contains(list, want) {
			t.Errorf("the list has no %q:\n%s", want, list)
		}
	}
	if shown := must(t, "runs", "show", first).stdout; !strings.HasPrefix(shown, screen) || !strings.Contains(shown, "complete, begun ") {
		t.Errorf("bench run printed\n%s\nand bench runs show\n%s", screen, shown)
	}

	// A folder that is no run keeps those beside it from being removed.
	other := filepath.Join(root, "other")
	if err := os.Mkdir(other, 0o755); err != nil {
		t.Fatal(err)
	}
	if r := run(t, "runs", "remove", first, other, "--yes"); r.code != exitUsage || !strings.Contains(r.stderr, "it has no run.json") {
		t.Errorf("exit %d, want %d\n%s", r.code, exitUsage, r.stderr)
	}
	if r := must(t, "runs", "remove", first); !strings.Contains(r.stdout, "would remove "+first) {
		t.Errorf("without --yes it says\n%s", r.stdout)
	}
	if _, err := os.Stat(first); err != nil {
		t.Fatal(err)
	}
	must(t, "runs", "remove", first, "--yes")
	if list := must(t, "runs", "list", root).stdout; strings.Contains(list, first) || !strings.Contains(list, second) {
		t.Errorf("the list after removing one has\n%s", list)
	}
}
