package report

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/metrics"
)

// findFull takes [Options].Full as the rows write it, or finds it where it is
// empty: the one method that others are variants of.
func (b *builder) findFull() (err error) {
	if !b.Ablation {
		return nil
	}
	labels := lists.Distinct(b.lines, func(l *line) string { return l.cell.Method })
	quoted := func(in func(label string) bool) string {
		return strings.Join(lists.Map(lists.Filter(labels, in), strconv.Quote), ", ")
	}
	fulls := lists.Distinct(b.lines, func(l *line) string { return strings.ToLower(l.cell.VariantOf) })
	fulls = lists.Filter(fulls, func(full string) bool { return full != "" })
	switch {
	case b.Full == "" && len(fulls) == 0:
		shared := quoted(func(label string) bool {
			return slices.ContainsFunc(b.lines, func(l *line) bool {
				return l.cell.Method == label && slices.ContainsFunc(b.lines, func(o *line) bool { return o.cell.Use == l.cell.Use && o.cell.Method != label })
			})
		})
		if shared == "" {
			return errors.New("nothing to ablate: no method says that it is a variant of another, and no two use the same")
		}
		return fmt.Errorf("no method says of which it is a variant: name the full one, of %s", shared)
	case b.Full == "" && len(fulls) > 1:
		there := quoted(func(label string) bool { return slices.Contains(fulls, strings.ToLower(label)) })
		if there == "" { // exclude may have left full methods out
			return fmt.Errorf("nothing to ablate: no method that others are variants of is there: %s", strings.Join(fulls, "; "))
		}
		return fmt.Errorf("several methods have variants: name the one to ablate, of %s", there)
	case b.Full == "":
		b.Full = fulls[0]
	}
	if b.Full, err = b.label(b.Full); err == nil && !slices.ContainsFunc(b.lines, b.isVariant) {
		err = fmt.Errorf("%q has no variants: no other method says that it is one of it, or uses the same as it does", b.Full)
	}
	return err
}

// isVariant reports whether a row is a variant of the full method: where any
// row says so, one that does, else one that uses the same method.
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

