package report

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/testkit/try"
)

// compile sets LaTeX as it stands in a document of one column of a width. It skips t
// without pdflatex.
func compile(t *testing.T, width, tables string) {
	t.Helper()
	if _, err := exec.LookPath("pdflatex"); err != nil {
		if os.Getenv("BENCH_REQUIRE_LATEX") == "1" {
			t.Fatalf("pdflatex: %v, and BENCH_REQUIRE_LATEX=1", err)
		}
		t.Skipf("pdflatex: %v", err)
	}
	dir := t.TempDir()
	for name, s := range map[string]string{
		"table.tex": tables,
		"main.tex": `\documentclass{article}
\usepackage{booktabs,graphicx}
\setlength\textwidth{` + width + `}\setlength\textheight{9in}\setlength\topmargin{0pt}\setlength\headheight{0pt}\setlength\headsep{0pt}
\begin{document}
\input{table}
\end{document}
`,
	} {
		try.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(s), 0o644))
	}
	cmd := exec.CommandContext(t.Context(), "pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-file-line-error", "-draftmode", "main.tex")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("pdflatex: %v\n%s", err, tail(string(out), 2000))
	}
}

func tail(s string, n int) string { return s[max(0, len(s)-n):] }

// Every character of the first planes is printed or shown by its code point.
func TestLaTeXCharacters(t *testing.T) {
	var b strings.Builder
	for first := rune(0); first < 0x3000; first += 64 {
		var s strings.Builder
		for r := first; r < first+64; r++ {
			s.WriteRune(r)
		}
		source := tex(printable(s.String(), longestCell))
		fmt.Fprintf(&b, "%s\n\n", source)
	}
	compile(t, "6.5in", b.String())
}
