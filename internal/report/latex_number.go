package report

import (
	"regexp"
	"strings"
)

// texNumber takes a number apart: what stands before it, its whole part, its
// decimals, and the rest.
var texNumber = regexp.MustCompile(`^(~ )?([<+-]?)([0-9]+)(\.[0-9]+)?(.*)$`)

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