// ablationTables lays out the full method and its variants on a dataset, by model: what
// each changes, and for each column the mean and what it differs from the full method.
// There is none where the dataset has no variants.
func (b *builder) ablationTables(all []*line) ([]*Table, error) {
	isFull := func(l *line) bool { return l.cell.Method == b.Full }
	var lines []*line
	for _, model := range lists.Distinct(all, func(l *line) string { return l.cell.Model }) {
		for _, is := range []func(*line) bool{isFull, b.isVariant} {
			lines = append(lines, lists.Filter(all, func(l *line) bool { return l.cell.Model == model && is(l) })...)
		}
	}
	if !slices.ContainsFunc(lines, isFull) || !slices.ContainsFunc(lines, b.isVariant) {
		return nil, nil
	}
	f := b.layout(lines)
	label := lines[0].dataset.Label
	t := &Table{Name: label + " ablation of " + b.Full, Title: "ablation of " + b.Full + " on " + f.title(lines), Rows: [][]Cell{}, BestOf: f.bestOf(), Columns: f.columns()}
	// The full method may differ from run to run: a row is compared with that of its own.
	fulls := make(map[*line]*line)
	var paths []string
	failed := false
	for _, l := range lines {
		if fulls[l] = l; !isFull(l) {
			fulls[l], _ = f.base(b.Full, l, lines)
		}
		if full := fulls[l]; full != nil && full.cell.Use == l.cell.Use {
			paths = lists.AddNew(paths, optionsChanged(l, full)...)
		}
		_, n, _ := l.scored()
		failed = failed || n > 0
	}
	slices.Sort(paths)
	for _, path := range paths {
		t.Columns = append(t.Columns, Column{Name: path})
	}
	if failed {
		t.Columns = append(t.Columns, Column{Name: "errors", Number: true})
	}
	first := len(t.Columns)
	lower := func(c metrics.Column) bool { return c.Lower && !c.Neutral }
	for _, c := range b.columns {
		head := c.Name
		if lower(c) {
			head += " ↓"
		}
		t.Columns = append(t.Columns, Column{Name: c.Name, Head: head, Group: head, Number: true}, Column{Name: c.Name + " difference", Head: "Δ", Group: head, Number: true})
	}
	f.titleNotes(t, lines, b.columns)
	rows := f.against(b.Full, lines, b.columnsTested())
	t.NoteTitle("Δ: "+differenceNote(lines, b.Full), "options are shown where they are not those of "+b.Full)
	if slices.ContainsFunc(b.columns, lower) {
		t.NoteTitle("↓: lower is better")
	}
	if slices.ContainsFunc(rows, func(h held) bool { return h.Adjusted != nil }) {
		marks := lists.Map(levels, func(l markLevel) string { return fmt.Sprintf("%s p ≤ %g", l.mark, l.p) })
		slices.Reverse(marks)
		t.NoteTitle(strings.Join(marks, ", ") + "; without a mark it is not tested")
	}
	t.NoteTitle(testNotes(contrastsOf(rows), contrastsOf(rows), shownFields{interval: b.Intervals, marks: true}, ContrastOptions{Options: b.Options})...)
	for _, l := range lines {
		full := fulls[l]
		row := f.cells(t, l)
		if full != nil && full.cell.Use != l.cell.Use {
			row[0].Notes = append(row[0].Notes, t.Note("another method, "+l.cell.Use+", whose options are its own"))
		}
		row = append(row, optionCells(l, full, paths)...)
		if failed {
			row = append(row, t.failures(l, b.columns))
		}
		for _, c := range b.columns {
			difference := Cell{Blank: true}
			if i := slices.IndexFunc(rows, func(h held) bool { return h.line == l && h.Column.Name == c.Name }); i >= 0 {
				difference = t.ablationCell(rows[i], b.Intervals)
			} else if full != nil && full != l { // of two means that no test is about
				difference = untested(l, full, c)
			}
			row = append(row, b.cell(t, l, c, l.ids()), difference)
		}
		t.Rows = append(t.Rows, row)
	}
	for i, c := range b.columns {
		t.markBest(first+2*i, c, lines)
	}
	return []*Table{t}, nil
}

// optionsChanged returns the paths of the options in which two rows differ.
func optionsChanged(a, b *line) []string {
	x, y := flat(a.cell.Options), flat(b.cell.Options)
	paths := lists.AddNew(slices.Collect(maps.Keys(x)), slices.Collect(maps.Keys(y))...)
	return lists.Filter(paths, func(path string) bool { return x[path] != y[path] })
}

// optionCells returns the options of a row at some paths: none where it uses
// another method than the full one. People see what is not as in that.
func optionCells(l, full *line, paths []string) []Cell {
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

// ablationCell is the difference of a row to the full method, with the mark of its test.
func (t *Table) ablationCell(h held, interval bool) Cell {
	cell := h.differenceCell(interval)
	cell.Notes = t.notes(append(slices.Clone(h.Notes), h.Reason())...)
	cell.P = h.Adjusted
	if h.Adjusted != nil {
		cell.Mark = shownNot
		if i := slices.IndexFunc(levels, func(l markLevel) bool { return *h.Adjusted <= l.p }); i >= 0 {
			cell.Mark = levels[i].mark
		}
	}
	return cell
}

// untested is the difference of two means.
func untested(l, full *line, c metrics.Column) Cell {
	own, ok := l.summary(c, l.ids())
	other, has := full.summary(c, full.ids())
	if !ok || !has {
		return Cell{}
	}
	d := (own.mean - other.mean) * c.Scale
	return Cell{Text: signed(d, c.Digits), Value: &d}
}

// A markLevel is the p-value up to which a difference gets a mark.
type markLevel struct {
	p    float64
	mark string
}

// levels are in order, the smallest first.
var levels = []markLevel{{0.001, "***"}, {0.01, "**"}, {alpha, "*"}}
