package report

import (
	"fmt"
	"slices"
	"strings"
)

// Widths that tables are fitted to, in points, a hundredth less than they are, as
// those of texts are known about: of a page of 5.5 inches, the narrowest that is
// common, of one of 6.5, and of one of two columns.
const (
	texPage = 393.0
	texWide = 464.0
	texHalf = 231.0
)

// A texSize is a way to set a table.
type texSize struct {
	command string
	points  float64 // size of the font; small ones are wider than their name
	gap     float64 // half of the space between columns, in points
	page    float64 // what is to fit
	// least is the width from which the texts of a column may be broken into
	// lines, and the least that they are broken to, in the size of the font.
	least       float64
	brokenHeads bool
}

// texSizes are the ways to set a table, best first.
var texSizes = []texSize{
	{"", 10, 6, texPage, 18, false},
	{`\small`, 9.25, 5, texPage, 18, false},
	{`\small`, 9.25, 5, texPage, 14, true},
	{`\footnotesize`, 8.5, 4, texPage, 9, true},
	{`\footnotesize`, 8.5, 2.5, texPage, 9, true},
	{`\footnotesize`, 8.5, 2.5, texWide, 6.5, true},
}

// texFit chooses the largest size at which columns fit on a page, and how the
// widest texts are broken; where none is small enough, it spreads the columns
// over several tables, of which each has the first ones that are texts.
func texFit(columns []*texColumn) (texSize, [][]*texColumn) {
	for _, size := range texSizes {
		if size.fit(columns) {
			return size, [][]*texColumn{columns}
		}
	}
	size := texSizes[len(texSizes)-1]
	first := slices.IndexFunc(columns, func(c *texColumn) bool { return c.Number })
	if first < 0 {
		first = 1
	}
	keys := columns[:first]
	var tables [][]*texColumn
	for rest := columns[first:]; len(rest) > 0; {
		n := 1
		for n < len(rest) && size.fit(slices.Concat(keys, rest[:n+1])) {
			n++
		}
		of := slices.Concat(keys, rest[:n])
		size.fit(of)
		tables = append(tables, of)
		rest = rest[n:]
	}
	return size, tables
}

// fit sets the widths of columns, and reports whether they fit on a page.
func (s texSize) fit(columns []*texColumn) bool {
	var broken []*texColumn
	left := (s.page - 2*s.gap*float64(len(columns)-1)) / s.points
	for _, c := range columns {
		c.set = 0
		width := 0.0
		if s.brokenHeads {
			width = max(c.natural, 2)
		}
		c.setHead(width)
		if !c.Number && c.natural > s.least {
			broken = append(broken, c)
			continue
		}
		left -= c.room()
	}
	// What one does not need, the others share.
	slices.SortStableFunc(broken, func(a, b *texColumn) int { return int(a.room() - b.room()) })
	for i, c := range broken {
		share := left / float64(len(broken)-i)
		if c.room() > share {
			c.set = max(share, s.least)
		}
		left -= c.room()
	}
	return left >= 0
}

// width returns the width of a table in points.
func (s texSize) width(columns []*texColumn) float64 {
	width := 2 * s.gap * float64(len(columns)-1)
	for _, c := range columns {
		width += c.room() * s.points
	}
	return width
}

// columnTypes returns the argument of a tabular.
func (s texSize) columnTypes(columns []*texColumn) string {
	var b strings.Builder
	for _, c := range columns {
		switch {
		case c.Number:
			b.WriteString("r")
		case c.set > 0:
			fmt.Fprintf(&b, "p{%.0fpt}", c.set*s.points)
		default:
			b.WriteString("l")
		}
	}
	return b.String()
}
