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
	bold   bool
}

// in returns the cell as it stands in a column that is broken or not.
func (c texCell) in(broken bool) string {
	s := c.source
	if broken {
		s = texBroken(c.text)
	}
	if c.bold {
		s = `\textbf{` + s + `}`
	}
	if broken && c.text != "" {
		s = `\broken ` + s
		if c.marks != "" {
			s += `\allowbreak`
		}
	}
	return s + c.marks
}

// texNumber takes a number apart: what stands before it, its whole part, its
// decimals, and the rest.
var texNumber = regexp.MustCompile(`^(~ )?([<+-]?)([0-9]+)(\.[0-9]+)?(.*)$`)

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
			c.cells = append(c.cells, texCell{source: source, text: s, marks: marks, bold: row[at].Best})
			c.widths = append(c.widths, em+wide)
		}
	}
	if len(c.widths) > 0 {
		c.natural = slices.Max(c.widths)
	}
	c.setHead(0)
	return c
}

// texNumbers lays out cells so that their points stand below each other: they
// are set flush right, and what some of them have behind the point more than
// others is left blank in these.
func (t *Table) texNumbers(c *texColumn, at int) {
	type part struct {
		lead, fraction, tail string
		lead1, tail1         float64 // widths
	}
	var parts []part
	var widest part
	for r, row := range t.Rows {
		var p part
		var rest string
		s := printable(t.cellText(r, at), longestCell)
		if row[at].Blank {
			parts = append(parts, p)
			continue
		}
		if m := texNumber.FindStringSubmatch(s); m != nil {
			p.lead, p.lead1 = texSigned(m[1], m[2])+m[3], float64(len(m[3]))/2+float64(len(m[1])+len(m[2]))*0.55
			p.fraction, rest = m[4], m[5]
		} else {
			p.lead, p.lead1 = tex(s)
		}
		p.tail, p.tail1 = tex(strings.TrimPrefix(rest, " "))
		if strings.HasPrefix(rest, " ") {
			p.tail, p.tail1 = "~"+p.tail, p.tail1+0.33
		}
		marks, em := texMarks(row[at].Mark, row[at].Notes)
		p.tail, p.tail1 = p.tail+marks, p.tail1+em
		if len(p.fraction) > len(widest.fraction) {
			widest.fraction = p.fraction
		}
		if p.tail1 > widest.tail1 {
			widest.tail, widest.tail1 = p.tail, p.tail1
		}
		parts = append(parts, p)
	}
	for r, p := range parts {
		if p.lead == "" {
			c.cells, c.widths = append(c.cells, texCell{}), append(c.widths, 0)
			continue
		}
		s := p.lead + p.fraction
		if t.Rows[r][at].Best {
			s = `\textbf{` + s + `}`
			p.lead1 *= 1.15
		}
		missing := widest.fraction[min(len(p.fraction), len(widest.fraction)):]
		c.cells = append(c.cells, texCell{source: s + texTail(missing, p.tail, widest.tail)})
		c.widths = append(c.widths, p.lead1+0.5*float64(len(widest.fraction))+widest.tail1)
	}
}

// texSigned returns what stands before a number as a sign of mathematics.
func texSigned(before, sign string) string {
	s := ""
	if before != "" {
		s = `$\sim$`
	}
	if sign != "" {
		s += "$" + sign + "$"
	}
	return s
}

// texTail sets what stands behind a number, of which some decimals are missing,
// to the width of the widest such.
func texTail(missing, tail, widest string) string {
	shape := func(s string) string {
		return strings.Map(func(r rune) rune {
			if '0' <= r && r <= '9' {
				return '0'
			}
			return r
		}, s)
	}
	phantom := func(s string) string {
		if s == "" {
			return ""
		}
		return `\phantom{` + s + `}`
	}
	switch {
	case tail == "":
		return phantom(missing + widest)
	case shape(tail) == shape(widest):
		return phantom(missing) + tail
	}
	return phantom(missing) + `\rlap{` + tail + `}` + phantom(widest)
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
		s = `\shortstack[` + at + `]{` + strings.Join(c.heads, `\\`) + `}`
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
