package report

import (
	"regexp"
	"strings"
)

// texNumber takes a number apart: what stands before it, its whole part, its
// decimals, and what stands behind it in parentheses.
var texNumber = regexp.MustCompile(`^(~ )?([<+-]?)([0-9]+)(\.[0-9]+)?( \(.*)?$`)

// A texPart is a cell of a column of numbers, taken apart. Widths are in the size
// of the font.
type texPart struct {
	lead, fraction, tail string
	lead1, tail1         float64
	alone                bool // a text, whose characters stand below no others
}

func texPartOf(s string, c Cell) texPart {
	var p texPart
	if m := texNumber.FindStringSubmatch(s); m != nil {
		p.lead, p.lead1 = texSigned(m[1], m[2])+m[3], float64(len(m[3]))/2+float64(len(m[1])+len(m[2]))*0.55
		p.fraction = m[4]
		p.tail, p.tail1 = tex(strings.TrimPrefix(m[5], " "))
		if m[5] != "" {
			p.tail, p.tail1 = "~"+p.tail, p.tail1+0.33
		}
	} else {
		p.lead, p.lead1 = tex(s)
		p.alone = s != "–"
	}
	if c.Best {
		p.lead1 *= 1.15
	}
	marks, em := texMarks(c.Mark, c.Notes)
	p.tail, p.tail1 = p.tail+marks, p.tail1+em
	return p
}

// texNumbers lays out cells so that their points stand below each other: they
// are set flush right, and what some of them have behind the point more than
// others is left blank in these.
func (t *Table) texNumbers(c *texColumn, at int) {
	var parts []texPart
	var widest texPart
	for r, row := range t.Rows {
		p := texPartOf(printable(t.cellText(r, at), longestCell), row[at])
		parts = append(parts, p)
		if len(p.fraction) > len(widest.fraction) {
			widest.fraction = p.fraction
		}
		if !p.alone && p.tail1 > widest.tail1 {
			widest.tail, widest.tail1 = p.tail, p.tail1
		}
	}
	for r, p := range parts {
		cell, width := texCell{source: p.lead + p.fraction, bold: t.Rows[r][at].Best}, p.lead1
		switch {
		case p.alone:
			cell.marks = p.tail
			width += p.tail1
		default:
			cell.marks = texTail(widest.fraction[min(len(p.fraction), len(widest.fraction)):], p.tail, widest.tail)
			width += 0.5*float64(len(widest.fraction)) + widest.tail1
		}
		c.cells, c.widths = append(c.cells, cell), append(c.widths, width)
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
