package report

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

	"recallbench/internal/text/latex"
)

// texHead begins a file of tables.
const texHead = `% Tables written by bench. To \input them the preamble needs:
%   \usepackage{booktabs,graphicx}
% and for LaTeX from before 2018 also \usepackage[utf8]{inputenc}.
`

// texFloats is how many tables LaTeX gets before it must place them all: it reports an error
// if it has to hold back too many.
const texFloats = 16

// latex writes the document as tables to \input, for pdflatex and the packages
// booktabs and graphicx. The best are bold, deviations in parentheses, and notes have letters
// and stand below the table. The label of a table is "tab:" and its name as in [Table.HTML].
// A table of many columns spans both columns of a two-column page, and one wider than the
// text is scaled down. Splitting long tables is left to the author.
//
// All text is escaped; a character missing in LaTeX's fonts is shown by its code point.
func (d *Document) latex(w io.Writer) error {
	var b strings.Builder
	b.WriteString(texHead)
	for i, t := range d.Tables {
		if i > 0 && i%texFloats == 0 {
			b.WriteString("\n\\clearpage\n")
		}
		b.WriteString("\n")
		t.latex(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// latex writes the table as a float.
func (t *Table) latex(b *strings.Builder) {
	p, environment := t.printed(printable), "table"
	if len(p.Columns) > 5 {
		environment = "table*"
	}
	title := tex(p.Title) + texMarks("", p.TitleNotes)
	if legend := p.legend(); legend != "" {
		title += ". " + tex(legend)
	}
	fmt.Fprintf(b, "\\begin{%s}\n\\centering\n\\caption{%s}\n\\label{tab:%s}\n\\smallskip\n", environment, title, anchor(p.Name))
	if len(p.Rows) > 0 && len(p.Columns) > 0 {
		p.tabular(b)
	}
	if len(p.Notes) > 0 {
		b.WriteString("\\par\\smallskip\n\\begin{minipage}{\\linewidth}\n\\footnotesize\\raggedright\n")
		for i, n := range p.Notes {
			fmt.Fprintf(b, "\\textsuperscript{%s}~%s\\par\n", texNote(i+1), tex(n))
		}
		b.WriteString("\\end{minipage}\n")
	}
	fmt.Fprintf(b, "\\end{%s}\n", environment)
}

// texLong is the length from which texts of a column are broken into lines.
const texLong = 28

// tabular writes the cells.
func (t *Table) tabular(b *strings.Builder) {
	var types strings.Builder
	lines := make([][]string, len(t.Rows)+1)
	for i, c := range t.Columns {
		kind, before := "l", ""
		if c.Number {
			kind = "r"
		} else if slices.ContainsFunc(t.Rows, func(row []Cell) bool { return len(row[i].Text) > texLong }) {
			kind, before = "p{8em}", `\broken `
		}
		types.WriteString(kind)
		lines[0] = append(lines[0], tex(c.Head)+texMarks("", c.Notes))
		for r, row := range t.Rows {
			cell := texCell(c, row[i])
			if cell != "" {
				cell = before + cell
			}
			lines[r+1] = append(lines[r+1], cell)
		}
	}
	if strings.Contains(types.String(), "p") {
		// LaTeX breaks a first word only if something precedes it.
		b.WriteString("\\def\\broken{\\raggedright\\hspace{0pt}}\n")
	}
	b.WriteString("\\small\\setlength{\\tabcolsep}{4pt}\n\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n")
	fmt.Fprintf(b, "\\begin{tabular}{@{}%s@{}}\n\\toprule\n", types.String())
	for i, cells := range lines {
		b.WriteString(strings.Join(cells, " & ") + texEnd)
		if i == 0 {
			b.WriteString("\\midrule\n")
		}
	}
	b.WriteString("\\bottomrule\n\\end{tabular}}\n")
}

// texEnd ends a row. In a column of broken texts, \\ would end a line within a cell.
const texEnd = " \\tabularnewline\n"

// texNumber matches a number with its sign and anything in parentheses after it.
var texNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([<+-]?)([0-9.]+)( \(.*)?$`) })

// texCell returns a cell with its marks.
func texCell(column Column, c Cell) string {
	number, behind := tex(c.Text), ""
	if m := texNumber().FindStringSubmatch(c.Text); m != nil && column.Number {
		if number = m[2]; m[1] != "" {
			number = "$" + m[1] + "$" + number
		}
		if m[3] != "" {
			behind = "~" + tex(m[3][1:])
		}
	}
	if c.Best {
		number = `\textbf{` + number + `}`
	}
	return number + behind + texMarks(c.Mark, c.Notes)
}

// tex escapes a text for LaTeX. Long words may be broken into lines.
func tex(s string) string {
	const shortest, longest = 6, 20 // pieces of a word
	var b strings.Builder
	word := 0
	var before rune
	for _, r := range strings.TrimLeft(s, " ") {
		if word++; r == ' ' || r == '-' {
			word = 0 // LaTeX breaks after these on its own
		} else if word > longest || word > shortest && strings.ContainsRune("/_.:@=,|", before) {
			b.WriteRune(latex.Break)
			word = 1
		}
		b.WriteRune(r)
		before = r
	}
	return latex.Escape(b.String())
}

// texNote returns the letter of a note: a to z, then aa. A digit after a number would look
// like an exponent.
func texNote(n int) string {
	letter := string(rune('a' + (n-1)%26))
	if n > 26 {
		return texNote((n-1)/26) + letter
	}
	return letter
}

// texMarks returns the superscript after a text: a mark, then the letters of notes.
func texMarks(mark string, notes []int) string {
	var raised []string
	switch {
	case mark == shownNot:
		raised = append(raised, `$\sim$`)
	case mark != "":
		raised = append(raised, mark)
	}
	for _, n := range once(notes) {
		raised = append(raised, texNote(n))
	}
	if len(raised) == 0 {
		return ""
	}
	return `\textsuperscript{` + strings.Join(raised, ",") + `}`
}
