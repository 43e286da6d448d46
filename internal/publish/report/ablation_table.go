package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"recallbench/metrics"
)

// ablationTable lays out a method and its variants on a dataset: what each
// changes, and for each column the mean and what it differs from the full method.
// It returns nil where the dataset has no variants.
func (b *builder) ablationTable(lines []*line) *Table {
	lines = b.ablated(lines)
	if lines == nil {
		return nil
	}
	f := b.layout(lines)
	label := lines[0].dataset.Label
	t := &Table{Name: label + " ablation of " + b.Full, Title: "ablation of " + b.Full + " on " + f.title(lines), Rows: [][]Cell{}, BestOf: f.bestOf()}
	t.Columns = f.columns()
	paths := f.changed(lines)
	for _, path := range paths {
		t.Columns = append(t.Columns, Column{Name: path})
	}
	failed := slices.ContainsFunc(lines, func(l *line) bool { _, failed := l.n(l.ids()); return len(failed) > 0 })
	if failed {
		t.Columns = append(t.Columns, Column{Name: "errors", Number: true})
	}
	first := len(t.Columns)
	for _, c := range b.columns {
		head := c.Name
		if c.Lower && !c.Neutral {
			head += " ↓"
		}
		t.Columns = append(t.Columns, Column{Name: c.Name, Head: head, Group: head, Number: true})
		t.Columns = append(t.Columns, Column{Name: c.Name + " difference", Head: "Δ", Group: head, Number: true})
	}
	f.titleNotes(t, lines, b.columns)
	tests := f.tests(lines)
	t.NoteTitle(f.ablationNotes(lines, tests)...)
	for _, l := range lines {
		names := f.cells(t, l)
		full := f.fullOf(l, lines)
		if full != nil && full.cell.Use != l.cell.Use {
			names[0].Notes = append(names[0].Notes, t.Note("another method, "+l.cell.Use+", whose options are its own"))
		}
		row := slices.Concat(names, f.optionCells(l, full, paths))
		if failed {
			row = append(row, t.failures(l, b.columns))
		}
		for _, c := range b.columns {
			row = append(row, b.cell(t, l, c, l.ids()), f.ablationCell(t, l, c, lines, tests))
		}
		t.Rows = append(t.Rows, row)
	}
	for i, c := range b.columns {
		t.markBest(first+2*i, c, lines)
	}
	return t
}

// optionCells returns the options of a line at some paths: none where it uses
// another method than the full one. People see what is not as in that.
func (f layout) optionCells(l, full *line, paths []string) []Cell {
	cells := make([]Cell, len(paths))
	if full != nil && full.cell.Use != l.cell.Use {
		return cells
	}
	own := flat(l.cell.Options)
	for i, path := range paths {
		cells[i] = text(cmp.Or(own[path], "not set"))
		cells[i].Blank = full != nil && full != l && own[path] == flat(full.cell.Options)[path]
	}
	return cells
}

// failures counts the failed requests of a line, with what they do to its means.
func (t *Table) failures(l *line, columns []metrics.Column) Cell {
	_, failed := l.n(l.ids())
	c := errorCell(t, failed)
	c.Notes = append(c.Notes, t.notes(l.bounds(columns, l.ids()))...)
	return c
}

// ablationCell returns the difference of a line to the full method: over the
// requests that both have where it is tested, else of the means.
func (f layout) ablationCell(t *Table, l *line, c metrics.Column, lines []*line, tests []tested) Cell {
	i := slices.IndexFunc(tests, func(m tested) bool { return m.line == l && m.column.Name == c.Name })
	switch {
	case f.isFull(l):
		return Cell{Blank: true}
	case i < 0:
		return f.untested(t, l, c, lines)
	case tests[i].missing != "":
		return Cell{Notes: []int{t.Note(tests[i].missing)}}
	}
	m := tests[i]
	cell := f.differenceCell(m)
	if m.pairs.lone > 0 || m.pairs.undefined > 0 {
		cell.Notes = t.pairsCell(m.pairs).Notes
	}
	cell.Notes = append(cell.Notes, t.notes(reason(m.Result, f.Unit, c))...)
	cell.P, cell.Mark = m.Adjusted, m.mark()
	return cell
}

// untested returns the difference of two means that no test is about.
func (f layout) untested(t *Table, l *line, c metrics.Column, lines []*line) Cell {
	full, missing := f.base(l, lines)
	if full == nil {
		return Cell{Notes: []int{t.Note(missing)}}
	}
	own, ok := l.summary(c, l.ids())
	other, has := full.summary(c, full.ids())
	if !ok || !has {
		return Cell{}
	}
	cell := Cell{Value: new((own.mean - other.mean) * c.Scale)}
	cell.Text = signed(*cell.Value, c.Digits)
	return cell
}

// levels are the p-values up to which a difference gets a mark, smallest first.
var levels = []struct {
	p    float64
	mark string
}{{0.001, "***"}, {0.01, "**"}, {alpha, "*"}}

// mark returns the mark of the adjusted p-value; empty where there is none.
func (x tested) mark() string {
	if x.Adjusted == nil {
		return ""
	}
	for _, level := range levels {
		if *x.Adjusted <= level.p {
			return level.mark
		}
	}
	return shownNot
}

// ablationNotes say what the differences are, and how they were tested.
func (f layout) ablationNotes(lines []*line, tests []tested) []string {
	each := ""
	if several(lines) {
		each = ", each by its mean over the seeds"
	}
	notes := []string{fmt.Sprintf("Δ: the row minus %s, over the requests that both have%s; options are shown where they are not those of %s", f.Full, each, f.Full)}
	if slices.ContainsFunc(f.builder.columns, func(c metrics.Column) bool { return c.Lower && !c.Neutral }) {
		notes = append(notes, "↓: lower is better")
	}
	if slices.ContainsFunc(tests, func(x tested) bool { return x.Adjusted != nil }) {
		var marks []string
		for _, level := range slices.Backward(levels) {
			marks = append(marks, fmt.Sprintf("%s p ≤ %g", level.mark, level.p))
		}
		notes = append(notes, strings.Join(marks, ", ")+"; without a mark it is not tested")
	}
	return append(notes, f.testedNotes(tests)...)
}
