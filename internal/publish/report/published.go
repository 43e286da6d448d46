package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/published"
)

// newPublished starts a table about a published one.
func newPublished(p *published.Table) *Table {
	t := &Table{Name: p.Name, Title: fmt.Sprintf("%s (%s: %s)", p.Name, p.Number, p.Title)}
	t.NoteTitle(p.Paper.Citation())
	if slices.ContainsFunc(p.Rows, func(r published.Row) bool {
		return slices.ContainsFunc(r.Cells, func(c published.Cell) bool { return c.StDev != "" })
	}) {
		t.NoteTitle("published numbers have their standard deviations in parentheses, as printed")
	}
	return t
}

// publishedNames returns the columns that name published rows.
func publishedNames[R any](row func(R) published.Row) []tableColumn[R] {
	return repeating(
		textColumn("model", func(r R) string { return row(r).Model }),
		textColumn("method", func(r R) string { return row(r).Label }),
	)
}

// Show lays out a published table with its protocol. Cells that do not fit others, by an
// audit, have a note.
func Show(p *published.Table, checks []published.Check) *Document {
	t := newPublished(p)
	t.NoteTitle(protocolNotes(p)...)
	groups := p.Groups()
	columns := publishedNames(func(c pair) published.Row { return c.row })
	if len(groups) > 1 || groups[0] != "" {
		columns = append(columns, textColumn("group", func(c pair) string { return c.cell.Group }))
	}
	for _, m := range p.Metrics {
		if !slices.ContainsFunc(p.Rows, func(r published.Row) bool {
			return slices.ContainsFunc(r.Cells, func(c published.Cell) bool { return c.Metric == m.Name })
		}) {
			continue
		}
		column := numberColumn(m.Name, func(c pair) Cell {
			cell, ok := c.row.Cell(c.cell.Group, m.Name)
			if !ok {
				return Cell{}
			}
			return t.publishedCell(p, c.row, cell, checks)
		})
		column.Notes = t.notes(metricNote(m))
		columns = append(columns, column)
	}
	var rows []pair
	for _, r := range p.Rows {
		rows = append(rows, lists.Map(groups, func(g string) pair { return pair{row: r, cell: published.Cell{Group: g}} })...)
	}
	fill(t, rows, columns...)
	for _, c := range checks { // of a whole row, for instance
		if i := slices.IndexFunc(p.Rows, func(r published.Row) bool { return r.Key() == c.Row }); !c.Agrees && c.Table == p.Name &&
			(i < 0 || !slices.ContainsFunc(p.Rows[i].Cells, func(cell published.Cell) bool { return cell.Name() == c.Cell })) {
			t.NoteTitle(fmt.Sprintf("audit of %s, %s: %s", c.Row, c.Cell, finding(c)))
		}
	}
	return &Document{Tables: []*Table{t}}
}

// publishedCell returns a cell with its audit note.
func (t *Table) publishedCell(p *published.Table, r published.Row, c published.Cell, checks []published.Check) Cell {
	cell := Cell{Text: c.Printed, Value: new(c.Value), Source: c.Source}
	if c.Line > 0 {
		cell.Source = p.Paper.Text() + ":" + strconv.Itoa(c.Line)
	}
	if sd, err := strconv.ParseFloat(c.StDev, 64); err == nil {
		cell.Text, cell.Deviation = cell.Text+" ("+c.StDev+")", &sd
	}
	for _, check := range checks {
		if !check.Agrees && check.Table == p.Name && check.Row == r.Key() && check.Cell == c.Name() {
			cell.Notes = append(cell.Notes, t.Note("audit: "+finding(check)))
		}
	}
	return cell
}

// finding describes a check's finding in one line.
func finding(c published.Check) string {
	s := c.Note
	if c.Recomputed != nil {
		s += ": printed " + c.Printed + ", recomputed " + recomputed(*c.Recomputed)
	}
	if c.Tolerance != nil {
		s += " ± " + recomputed(*c.Tolerance)
	}
	return s
}

// recomputed prints a number of the audit with its significant digits.
func recomputed(x float64) string {
	return strings.TrimSuffix(strings.TrimRight(decimal(x, 4), "0"), ".")
}

// protocolNotes says how the numbers of a table were obtained.
func protocolNotes(p *published.Table) []string {
	parts := lists.Map(p.Parts, func(part published.Part) string {
		if part.N == 0 {
			return part.Name
		}
		return fmt.Sprintf("%s %d", part.Name, part.N)
	})
	var notes []string
	for _, note := range [][2]string{
		{"numbers", p.Paper.Secondary},
		{"dataset", p.Dataset + ", " + p.Split},
		{"questions", strings.Join(parts, ", ")},
		{"average", string(p.Averaging)},
		{"category 5", p.Category5},
		{"judge", p.Judge},
		{"embeddings", p.Embedding},
		{"decoding", p.Decoding},
		{"not published", strings.Join(p.Unpublished, "; ")},
	} {
		if note[1] != "" {
			notes = append(notes, note[0]+": "+note[1])
		}
	}
	return notes
}

// metricNote describes a published metric.
func metricNote(m published.Metric) string {
	var parts []string
	if m.Column != "" {
		parts = append(parts, "here "+m.Column)
	}
	if m.Questions > 0 {
		parts = append(parts, fmt.Sprintf("over %d questions", m.Questions))
	}
	if m.Counting != "" {
		parts = append(parts, "counts "+m.Counting)
	}
	return strings.Join(parts, "; ")
}
