package report

import "math"

// Heights in points: of a page, of caption and heads, and of a line of notes,
// about.
const (
	texHeight = 550.0
	texTop    = 60.0
	texLine   = 9.5
)

// lines returns how many lines of rows a page holds.
func (s texSize) lines() int { return int((texHeight - texTop) / (1.2 * s.points)) }

// fits reports whether rows and notes fit on one page.
func (f texFloat) fits() bool {
	width := texPage
	if f.environment() == "table" {
		width = texHalf
	}
	height := texTop
	for _, r := range f.rows {
		height += float64(r.lines(f.columns)) * 1.2 * f.size.points
	}
	for _, n := range f.table.Notes {
		_, em := tex(printable(n, longestNote))
		height += math.Ceil(em*8.5/width) * texLine
	}
	return height <= texHeight
}

// lines returns how many lines a row takes.
func (r texRow) lines(columns []*texColumn) int {
	lines := 1
	if r.name != "" {
		return lines
	}
	for _, c := range columns {
		if c.set > 0 {
			lines = max(lines, int(math.Ceil(1.15*c.widths[r.row]/c.set)))
		}
	}
	return lines
}

// texPages spreads rows over pages. A name above rows stands above the first of
// them on each.
func texPages(rows []texRow, columns []*texColumn, size texSize) [][]texRow {
	var pages [][]texRow
	var page []texRow
	var name *texRow
	used := 0
	for i, r := range rows {
		if n := r.lines(columns); len(page) > 0 && used+n > size.lines() {
			pages, page, used = append(pages, page), nil, 0
			if name != nil && r.name == "" {
				page, used = append(page, *name), 1
			}
		}
		if r.name != "" {
			name = &rows[i]
		}
		page = append(page, r)
		used += r.lines(columns)
	}
	return append(pages, page)
}
