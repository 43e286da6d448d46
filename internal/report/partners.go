package report

import (
	"fmt"
	"slices"

	"recallbench/internal/published"
	"recallbench/metrics"
)

// unmeasured lists the published rows that no line stands beside, with their
// summary cells and why.
func (c comparison) unmeasured(pairs []pair) *Table {
	t := c.newTable(", not measured", ": rows without a measurement")
	for _, n := range printedDeviation(c.table) {
		t.TitleNotes = append(t.TitleNotes, t.note(n))
	}
	t.Columns = []Column{{Name: "model", Repeats: true, Parts: true}, {Name: "method"}}
	var summaries []published.Metric
	for _, m := range c.table.Metrics {
		if slices.ContainsFunc(c.table.Rows, func(r published.Row) bool { _, ok := c.summaryCell(r, m); return ok }) {
			summaries = append(summaries, m)
			t.Columns = append(t.Columns, Column{Name: m.Name, Number: true})
		}
	}
	t.Columns = append(t.Columns, Column{Name: "why"})
	for _, r := range c.rows {
		if slices.ContainsFunc(pairs, func(p pair) bool { return p.row.Key() == r.Key() }) {
			continue
		}
		row := []Cell{text(r.Model), text(r.Label)}
		for _, m := range summaries {
			var cell Cell
			if s, ok := c.summaryCell(r, m); ok {
				cell = t.publishedCell(c.table, r, s, c.checks)
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, append(row, text(c.whyNot(r))))
	}
	return t
}

// summaryCell returns the cell of a row that sums up its groups.
func (c comparison) summaryCell(r published.Row, m published.Metric) (published.Cell, bool) {
	if cell, ok := r.Cell("", m.Name); ok {
		return cell, true
	}
	return r.Cell(c.table.Average, m.Name)
}

// whyNot says why a published row has no partner.
func (c comparison) whyNot(r published.Row) string {
	for _, l := range c.failed {
		if c.named(r, l) && c.beside(l, r.Model) {
			return "every request failed"
		}
	}
	for _, l := range c.lines {
		if c.named(r, l) {
			return "measured with another reader, " + l.model.Reader
		}
	}
	method, ok := c.table.Method(r)
	if ok && !slices.Contains(c.Methods, method.Use) {
		return fmt.Sprintf("this program does not have %s yet", method.Use)
	}
	var same []string
	for _, l := range c.lines {
		if ok && l.cell.Use == method.Use && !slices.Contains(same, l.cell.Method) {
			same = append(same, l.cell.Method)
		}
	}
	why := fmt.Sprintf("no method of the run is labelled %q", r.Label)
	if len(same) > 0 {
		why += fmt.Sprintf("; to use another: --row %q", r.Label+"="+same[0])
	}
	return why
}

// unpublished lists the lines that no published row stands beside.
func (c comparison) unpublished(pairs []pair) *Table {
	t := c.newTable(", not published", ": measured rows that it does not have")
	t.Columns = append(c.columns(), Column{Name: "n", Number: true})
	var columns []metrics.Column
	for _, m := range c.table.Metrics {
		if column, _, ok := c.column(m); ok && !slices.ContainsFunc(columns, func(have metrics.Column) bool { return have.Name == column.Name }) {
			columns = append(columns, column)
			t.Columns = append(t.Columns, Column{Name: column.Name, Number: true})
		}
	}
	lines := slices.DeleteFunc(slices.Clone(c.lines), func(l *line) bool {
		return slices.ContainsFunc(pairs, func(p pair) bool { return p.line == l })
	})
	for _, n := range c.seedNotes(lines) {
		t.TitleNotes = append(t.TitleNotes, t.note(n))
	}
	for _, l := range lines {
		n, _ := l.n(l.ids())
		row := append(c.cells(t, l), count(n))
		for _, column := range columns {
			row = append(row, c.cell(t, l, column, l.ids()))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
