package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPaper writes the floats of a manuscript: their labels are those of the list, and
// all of them compile together.
func TestPaper(t *testing.T) {
	run := offlineRun(t, 3, 4, "")
	dir := t.TempDir()
	file := filepath.Join(dir, "paper.yaml")
	text := fmt.Sprintf(`
tables:
  - {label: main, caption: "Quality & cost of 100 %%", bench: [table, %[1]q, --columns, f1@mem0], take: jsonl}
  - {label: cost, caption: Tokens, bench: [table, %[1]q, --columns, tokens-query], take: jsonl}
figures:
  - {label: front, caption: A_B, bench: [plot, %[1]q, --figure, pareto]}
names: {f1@mem0: Token F1}
`, run)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	must(t, "paper", file)
	first := make(map[string]string)
	for name, want := range map[string]string{
		"tab-main.tex":  "Token F1",
		"tab-cost.tex":  `\label{tab:cost}`,
		"fig-front.tex": "Token F1",
	} {
		data, err := os.ReadFile(filepath.Join(dir, "paper", name))
		if err != nil || strings.Count(string(data), `\label{`) != 1 || !strings.Contains(string(data), want) {
			t.Errorf("%s, %v: want one label, and %s in\n%s", name, err, want, data)
		}
		first[name] = string(data)
	}
	for name, want := range map[string]string{"tab-main.tex": `\caption{Quality \& cost of 100 \%`, "fig-front.tex": "\\caption{A\\_B}\n\\label{fig:front}"} {
		if !strings.Contains(first[name], want) {
			t.Errorf("%s has no %s:\n%s", name, want, first[name])
		}
	}
	must(t, "paper", file, "--out", filepath.Join(dir, "again"))
	for name, want := range first {
		if data, err := os.ReadFile(filepath.Join(dir, "again", name)); err != nil || string(data) != want {
			t.Errorf("%s is another file the second time, %v", name, err)
		}
	}
	requireLatex(t)
	cmd := exec.CommandContext(t.Context(), "pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-draftmode", paperFile)
	cmd.Dir = filepath.Join(dir, "paper")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("pdflatex: %v\n%s", err, out)
	}
}

// TestPaperFaults reports all faults of a list, and writes nothing.
func TestPaperFaults(t *testing.T) {
	dir := t.TempDir()
	runDir := offlineRun(t, 1, 2, "")
	for text, want := range map[string]string{
		"tables: []":                             "no tables and no figures",
		"tables: [{label: A b, bench: [table]}]": "want lower-case letters",
		"tables: [{label: a, bench: [run, x.yaml]}, {label: a, bench: [table]}]": `"a" is the label of another one already`,
		"tables: [{label: a, bench: [run, x.yaml]}]":                             "begins with one of table, compare",
		"figures: [{label: a, bench: [plot, x, --out, y]}]":                      "leave --out and --format away",
		"tables: [{label: a, bench: [table, " + runDir + "]}]":                   `take is "", want one of the tables jsonl`,
		"tables: [{label: a, bench: [table, none]}]":                             "tab a: ",
		"tabels: []": `did you mean "tables"`,
	} {
		file := write(t, "paper.yaml", text)
		r := run(t, "paper", file, "--out", filepath.Join(dir, "out"))
		if r.code != exitUsage || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: exit %d, want %d and %s\n%s", text, r.code, exitUsage, want, r.stderr)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
		t.Error("a list with faults has written something")
	}
}
