package report

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"recallbench/internal/testkit/try"
)

// texFault is a line of a log about what does not fit, or one with the name of a
// document.
var texFault = regexp.MustCompile(`(?m)^(?:Overfull \\hbox .*|document: .*)$`)

// compile sets LaTeX as it stands in a document of one column of a width, and
// returns what does not fit. It skips t without pdflatex.
func compile(t *testing.T, width, tables string) []string {
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
	log := try.Get(os.ReadFile(filepath.Join(dir, "main.log")))(t)
	var faults []string
	name := ""
	for _, line := range texFault.FindAllString(string(log), -1) {
		if n, ok := strings.CutPrefix(line, "document: "); ok {
			name = n
			continue
		}
		faults = append(faults, name+": "+line)
	}
	return faults
}

func tail(s string, n int) string { return s[max(0, len(s)-n):] }

// The tables that people print most fit a page, the plainest of them the
// narrowest that is common.
func TestLaTeXFits(t *testing.T) {
	one := func() []*Run { return []*Run{standInRun()} }
	two := func() []*Run { return []*Run{standInRun(), llamaRun()} }
	seeds := func() []*Run { return []*Run{seedsRun()} }
	type document struct {
		name   string
		runs   func() []*Run
		change func(*Options)
	}
	for page, documents := range map[string][]document{
		"5.5in": {
			{"main", one, func(*Options) {}},
			{"runs", two, func(*Options) {}},
		},
		"6.5in": {
			{"category", one, func(o *Options) { o.By, o.Intervals = Category, true }},
			{"against", one, func(o *Options) { o.Against = "stateless" }},
			{"beside", two, func(o *Options) { o.Published = []string{"xmemory-table1"} }},
			{"seeds", seeds, func(o *Options) { o.Intervals = true }},
		},
	} {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			for _, doc := range documents {
				o := fakeOptions()
				doc.change(&o)
				d := try.Get(Build(doc.runs(), o))(t)
				fmt.Fprintf(&b, "\\typeout{document: %s}\n%s\n\\clearpage\n", doc.name, render(t, d, "latex"))
			}
			for _, fault := range compile(t, page, b.String()) {
				t.Error(fault)
			}
		})
	}
}

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
