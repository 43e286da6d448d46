package main

import (
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/testkit/golden"
)

// TestErrors runs a config whose requests all fail: the run says why at its end,
// prints no published table, and the verb lists what failed.
func TestErrors(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	config := write(t, "small.yaml", smallConfig)
	r := run(t, "run", config, "--out", dir, "--display", "none", "--limit", "3",
		"--set", "limits.request.tokens=1", "--set", "published=[xmemory-table1]")
	if r.code != exitErrors || strings.Contains(r.stdout, "Nemori") || !strings.Contains(r.stdout, "stateless") {
		t.Errorf("exit %d, want %d, measured rows and no published ones\n%s", r.code, exitErrors, r.stdout)
	}
	golden.Check(t, "errors_run.txt", strings.ReplaceAll(r.stderr, dir, "DIR"))

	all := must(t, "runs", "show", dir, "--limit", "1").stdout
	_, all, _ = strings.Cut(all, "\nsmall: complete, begun ") // what bench run prints, then when it began
	_, all, _ = strings.Cut(all, "\n")
	golden.Check(t, "errors.txt", strings.ReplaceAll(all, dir, "DIR"))
	if r := must(t, "runs", "show", smallRun(t)); !strings.HasSuffix(r.stdout, "\n0 of 16 questions failed\n") {
		t.Error(r.stdout)
	}
}
