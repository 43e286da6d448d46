package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/testkit/try"
)

// begun writes the header of a run as far as it is read to find the latest.
func begun(t *testing.T, folder, content string) {
	t.Helper()
	try.Do(t, os.MkdirAll(folder, 0o755))
	try.Do(t, os.WriteFile(filepath.Join(folder, "run.json"), []byte(content), 0o644))
}

// TestLatest takes the newest run by its name in every verb that takes a run.
func TestLatest(t *testing.T) {
	config := write(t, "small.yaml", smallConfig)
	t.Chdir(t.TempDir())
	if r := run(t, "table", "latest"); r.code != exitUsage || !strings.Contains(r.stderr, "there is no latest run: "+pastRuns+" has none") {
		t.Errorf("no run: exit %d\n%s", r.code, r.stderr)
	}
	must(t, "run", config, "--display", "none")
	made, err := filepath.Glob(filepath.Join(pastRuns, "*"))
	if err != nil || len(made) != 1 {
		t.Fatalf("%v, %v", made, err)
	}
	is := "bench: latest is " + made[0] + "\n"
	for _, args := range [][]string{
		{"table", "latest"},
		{"score", "latest"},
		{"runs", "show", "latest"},
		{"plot", "latest"},
		{"gate", "latest"},
		{"resume", "latest", "--display", "none"},
		{"diff", "latest:stateless", "latest:Naive RAG"},
		{"compare", "latest:stateless", "latest:Naive RAG"},
		{"baseline", "set", "mine", "latest"},
		{"report", "latest", "--out", "page.html"},
		{"export", "latest", "--format", "csv", "--out", "out.csv"},
		{"judge", "people", "export", "latest", "--out", "sheets"},
	} {
		r := run(t, args...)
		if !strings.Contains(r.stderr, is) {
			t.Errorf("bench %q: exit %d, does not say %q\n%s", args, r.code, is, r.stderr)
		}
		if rest := strings.ReplaceAll(r.stderr, is, ""); strings.Contains(rest, "latest") {
			t.Errorf("bench %q: its messages name latest and not the folder\n%s", args, rest)
		}
	}
	// A folder of the name comes first.
	begun(t, "latest", `{}`)
	if r := run(t, "table", "latest"); !strings.Contains(r.stderr, fmt.Sprint("latest", string(filepath.Separator), "run.json")) {
		t.Errorf("a folder called latest: exit %d\n%s", r.code, r.stderr)
	}
}
