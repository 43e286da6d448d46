package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/metrics"
)

// findFull sets [Options].Full to the label as the rows write it or, if it is empty, to
// that of the one method that others are variants of.
func (b *builder) findFull() (err error) {
	if !b.Ablation {
		return nil
	}
	if b.Full == "" {
		fulls := lists.Distinct(b.lines, func(l *line) string { return strings.ToLower(l.cell.VariantOf) })
		fulls = slices.DeleteFunc(fulls, func(full string) bool { return full == "" })
		if len(fulls) != 1 {
			labels := lists.Distinct(b.lines, func(l *line) string { return strconv.Quote(l.cell.Method) })
			return fmt.Errorf("--ablation: the run file has %d methods with variants; name one of %s", len(fulls), strings.Join(labels, ", "))
		}
		b.Full = fulls[0]
	}
	if b.Full, err = b.label(b.Full); err == nil && !slices.ContainsFunc(b.lines, b.isVariant) {
		err = fmt.Errorf("%q has no variants: no other method names it as its full method, or uses the same method", b.Full)
	}
	return err
}

// isVariant reports whether a row is a variant of the full method: if any row names
// it as its full method, those that do, else those that use the same method.
func (b *builder) isVariant(l *line) bool {
	says := func(l *line) bool { return strings.EqualFold(l.cell.VariantOf, b.Full) }
	switch {
	case l.cell.Method == b.Full:
		return false
	case slices.ContainsFunc(b.lines, says):
		return says(l)
	}
	return slices.ContainsFunc(b.lines, func(o *line) bool { return o.cell.Method == b.Full && o.cell.Use == l.cell.Use })
}

// ablationTables lays out the full method and its variants on a dataset, by model: for each
// column, the mean and the difference to the full method. Without variants there is no
// table.
func (b *builder) ablationTables(all []*line) []*Table {
	isFull := func(l *line) bool { return l.cell.Method == b.Full }
	var lines []*line
	for _, of := range groupBy(all, func(l *line) string { return l.cell.Model }) {
		lines = slices.Concat(lines, lists.Filter(of, isFull), lists.Filter(of, b.isVariant))
	}
	if !slices.ContainsFunc(lines, isFull) || !slices.ContainsFunc(lines, b.isVariant) {
		return nil
	}
	f := b.layout(lines)
	t := &Table{Name: lines[0].dataset.Label + " ablation of " + b.Full, Title: "ablation of " + b.Full + " on " + f.title(lines)}
	f.noteTable(t, lines, b.columns)
	of, fulls, family := f.against(b.Full, lines, b.columnsTested())
	t.NoteTitle("Δ: "+differenceNote(b.Full), "↓: lower is better", "* p ≤ 0.05, ** p ≤ 0.01, *** p ≤ 0.001; no mark: not tested")
	t.NoteTitle(testNotes(family, shownFields{interval: b.Intervals, marks: true}, ContrastOptions{Options: b.Options})...)

	columns := f.noted(t)
	if slices.ContainsFunc(lines, func(l *line) bool { _, failed := l.scored(); return failed > 0 }) {
		columns = append(columns, numberColumn("errors", func(l *line) Cell { return t.failures(l, b.columns) }))
	}
	first := len(columns)
	for _, c := range b.columns {
		mean := b.mean(t, c)
		if mean.Head = c.Name; c.Lower && !c.Neutral {
			mean.Head += " ↓"
		}
		columns = append(columns, mean, tableColumn[*line]{Column{Name: c.Name + " difference", Head: "Δ", Number: true}, func(l *line) Cell {
			return t.ablationCell(l, fulls[l], c, of[l], b.Intervals)
		}})
	}
	fill(t, lines, columns...)
	for i, c := range b.columns {
		t.markBest(first+2*i, c, lines)
	}
	return []*Table{t}
}

// ablationCell returns the difference of a row to the full method with the mark of its test,
// or, for columns that are not tested, the difference of the means.
func (t *Table) ablationCell(l, full *line, c metrics.Column, of []*Contrast, interval bool) Cell {
	i := slices.IndexFunc(of, func(x *Contrast) bool { return x.Column.Name == c.Name })
	switch {
	case l == full:
		return Cell{Blank: true}
	case i < 0 && full == nil:
		return Cell{}
	case i < 0:
		own, other := meanCell(l, c), meanCell(full, c)
		if own.Value == nil || other.Value == nil {
			return Cell{}
		}
		return Change(*own.Value-*other.Value, c.Digits, nil)
	}
	x := of[i]
	cell := x.differenceCell(interval)
	cell.Notes = t.notes(append(slices.Clone(x.Notes), x.Reason())...)
	if cell.P = x.Adjusted; x.Adjusted != nil {
		cell.Mark = mark(*x.Adjusted)
	}
	return cell
}

// mark returns stars for a p-value.
func mark(p float64) string {
	switch {
	case p <= 0.001:
		return "***"
	case p <= 0.01:
		return "**"
	case p <= alpha:
		return "*"
	}
	return shownNot
}
