package report

import (
	"regexp"
	"slices"
	"strings"
)

// A texColumn is a column as LaTeX sets it. Widths are in the size of the font.
type texColumn struct {
	Column
	cells   []texCell
	heads   []string  // the lines of its head
	marks   string    // behind the last of them
	widths  []float64 // of cells
	natural float64   // of the widest cell
	head    float64   // of the widest line of its head
	set     float64   // the width that its texts are broken to, 0 for none
}

// A texCell is a cell as LaTeX sets it.
type texCell struct {
	source string
	text   string // that may be broken, empty for a number
	marks  string
	wide   float64 // width of the marks
	bold   bool
}

// in returns the cell as it stands in a column that is broken to a width, 0 for
// none.
func (c texCell) in(set float64) string {
	broken := set > 0
	s := c.source
	if broken {
		s = texBroken(c.text)
	}
	if c.bold {
		s = `\textbf{` + s + `}`
	}
	if broken && c.text != "" {
		s = `\broken ` + s
		if _, em := tex(c.text[strings.LastIndexByte(c.text, ' ')+1:]); em+c.wide > set {
			s += `\allowbreak`
		}
	}
	return s + c.marks
}

// texColumn lays out the cells of a column, of which above gives the row that
// stands above a row, negative for none.
func (t *Table) texColumn(at int, above []int) *texColumn {
	c := &texColumn{Column: t.Columns[at]}
	if c.Number {
		t.texNumbers(c, at)
	} else {
		for r, row := range t.Rows {
			if t.alike(r, above[r], at) {
				c.cells, c.widths = append(c.cells, texCell{}), append(c.widths, 0)
				continue
			}
			s := printable(t.cellText(r, at), longestCell)
			source, em := tex(s)
			marks, wide := texMarks(row[at].Mark, row[at].Notes)
			c.cells = append(c.cells, texCell{source: source, text: s, marks: marks, wide: wide, bold: row[at].Best})
			c.widths = append(c.widths, em+wide)
		}
	}
	if len(c.widths) > 0 {
		c.natural = slices.Max(c.widths)
	}
	c.setHead(0)
	return c
}

// setHead breaks the head into lines of a width, 0 for one line.
func (c *texColumn) setHead(width float64) {
	head := printable(c.under(), longestCell)
	var lines []string
	if width == 0 {
		lines = []string{head}
	} else {
		lines = texLines(head, width)
	}
	marks, em := texMarks("", c.Notes)
	c.marks, c.heads, c.head = marks, nil, 0
	for i, line := range lines {
		s, wide := tex(line)
		if i == len(lines)-1 {
			wide += em
		}
		c.heads = append(c.heads, s)
		c.head = max(c.head, wide)
	}
}

// texBreaks are where a head may be broken.
var texBreaks = regexp.MustCompile(`[^ @(./-]*[./-]|[@(]?[^ @(./-]+|.`)

// texLines breaks a head into lines of about a width, or that of what cannot be
// broken.
func texLines(head string, width float64) []string {
	var lines []string
	line := ""
	pieces := texBreaks.FindAllString(head, -1)
	for _, piece := range pieces {
		_, em := tex(piece)
		width = max(width, em)
	}
	for _, piece := range pieces {
		if _, em := tex(line + piece); line != "" && em > width {
			lines = append(lines, strings.TrimSpace(line))
			line = ""
		}
		line += piece
	}
	return append(lines, strings.TrimSpace(line))
}

// headCell returns the head as a cell of the table.
func (c *texColumn) headCell() string {
	s := c.heads[0]
	if len(c.heads) > 1 {
		at := "l"
		if c.Number {
			at = "r"
		}
		s = `\begin{tabular}[b]{@{}` + at + `@{}}` + strings.Join(c.heads, `\\`) + `\end{tabular}`
	}
	return s + c.marks
}

// room returns the width of the column.
func (c *texColumn) room() float64 {
	if c.set > 0 {
		return c.set
	}
	return max(c.natural, c.head)
}
