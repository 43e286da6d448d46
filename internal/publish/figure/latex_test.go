package figure

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/testkit/try"
)

// The TeX compiles alone and within a document, whatever the labels are. It takes
// pdflatex with pgf; where BENCH_REQUIRE_LATEX is set the test fails without them.
func TestLaTeX(t *testing.T) {
	latex := latexOrSkip(t)
	dir := t.TempDir()
	for _, f := range []*Figure{front(), ablation(), hostile(), heat()} {
		var b bytes.Buffer
		try.Do(t, f.Write(&b, "tex", Size{Height: 2.5}))
		try.Do(t, os.WriteFile(filepath.Join(dir, f.Name+".tex"), b.Bytes(), 0o644))
	}
	paper := `\documentclass[twocolumn]{article}\usepackage{pgf}\begin{document}Before.
\input{pareto.tex} \begin{figure}\input{ablation.tex}\caption{Made up.}\end{figure} \input{hostile.tex}
\input{heat.tex} After.\end{document}`
	try.Do(t, os.WriteFile(filepath.Join(dir, "paper.tex"), []byte(paper), 0o644))
	for _, name := range []string{"ablation", "paper"} {
		cmd := exec.CommandContext(t.Context(), latex, "-interaction=nonstopmode", "-halt-on-error", name+".tex")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out[max(0, len(out)-2000):])
		} else if !strings.Contains(string(out), "(1 page") {
			t.Errorf("%s has not one page:\n%s", name, out[max(0, len(out)-500):])
		}
	}
}

func latexOrSkip(t *testing.T) string {
	t.Helper()
	missing := "pdflatex is not installed"
	latex, err := exec.LookPath("pdflatex")
	if err == nil {
		out, err := exec.CommandContext(t.Context(), "kpsewhich", "pgf.sty").Output()
		if err == nil && len(out) > 0 {
			return latex
		}
		missing = "the LaTeX package pgf is not installed"
	}
	if os.Getenv("BENCH_REQUIRE_LATEX") != "" {
		t.Fatal(missing)
	}
	t.Skip(missing + "; BENCH_REQUIRE_LATEX=1, which .ci/run sets, makes this a failure")
	return ""
}
