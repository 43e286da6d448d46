package report

import (
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/metrics"
)

// A tableColumn is a column of a table and a function for its cells.
type tableColumn[R any] struct {
	Column
	of func(R) Cell
}

// fill adds the rows to a table.
func fill[R any](t *Table, rows []R, columns ...tableColumn[R]) {
	t.Columns = lists.Map(columns, func(c tableColumn[R]) Column { return c.Column })
	t.Rows = make([][]Cell, len(rows))
	for i, r := range rows {
		t.Rows[i] = lists.Map(columns, func(c tableColumn[R]) Cell { return c.of(r) })
	}
}

// textColumn is a column of texts.
func textColumn[R any](name string, of func(R) string) tableColumn[R] {
	return tableColumn[R]{Column{Name: name}, func(r R) Cell { return text(of(r)) }}
}

// numberColumn is a column of numbers.
func numberColumn[R any](name string, of func(R) Cell) tableColumn[R] {
	return tableColumn[R]{Column{Name: name, Number: true}, of}
}

// A layout sets how the rows of a table are named: by the method, and by model, run and seed
// if the method alone does not distinguish them.
type layout struct {
	*builder
	model, run, seed bool
}

func (b *builder) layout(lines []*line) layout {
	f := layout{builder: b}
	runs := make(map[[2]string]*Run)
	for _, l := range lines {
		name := [2]string{l.cell.Method, l.cell.Model}
		if other, ok := runs[name]; ok {
			f.run = f.run || other != l.run
			f.seed = f.seed || other == l.run
		}
		runs[name] = l.run
		f.model = f.model || l.cell.Model != lines[0].cell.Model
	}
	return f
}

// A namePart is a part of the name of a row: a column, and the text that joins it to the
// parts before it.
type namePart struct {
	Column
	join string
	of   func(*line) string
}

func (f layout) nameParts() []namePart {
	parts := []namePart{{Column{Name: "method"}, "", func(l *line) string { return l.cell.Method }}}
	if f.model {
		parts = append(parts, namePart{Column{Name: "model"}, " with ", func(l *line) string { return l.cell.Model }})
	}
	if f.run {
		parts = append(parts, namePart{Column{Name: "run"}, " of ", func(l *line) string { return f.names[l.run] }})
	}
	if f.seed {
		parts = append(parts, namePart{Column{Name: "seed"}, ", seed ", (*line).seed})
	}
	return parts
}

// named returns the columns that name rows.
func (f layout) named() []tableColumn[*line] {
	return lists.Map(f.nameParts(), func(p namePart) tableColumn[*line] {
		return tableColumn[*line]{p.Column, func(l *line) Cell { return text(p.of(l)) }}
	})
}

// noted returns the columns that name rows, with the notes on each row.
func (f layout) noted(t *Table) []tableColumn[*line] {
	columns := f.named()
	columns[0].of = func(l *line) Cell { return text(l.cell.Method, t.notes(f.rowNotes(l)...)...) }
	return columns
}

// mean returns the table column with the means of a metric's column.
func (b *builder) mean(t *Table, c metrics.Column) tableColumn[*line] {
	return numberColumn(c.Name, func(l *line) Cell { return b.cell(t, l, c, l.ids()) })
}

// name returns the name of a row in a note.
func (f layout) name(l *line) string {
	var name strings.Builder
	for _, p := range f.nameParts() {
		name.WriteString(p.join + p.of(l))
	}
	return name.String()
}

// only names the rows that a note is about, by methods, models or runs if these have no other
// rows; empty if it is about all.
func (f layout) only(lines []*line, in func(*line) bool) string {
	of, others := lists.Filter(lines, in), lists.Filter(lines, func(l *line) bool { return !in(l) })
	if len(others) == 0 {
		return ""
	}
	names := lists.Distinct(of, f.name)
	for _, p := range f.nameParts() {
		short := lists.Distinct(of, p.of)
		if len(lists.AddNew(slices.Clone(short), lists.Map(others, p.of)...)) == len(short)+len(lists.Distinct(others, p.of)) && len(short) <= len(names) {
			names = short
		}
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// each returns a note for each text about rows, which names the rows unless it is about all.
func (f layout) each(lines []*line, about func(*line) string) []string {
	var notes []string
	for _, text := range lists.Distinct(lines, about) {
		if text != "" {
			notes = append(notes, text+f.only(lines, func(l *line) bool { return about(l) == text }))
		}
	}
	return notes
}

// title names the dataset of rows, and their model if they share one.
func (f layout) title(lines []*line) string {
	d := lines[0].dataset
	title := d.Label
	if d.Name != d.Label {
		title += " (" + d.Name + ")"
	}
	if !slices.ContainsFunc(lines, func(l *line) bool { return l.dataset.Requests != d.Requests || l.dataset.Samples != d.Samples }) {
		title += ": " + Plural(d.Requests, "question") + " about " + Plural(lines[0].conversations(), "conversation")
	}
	if !f.model {
		m := lines[0].model
		title += ", model " + m.Label
		if m.Reader != m.Label {
			title += " (" + m.Reader + ")"
		}
		if recorded := recordedText(lines[0].run.Header, m); recorded != "" {
			title += ", " + recorded
		}
	}
	return title
}

// bestOf says among which rows the best is marked.
func (f layout) bestOf() string {
	if f.model {
		return "of its model"
	}
	return ""
}
