package report

import "math"

// noteLines returns how many lines the notes take, about.
func (f texFloat) noteLines() int {
	page := texPage
	if f.environment() == "table" {
		page = texHalf
	}
	lines := 0
	for _, n := range f.table.Notes {
		_, em := tex(printable(n, longestNote))
		lines += 1 + int(em*8/page)
	}
	return lines
}

// height returns how many lines a page holds, about, beside caption and heads.
func (s texSize) height() int { return int(500 / (1.2 * s.points)) }

// lines returns how many lines the rows take, about.
func (f texFloat) lines() int {
	lines := 0
	for _, r := range f.rows {
		lines += r.lines(f.columns)
	}
	return lines
}

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
		if n := r.lines(columns); len(page) > 0 && used+n > size.height() {
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
