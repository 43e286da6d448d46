package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/try"
)

// TestSweepsManual runs the commands of docs/sweeps.md on its own files.
func TestSweepsManual(t *testing.T) {
	longtest.Skip(t)
	longtest.SkipRace(t)
	home := try.Get(os.Getwd())(t)
	manual := filepath.Join("..", "..", "docs", "sweeps.md")
	text := read(t, manual)
	t.Chdir(t.TempDir())
	for _, block := range strings.Split(text, "```yaml\n# ")[1:] {
		name, rest, _ := strings.Cut(block, "\n")
		content, _, _ := strings.Cut(rest, "```\n")
		try.Do(t, os.WriteFile(name, []byte(content), 0o644))
	}
	plans := must(t, "run", "grid.yaml", "--plan").stdout + must(t, "run", "ablation.yaml", "--plan").stdout
	must(t, "doctor", "--faults", "grid.yaml", "--set", "matrix.methods.RAG.options.k=[5, 10, 20]")
	must(t, "doctor", "--faults", "grid.yaml", "--set", "methods.RAG.options.k=7", "--set", "seed=3")
	t.Chdir(home)
	golden.Check(t, "sweeps.txt", plans)
}
