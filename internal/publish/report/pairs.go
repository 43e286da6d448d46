package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/published"
	"recallbench/internal/text/suggest"
	"recallbench/metrics"
)

// A pair is a published row and the line that stands beside it.
type pair struct {
	row  published.Row
	line *line
}

// pairs finds the line for each published row: the one whose method has the
// row's label, or the label that Options.Rows gives. Of the rows of several
// readers, a line goes with those of its own or of the nearest.
func (c comparison) pairs() []pair {
	var pairs []pair
	for _, row := range c.rows {
		for _, l := range c.lines {
			if c.named(row, l) && c.beside(l, row.Model) {
				pairs = append(pairs, pair{row, l})
			}
		}
	}
	return pairs
}

// named reports whether a line's method goes by the label of a row.
func (c comparison) named(row published.Row, l *line) bool {
	label := row.Label
	for from, to := range c.Rows {
		if strings.EqualFold(from, row.Label) {
			label = to
		}
	}
	return strings.EqualFold(l.cell.Method, label)
}

// checkRows reports entries of Options.Rows that name no published row or no
// method of the runs.
func (b *builder) checkRows() []error {
	var labels, methods []string
	for _, name := range b.Published {
		table, err := published.Get(name)
		if err != nil {
			continue // reported where the table is laid out
		}
		for _, r := range table.Rows {
			labels = lists.AddNew(labels, r.Label)
		}
	}
	for _, l := range b.lines {
		methods = lists.AddNew(methods, l.cell.Method)
	}
	var faults []error
	has := func(names []string, name string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
	}
	seen := make(map[string]bool)
	for _, row := range slices.Sorted(maps.Keys(b.Rows)) {
		if fold := strings.ToLower(row); seen[fold] {
			faults = append(faults, fmt.Errorf("row %q: is there twice, in upper and lower case", row))
		} else {
			seen[fold] = true
		}
		if !has(labels, row) {
			faults = append(faults, fmt.Errorf("row %q: %s", row, suggest.Unknown("published row", row, labels)))
		}
		if !has(methods, b.Rows[row]) {
			faults = append(faults, fmt.Errorf("row %q: %s", row, suggest.Unknown("method label", b.Rows[row], methods)))
		}
	}
	return faults
}

// unmeasured lists the published rows that no line stands beside, with their
// summary cells and why.
func (c comparison) unmeasured(pairs []pair) *Table {
	t := c.newTable(", not measured", ": rows without a measurement")
	t.NoteTitle(printedDeviation(c.table)...)
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
		t.Rows = append(t.Rows, append(row, text(c.reasonUnmatched(r))))
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

// reasonUnmatched says why a published row has no partner.
func (c comparison) reasonUnmatched(r published.Row) string {
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
		if column, _, ok := c.column(m); ok && !hasColumn(columns, column.Name) {
			columns = append(columns, column)
			t.Columns = append(t.Columns, Column{Name: column.Name, Number: true})
		}
	}
	lines := slices.DeleteFunc(slices.Clone(c.lines), func(l *line) bool {
		return slices.ContainsFunc(pairs, func(p pair) bool { return p.line == l })
	})
	t.NoteTitle(c.seedNotes(lines)...)
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

// readers returns the models of the table's rows, in order; none where its rows
// have no model.
func (c comparison) readers() []string {
	models := lists.Distinct(c.table.Rows, func(r published.Row) string { return r.Model })
	return lists.Filter(models, func(model string) bool { return model != "" })
}

// reader returns the reader of a row of the table that answered a line.
func (c comparison) reader(l *line) (published.Reader, bool) {
	if l.model.Offline {
		return published.Reader{}, false
	}
	readers := c.readers()
	i := slices.IndexFunc(c.table.Readers, func(r published.Reader) bool {
		return slices.Contains(readers, r.Row) && (r.Is(l.model.Reader) || slices.ContainsFunc(l.model.Served, r.Is))
	})
	if i < 0 {
		return published.Reader{}, false
	}
	return c.table.Readers[i], true
}

// nearest returns the reader of the table whose rows a line stands beside: the
// one that answered it, else the one with the longest beginning of its name in
// common with the name of the line's model, else the first. the stand-in
// has no model, and stands beside the first.
func (c comparison) nearest(l *line) string {
	if r, ok := c.reader(l); ok {
		return r.Row
	}
	best, most := "", -1
	for _, reader := range c.readers() {
		names := []string{reader}
		if r, ok := c.table.Reader(reader); ok {
			names = append(names, r.Names...)
		}
		common := 0
		if !l.model.Offline {
			for _, own := range append([]string{l.model.Reader}, l.model.Served...) {
				for _, name := range names {
					common = max(common, sameBeginning(own, name))
				}
			}
		}
		if common > most {
			best, most = reader, common
		}
	}
	return best
}

// sameBeginning returns how many letters and digits two names of models have in
// common from their beginning, without what stands before a slash, such as a
// provider.
func sameBeginning(a, b string) int {
	plain := func(name string) string {
		name = name[strings.LastIndexByte(name, '/')+1:]
		return strings.Map(func(r rune) rune {
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				return -1
			}
			return unicode.ToLower(r)
		}, name)
	}
	a, b = plain(a), plain(b)
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// beside reports whether a line may stand beside the rows of a model: those of
// its own reader, where the table has it; else those of the nearest one, or where
// all readers are asked for, of each.
func (c comparison) beside(l *line, model string) bool {
	if model == "" {
		return true
	}
	if r, ok := c.reader(l); ok {
		return r.Row == model
	}
	return c.AllReaders || c.nearest(l) == model
}

// shown returns the rows of the table that are printed: those of the readers that
// are nearest to the lines', or all.
func (c comparison) shown() []published.Row {
	return slices.DeleteFunc(slices.Clone(c.table.Rows), func(r published.Row) bool {
		return r.Model != "" && !c.AllReaders && !slices.ContainsFunc(c.lines, func(l *line) bool { return c.nearest(l) == r.Model })
	})
}

// hiddenNote says which readers of the table are not shown; empty for none.
func (c comparison) hiddenNote() string {
	hidden := lists.Filter(c.readers(), func(model string) bool {
		return !slices.ContainsFunc(c.rows, func(r published.Row) bool { return r.Model == model })
	})
	if len(hidden) == 0 {
		return ""
	}
	return "only the published rows of the nearest model; 'bench table RUN --published all' adds those of " + strings.Join(hidden, ", ")
}
