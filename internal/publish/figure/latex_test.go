package figure

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"recallbench/internal/testkit/try"
)

// The TeX compiles within a document, whatever the labels are. It takes pdflatex with
// pgf; where BENCH_REQUIRE_LATEX is set the test fails without them.
func TestLaTeX(t *testing.T) {
	latex, err := exec.LookPath("pdflatex")
	if err == nil {
		err = exec.CommandContext(t.Context(), "kpsewhich", "pgf.sty").Run()
	}
	if err != nil {
		if os.Getenv("BENCH_REQUIRE_LATEX") != "" {
			t.Fatalf("pdflatex with pgf: %v", err)
		}
		t.Skipf("pdflatex with pgf: %v; BENCH_REQUIRE_LATEX=1, which .ci/run sets, makes this a failure", err)
	}
	dir := t.TempDir()
	for _, f := range []*Figure{front(), ablation(), hostile()} {
		var b bytes.Buffer
		try.Do(t, f.Write(&b, "tex", Size{}))
		try.Do(t, os.WriteFile(filepath.Join(dir, f.Name+".tex"), b.Bytes(), 0o644))
	}
	paper := `\documentclass[twocolumn]{article}\usepackage{pgf,xcolor}\begin{document}Before.
\input{pareto.tex} \begin{figure}\input{ablation.tex}\caption{Made up.}\end{figure} \input{hostile.tex} After.\end{document}`
	try.Do(t, os.WriteFile(filepath.Join(dir, "paper.tex"), []byte(paper), 0o644))
	cmd := exec.CommandContext(t.Context(), latex, "-interaction=nonstopmode", "-halt-on-error", "paper.tex")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out[max(0, len(out)-2000):])
	}
}
