package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/longtest"
)

const tablesManual = "../../docs/tables.md"

// TestTablesManual has the parts of docs/tables.md that commands print, and holds
// the verb to what it says of formats, labels and LaTeX.
func TestTablesManual(t *testing.T) {
	longtest.Skip(t)
	longtest.SkipRace(t)
	manual := read(t, tablesManual)
	config := write(t, "ablation.yaml", fenced(t, manual, "```yaml\n"))
	dir := filepath.Join(t.TempDir(), "run")
	must(t, "run", config, "--out", dir, "--display", "none")

	ablation := []string{"table", dir, "--ablation=full", "--unit", "request"}
	text := must(t, ablation...).stdout
	golden.Check(t, "tables_ablation.txt", text)

	t.Run("formats", func(t *testing.T) {
		for ext, start := range map[string]string{".tex": "% Tables", ".html": "<!DOCTYPE html>", ".HTM": "<!DOCTYPE html>", ".csv": "table,", ".json": "{", ".md": "### ", ".txt": "ablation of"} {
			file := filepath.Join(t.TempDir(), "table"+ext)
			must(t, append(ablation, "--out", file)...)
			if got := read(t, file); !strings.HasPrefix(got, start) {
				t.Errorf("%s begins %.40q, want %q", ext, got, start)
			}
		}
	})
	t.Run("labels", func(t *testing.T) {
		if got := must(t, "table", dir, "--ablation", "Full", "--unit", "request").stdout; got != text {
			t.Errorf("a label behind a blank prints\n%s", got)
		}
		for _, c := range []struct {
			args []string
			want string
		}{
			{[]string{"--ablation", "auto"}, `name one of "Full", "one block", "short blocks"`},
			{[]string{"--ablation", "Ful"}, `unknown method label "Ful"; did you mean "Full"?`},
		} {
			if r := run(t, append([]string{"table", dir}, c.args...)...); r.code != exitUsage || !strings.Contains(r.stderr, c.want) {
				t.Errorf("%q: exit %d, want %d, and %q in\n%s", c.args, r.code, exitUsage, c.want, r.stderr)
			}
		}
	})
	t.Run("latex", func(t *testing.T) {
		var files []string
		for _, args := range [][]string{
			{"--ci"}, {"--against", "Full"}, {"--by", "category", "--seeds"}, {"--ablation=Full"}, {"--published", "xmemory-table1"},
		} {
			files = append(files, filepath.Join(t.TempDir(), "table.tex"))
			must(t, slices.Concat([]string{"table", dir, "--out", files[len(files)-1]}, args)...)
		}
		latex(t, files)
	})
}

// latex sets files of tables on a page of 6.5 inches, where all of them have to
// fit. It skips t without pdflatex.
func latex(t *testing.T, files []string) {
	t.Helper()
	requireLatex(t)
	var b strings.Builder
	b.WriteString("\\documentclass{article}\n\\usepackage{booktabs,graphicx}\n\\setlength\\textwidth{6.5in}\n\\begin{document}\n")
	for _, file := range files {
		b.WriteString("\\input{" + file + "}\\clearpage\n")
	}
	b.WriteString("\\end{document}\n")
	cmd := exec.CommandContext(t.Context(), "pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-draftmode", write(t, "main.tex", b.String()))
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("pdflatex: %v\n%s", err, out)
	}
	if log := string(out); strings.Contains(log, "Overfull") {
		t.Errorf("a table does not fit:\n%s", log)
	}
}

// requireLatex skips t without pdflatex.
func requireLatex(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("pdflatex"); err != nil {
		if os.Getenv("BENCH_REQUIRE_LATEX") == "1" {
			t.Fatalf("pdflatex: %v, and BENCH_REQUIRE_LATEX=1", err)
		}
		t.Skipf("pdflatex: %v", err)
	}
}
