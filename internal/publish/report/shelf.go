package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/publish/published"
)

// Show lays out a published table with its protocol. Cells that a check found
// at odds with others carry a note.
func Show(p *published.Table, checks []published.Check) *Document {
	t := &Table{
		Name: p.Name, Title: fmt.Sprintf("%s (%s: %s)", p.Name, p.Number, p.Title), Rows: [][]Cell{},
		Columns: []Column{{Name: "model", Repeats: true, Parts: true}, {Name: "method", Repeats: true}},
	}
	t.NoteTitle(p.Paper.Citation())
	if p.Paper.Secondary != "" {
		t.NoteTitle("numbers: " + p.Paper.Secondary)
	}
	t.NoteTitle(append(protocolNotes(p), printedDeviation(p)...)...)
	groups := p.Groups()
	split := len(groups) > 1 || groups[0] != ""
	if split {
		t.Columns = append(t.Columns, Column{Name: "group"})
	}
	metrics := shownMetrics(p)
	for _, m := range metrics {
		c := Column{Name: m.Name, Number: true}
		c.Notes = append(c.Notes, t.notes(metricNote(m))...)
		t.Columns = append(t.Columns, c)
	}
	for _, r := range p.Rows {
		for _, g := range groups {
			row := []Cell{text(r.Model), text(r.Label)}
			if split {
				row = append(row, text(g))
			}
			for _, m := range metrics {
				var cell Cell
				if c, ok := r.Cell(g, m.Name); ok {
					cell = t.publishedCell(p, r, c, checks)
				}
				row = append(row, cell)
			}
			t.Rows = append(t.Rows, row)
		}
	}
	for _, c := range checks { // of what is no cell, such as a whole row
		if i := slices.IndexFunc(p.Rows, func(r published.Row) bool { return r.Key() == c.Row }); !c.Agrees && c.Table == p.Name &&
			(i < 0 || !slices.ContainsFunc(p.Rows[i].Cells, func(cell published.Cell) bool { return cell.Name() == c.Cell })) {
			t.NoteTitle(fmt.Sprintf("audit of %s, %s: %s", c.Row, c.Cell, finding(c)))
		}
	}
	return &Document{Tables: []*Table{t}}
}

// shownMetrics returns the metrics of the protocol that the table has cells of.
func shownMetrics(p *published.Table) []published.Metric {
	var shown []published.Metric
	for _, m := range p.Metrics {
		printed := func(r published.Row) bool {
			return slices.ContainsFunc(r.Cells, func(c published.Cell) bool { return c.Metric == m.Name })
		}
		if slices.ContainsFunc(p.Rows, printed) {
			shown = append(shown, m)
		}
	}
	return shown
}

// publishedCell returns a cell with what the audit says of it.
func (t *Table) publishedCell(p *published.Table, r published.Row, c published.Cell, checks []published.Check) Cell {
	cell := Cell{Text: c.Printed, Value: new(c.Value), Source: c.Source}
	if c.Line > 0 {
		cell.Source = p.Paper.Text() + ":" + strconv.Itoa(c.Line)
	}
	if c.StDev != "" {
		cell.Text += " (" + c.StDev + ")"
		if sd, err := strconv.ParseFloat(c.StDev, 64); err == nil {
			cell.Deviation = &sd
		}
	}
	for _, check := range checks {
		if !check.Agrees && check.Table == p.Name && check.Row == r.Key() && check.Cell == c.Name() {
			cell.Notes = append(cell.Notes, t.Note("audit: "+finding(check)))
		}
	}
	return cell
}

// printedDeviation says what stands behind the numbers of a published table that
// has deviations.
func printedDeviation(p *published.Table) []string {
	for _, r := range p.Rows {
		if slices.ContainsFunc(r.Cells, func(c published.Cell) bool { return c.StDev != "" }) {
			return []string{"in parentheses behind a published number its standard deviation, as printed"}
		}
	}
	return nil
}

// finding says in one line what a check found.
func finding(c published.Check) string {
	if c.Recomputed == nil {
		return c.Note
	}
	source := "printed"
	if c.Kind == published.Claim {
		source = "stated"
	}
	s := fmt.Sprintf("%s: %s %s, recomputed %s", c.Note, source, c.Printed, recomputed(*c.Recomputed))
	if c.Tolerance != nil {
		s += " ± " + recomputed(*c.Tolerance)
	}
	return s
}

// recomputed prints a number of the audit with as many digits as matter.
func recomputed(x float64) string {
	s := strconv.FormatFloat(x, 'f', 4, 64)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// protocolNotes say how the numbers of a table came about.
func protocolNotes(p *published.Table) []string {
	var notes []string
	add := func(what, value string) {
		if value != "" {
			notes = append(notes, what+": "+value)
		}
	}
	add("dataset", p.Dataset+", "+p.Split)
	var parts []string
	for _, part := range p.Parts {
		n := "number not published"
		if part.N > 0 {
			n = strconv.Itoa(part.N)
		}
		parts = append(parts, part.Name+" "+n)
	}
	add("questions", strings.Join(parts, ", "))
	add("average", string(p.Averaging))
	add("category 5", p.Category5)
	add("judge", p.Judge)
	add("embeddings", p.Embedding)
	add("decoding", p.Decoding)
	add("not published", strings.Join(p.Unpublished, "; "))
	return notes
}

// metricNote says what a published metric is.
func metricNote(m published.Metric) string {
	var parts []string
	if m.Column != "" {
		parts = append(parts, "in this program "+m.Column)
	}
	if m.Questions > 0 {
		parts = append(parts, fmt.Sprintf("over %d questions", m.Questions))
	}
	if m.Counting != "" {
		parts = append(parts, "counts "+m.Counting)
	}
	return strings.Join(parts, "; ")
}
