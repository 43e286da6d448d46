package report

import (
	"slices"
	"strings"

	"recallbench/internal/published"
)

// paperTable lays out a published table as the paper has it, groups and metrics
// as columns, with the measured rows above the printed ones. The best of each
// source is marked, as papers mark the best of each model.
func (c comparison) paperTable(pairs []pair) *Table {
	t := c.newTable("", ", measured and published")
	t.Columns = []Column{{Name: "source", Repeats: true, Parts: true}, {Name: "method"}}
	type place struct {
		group  string
		metric published.Metric
	}
	var places []place
	metrics := shownMetrics(c.table)
	for _, group := range c.table.Groups() {
		for _, m := range metrics {
			has := func(r published.Row) bool { _, ok := r.Cell(group, m.Name); return ok }
			if !slices.ContainsFunc(c.table.Rows, has) {
				continue
			}
			places = append(places, place{group, m})
			name := m.Name
			if column, _, ok := c.column(m); ok {
				name = column.Name
			}
			t.Columns = append(t.Columns, Column{Name: strings.TrimSpace(group + " " + name), Group: group, Number: true})
		}
	}
	c.deviationNotes(t, pairs)
	if note := c.hiddenNote(); note != "" {
		t.TitleNotes = append(t.TitleNotes, t.note(note))
	}
	var done []*line
	for _, p := range pairs {
		if slices.Contains(done, p.line) {
			continue // measured once for the rows of several readers
		}
		done = append(done, p.line)
		row := []Cell{text("measured, " + p.line.model.Reader), text(c.name(p.line))}
		var why []string
		for _, at := range places {
			cell, _ := p.row.Cell(at.group, at.metric.Name)
			m := c.find(t, p, cell)
			for _, r := range append(m.reasons, m.missing) {
				if r != "" && !slices.Contains(why, r) {
					why = append(why, r)
				}
			}
			if m.missing == "" {
				m.cell.Text = decimal(*m.cell.Value, m.digits)
				if sd := m.cell.Deviation; sd != nil {
					m.cell.Text += deviation(*sd, m.digits)
				}
			}
			row = append(row, m.cell)
		}
		for _, r := range why {
			row[1].Notes = append(row[1].Notes, t.note(r))
		}
		t.Rows = append(t.Rows, row)
	}
	for _, r := range c.rows {
		row := []Cell{text("published, " + r.Model), text(r.Label)}
		for _, at := range places {
			var printed Cell
			if cell, ok := r.Cell(at.group, at.metric.Name); ok {
				printed = t.publishedCell(c.table, r, cell, c.checks)
			}
			row = append(row, printed)
		}
		t.Rows = append(t.Rows, row)
	}
	t.BestOf = "of its source"
	for i, at := range places {
		column, _, ok := c.column(at.metric)
		if counted := at.metric.Unit == published.Whole; counted || ok && column.Neutral {
			continue // neither more nor less is better
		}
		t.markBestOf(2+i, at.metric.Lower, func(row int) string { return t.Rows[row][0].Text })
	}
	return t
}
