package figure

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// pgf writes the drawing for LaTeX with the package pgf, as a file that may be
// compiled alone or read into a document by \input. Its texts are in the font of
// the document; a character that not every LaTeX has is a question mark.
func (d *drawing) pgf(out io.Writer) error {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, `%% Compile this file, or \input it into a document with \usepackage{pgf}.
\begingroup\expandafter\expandafter\expandafter\endgroup
\expandafter\ifx\csname @nodocument\endcsname\relax
  \let\recallfigureend\relax
\else
  \documentclass{article}
  \usepackage{pgf}
  \usepackage[paperwidth=%[1]sbp,paperheight=%[2]sbp,margin=0pt]{geometry}
  \pagestyle{empty}\parindent0pt\topskip0pt\parskip0pt
  \def\recallfigureend{\end{document}}
  \begin{document}%%
\fi
\begin{pgfpicture}
\pgfpathrectangle{\pgfpointorigin}{\pgfqpoint{%[1]sbp}{%[2]sbp}}
\pgfusepath{use as bounding box}
`, short(d.w), short(d.h))
	last := ""
	for _, m := range d.marks {
		if c := hex(m.color); c != last {
			last = c
			fmt.Fprintf(w, "\\definecolor{recallfigure}{RGB}{%d,%d,%d}\\pgfsetcolor{recallfigure}\n", m.color.R, m.color.G, m.color.B)
		}
		switch m.kind {
		case letters:
			pgfText(w, m)
		case fill:
			pgfPath(w, m.path)
			fmt.Fprintln(w, "\\pgfusepath{fill}")
		case stroke:
			fmt.Fprintf(w, "\\pgfsetlinewidth{%sbp}", short(m.width))
			var dash strings.Builder
			for _, x := range m.dash {
				dash.WriteString("{" + short(x) + "bp}")
			}
			fmt.Fprintf(w, "\\pgfsetdash{%s}{0pt}\n", dash.String())
			pgfPath(w, m.path)
			fmt.Fprintln(w, "\\pgfusepath{stroke}")
		}
	}
	fmt.Fprint(w, "\\end{pgfpicture}%\n\\recallfigureend\n")
	return w.Flush()
}

// pgfText writes a text where its width does not matter.
func pgfText(w *bufio.Writer, m mark) {
	side := "left,"
	switch m.align {
	case 0.5:
		side = ""
	case 1:
		side = "right,"
	}
	series := ""
	if m.font.bold {
		series = `\bfseries `
	}
	fmt.Fprintf(w, "\\pgftext[%sbase,x=%sbp,y=%sbp,rotate=%s]{\\fontsize{%s}{%s}\\selectfont %s%s}\n", side,
		short(m.at.x), short(m.at.y), short(m.angle), short(m.font.size), short(m.font.line()), series, escapeTeX(m.text))
}

func pgfPath(w *bufio.Writer, p path) {
	place := func(at point) string {
		return "{\\pgfqpoint{" + short(at.x) + "bp}{" + short(at.y) + "bp}}"
	}
	for _, s := range p {
		switch s.op {
		case 'M':
			fmt.Fprintf(w, "\\pgfpathmoveto%s\n", place(s.to[0]))
		case 'L':
			fmt.Fprintf(w, "\\pgfpathlineto%s\n", place(s.to[0]))
		case 'C':
			fmt.Fprintf(w, "\\pgfpathcurveto%s%s%s\n", place(s.to[0]), place(s.to[1]), place(s.to[2]))
		case 'Z':
			fmt.Fprintln(w, "\\pgfpathclose")
		}
	}
}

// The characters that mean something to TeX or that its first fonts lack, and
// those beyond ASCII that LaTeX always has.
var inTeX = map[rune]string{
	'\\': `\textbackslash{}`, '{': `\{`, '}': `\}`, '$': `\$`, '&': `\&`, '#': `\#`, '_': `\_`, '%': `\%`,
	'^': `\textasciicircum{}`, '~': `\textasciitilde{}`, '<': `\textless{}`, '>': `\textgreater{}`, '|': `\textbar{}`,
	'-': `{-}`, '"': `{''}`, '\'': `{'}`, '`': "{`}",
	'–': `\textendash{}`, '—': `\textemdash{}`, '…': `\ldots{}`, '×': `$\times$`, '·': `$\cdot$`, '±': `$\pm$`, '≥': `$\ge$`, '≤': `$\le$`, '−': `$-$`,
}

func escapeTeX(s string) string {
	var b strings.Builder
	for _, r := range s {
		if tex, ok := inTeX[r]; ok {
			b.WriteString(tex)
		} else if r >= ' ' && r <= '~' {
			b.WriteRune(r)
		} else {
			b.WriteByte('?')
		}
	}
	return b.String()
}
