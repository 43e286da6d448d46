package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

// A sweep over what memories are searched with builds them once, in its plan and
// when it runs.
const sweep = `
matrix: {methods.xmemory.options.search.episodes: [5, 10], methods.xmemory.options.search.uncertainty: [true, false]}
exclude: [{method: "xmemory, episodes=10, uncertainty=false"}]
`

func TestRunPlan(t *testing.T) {
	const methods = "methods=[{use: stateless}, {use: xmemory}]"
	home := try.Get(os.Getwd())(t)
	config := questions(t, 2, 2, sweep)
	t.Chdir(t.TempDir())
	text := must(t, "run", config, "--plan", "--set", methods).stdout
	if csv := must(t, "run", config, "--plan", "--set", methods, "--format", "csv").stdout; !strings.Contains(csv, `"xmemory, episodes=5, uncertainty=true"`) {
		t.Errorf("as CSV:\n%s", csv)
	}
	if left, err := os.ReadDir("."); err != nil || len(left) != 0 {
		t.Errorf("the plan has left %v behind (%v)", left, err)
	}
	for _, args := range [][]string{{"--plan", "--out", "x"}, {"--format", "csv"}, {"--plan", "--format", "cvs"}} {
		if got := run(t, append([]string{"run", config, "--set", methods}, args...)...); got.code != exitUsage || got.stdout != "" {
			t.Errorf("%v: exit %d\n%s%s", args, got.code, got.stdout, got.stderr)
		}
	}
	// What a config of somebody else names is no command to the terminal.
	try.Do(t, os.WriteFile("hostile.yaml", []byte(`extends: "no\e[31mfile\u202E.yaml"`), 0o644))
	if got := run(t, "run", "hostile.yaml", "--plan"); got.code != exitUsage || !strings.Contains(got.stderr, `open no\x1b[31mfile\u202e.yaml: `) {
		t.Errorf("a hostile name: exit %d\n%q", got.code, got.stderr)
	}
	must(t, "run", config, "--set", methods, "--out", "run", "--display", "none")
	// One memory of each sample for the three cells of xmemory.
	if kept, err := filepath.Glob(filepath.Join("run", "memories", "*", "*.jsonl")); err != nil || len(kept) != 2 {
		t.Errorf("the run has built %v (%v), want two memories", kept, err)
	}
	t.Chdir(home)
	golden.Check(t, "run_plan.txt", text)
}
