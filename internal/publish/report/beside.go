package report

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/internal/publish/published"
	"recallbench/internal/text/suggest"
)

// A comparison lays out a published table beside the rows of the same dataset.
type comparison struct {
	layout
	table  *published.Table
	rows   []published.Row   // of the table that are printed
	checks []published.Check // that put a cell in doubt
	lines  []*line
	failed []*line // that answered nothing, and stand beside nothing
}

// A pair is a published row and the row of a run that stands beside it.
type pair struct {
	row  published.Row
	line *line
}

// beside lays out a published table beside what was measured: the cells of
// the rows that have a partner, then the published rows that have none.
func (b *builder) beside(name string) ([]*Table, error) {
	table, err := published.Get(name)
	if err != nil {
		return nil, err
	}
	// A claim of the text may be wrong where the cell is right.
	c := comparison{table: table, checks: lists.Filter(published.Audit(), func(c published.Check) bool { return c.Kind != published.Claim })}
	for _, l := range b.lines {
		switch {
		case l.dataset.Name != table.Dataset:
		case l.allFailed():
			c.failed = append(c.failed, l)
		default:
			c.lines = append(c.lines, l)
		}
	}
	c.layout = b.layout(c.lines)
	switch {
	case len(c.lines) == 0 && len(c.failed) > 0:
		return nil, nil // nothing was measured
	case len(c.lines) == 0:
		return []*Table{c.otherData(b.lines)}, nil
	}
	c.rows = lists.Filter(table.Rows, func(r published.Row) bool {
		return r.Model == "" || c.AllReaders || slices.ContainsFunc(c.lines, func(l *line) bool { return c.nearest(l) == r.Model })
	})
	var pairs []pair
	for _, row := range c.rows {
		for _, l := range c.lines {
			if c.named(row, l) && c.stands(l, row.Model) {
				pairs = append(pairs, pair{row, l})
			}
		}
	}
	tables := []*Table{c.cellTable(pairs), c.unmeasured(pairs)}
	tables = lists.Filter(tables, func(t *Table) bool { return len(t.Rows) > 0 })
	hidden := lists.Filter(c.readers(), func(model string) bool {
		return !slices.ContainsFunc(c.rows, func(r published.Row) bool { return r.Model == model })
	})
	if len(hidden) > 0 && len(tables) > 0 {
		tables[0].NoteTitle("only the published rows of the nearest model; 'bench table RUN --published all' adds those of " + strings.Join(hidden, ", "))
	}
	return tables, nil
}

// checkRows reports entries of [Options].Rows that name no published row or no
// method of the runs.
func (b *builder) checkRows() []error {
	var labels []string
	for _, name := range b.Published {
		if table, err := published.Get(name); err == nil { // or reported where the table is laid out
			labels = lists.AddNew(labels, lists.Map(table.Rows, func(r published.Row) string { return r.Label })...)
		}
	}
	methods := lists.Distinct(b.lines, func(l *line) string { return l.cell.Method })
	var faults []error
	check := func(row, kind, name string, have []string) {
		if !slices.ContainsFunc(have, func(n string) bool { return strings.EqualFold(n, name) }) {
			faults = append(faults, fmt.Errorf("row %q: %s", row, suggest.Unknown(kind, name, have)))
		}
	}
	seen := make(map[string]bool)
	for _, row := range slices.Sorted(maps.Keys(b.Rows)) {
		if seen[strings.ToLower(row)] {
			faults = append(faults, errors.New("row \""+row+"\": is there twice, in upper and lower case"))
		}
		seen[strings.ToLower(row)] = true
		check(row, "published row", row, labels)
		check(row, "method label", b.Rows[row], methods)
	}
	return faults
}

// named reports whether a row's method goes by the label of a published row, or the label
// that [Options].Rows gives for that.
func (c comparison) named(row published.Row, l *line) bool {
	label := row.Label
	for from, to := range c.Rows {
		if strings.EqualFold(from, row.Label) {
			label = to
		}
	}
	return strings.EqualFold(l.cell.Method, label)
}

// newTable begins a table of the comparison.
func (c comparison) newTable(suffix, title string) *Table {
	t := &Table{Name: c.table.Name + suffix, Title: fmt.Sprintf("%s (%s: %s)%s", c.table.Name, c.table.Number, c.table.Title, title), Rows: [][]Cell{}}
	t.NoteTitle(c.table.Paper.Citation())
	return t
}

func (c comparison) otherData(lines []*line) *Table {
	var skipped []string
	for _, l := range lines {
		skipped = lists.AddNew(skipped, l.run.Header.Skipped...)
	}
	t := c.newTable("", "")
	note := fmt.Sprintf("not measured: the table is on %s, the run has %s", c.table.Dataset, strings.Join(lists.Distinct(lines, func(l *line) string { return l.dataset.Name }), ", "))
	if len(skipped) > 0 {
		note += "; skipped was " + strings.Join(skipped, "; ")
	}
	t.NoteTitle(note)
	return t
}

// cellTable lays out the cells of published rows beside the measured ones.
func (c comparison) cellTable(pairs []pair) *Table {
	t := c.newTable("", " beside what was measured")
	if len(pairs) == 0 {
		return t
	}
	t.Columns = []Column{
		{Name: "model", Repeats: true, Parts: true},
		{Name: "method", Repeats: true},
		{Name: "measured by", Repeats: true},
		{Name: "group", Repeats: true},
		{Name: "metric"},
		{Name: "published", Number: true},
		{Name: "measured", Number: true},
		{Name: "difference", Number: true},
		{Name: "verdict"},
	}
	lines := lists.Distinct(pairs, func(p pair) *line { return p.line })
	t.NoteTitle(append(c.seedNotes(lines), printedDeviation(c.table)...)...)
	samples := slices.Max(lists.Map(lines, func(l *line) int { return len(l.samples) }))
	rough := ""
	if samples < stats.FewClusters {
		rough = fmt.Sprintf("; with fewer than %d it is rough", stats.FewClusters)
	}
	t.NoteTitle(
		fmt.Sprintf("in parentheses the %g %% interval, which the verdict is about: resamples of whole samples, of which there are %d%s", 100*stats.Level, samples, rough),
		"the prompts are those of the run; whether they say what the paper's say is not checked",
	)
	for _, p := range pairs {
		by := text(c.name(p.line), t.notes(p.line.run.Header.EditedNote())...)
		if p.line.model.Offline {
			by.Notes = append([]int{t.Note(standInNote)}, by.Notes...)
		}
		for _, cell := range p.row.Cells {
			group := cell.Group
			if group == "" {
				group = "all"
			}
			row := []Cell{text(p.row.Model), text(p.row.Label), by, text(group)}
			t.Rows = append(t.Rows, append(row, c.compare(t, p, cell)...))
		}
	}
	return t
}

// unmeasured lists the published rows that no row stands beside, with their
// summary cells and why.
func (c comparison) unmeasured(pairs []pair) *Table {
	t := c.newTable(", not measured", ": rows without a measurement")
	t.NoteTitle(printedDeviation(c.table)...)
	t.Columns = []Column{{Name: "model", Repeats: true, Parts: true}, {Name: "method"}}
	summary := func(r published.Row, m published.Metric) (published.Cell, bool) {
		if cell, ok := r.Cell("", m.Name); ok {
			return cell, true
		}
		return r.Cell(c.table.Average, m.Name)
	}
	summaries := lists.Filter(c.table.Metrics, func(m published.Metric) bool {
		return slices.ContainsFunc(c.table.Rows, func(r published.Row) bool { _, ok := summary(r, m); return ok })
	})
	for _, m := range summaries {
		t.Columns = append(t.Columns, Column{Name: m.Name, Number: true})
	}
	t.Columns = append(t.Columns, Column{Name: "why"})
	for _, r := range c.rows {
		if slices.ContainsFunc(pairs, func(p pair) bool { return p.row.Key() == r.Key() }) {
			continue
		}
		row := []Cell{text(r.Model), text(r.Label)}
		for _, m := range summaries {
			var cell Cell
			if s, ok := summary(r, m); ok {
				cell = t.publishedCell(c.table, r, s, c.checks)
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, append(row, text(c.reasonUnmatched(r))))
	}
	return t
}

// reasonUnmatched says why a published row has no partner.
func (c comparison) reasonUnmatched(r published.Row) string {
	if slices.ContainsFunc(c.failed, func(l *line) bool { return c.named(r, l) && c.stands(l, r.Model) }) {
		return "every request failed"
	}
	if i := slices.IndexFunc(c.lines, func(l *line) bool { return c.named(r, l) }); i >= 0 {
		return "measured with another reader, " + c.lines[i].model.Reader
	}
	method, ok := c.table.Method(r)
	if ok && !slices.Contains(c.Methods, method.Use) {
		return fmt.Sprintf("this program does not have %s yet", method.Use)
	}
	why := fmt.Sprintf("no method of the run is labelled %q", r.Label)
	if i := slices.IndexFunc(c.lines, func(l *line) bool { return ok && l.cell.Use == method.Use }); i >= 0 {
		why += fmt.Sprintf("; to use another: --row %q", r.Label+"="+c.lines[i].cell.Method)
	}
	return why
}

// readers returns the models of the table's rows, in order; none where its rows
// have no model.
func (c comparison) readers() []string {
	models := lists.Distinct(c.table.Rows, func(r published.Row) string { return r.Model })
	return lists.Filter(models, func(model string) bool { return model != "" })
}

// reader returns the reader of a row of the table that answered a row of a run.
func (c comparison) reader(l *line) (published.Reader, bool) {
	readers := c.readers()
	i := slices.IndexFunc(c.table.Readers, func(r published.Reader) bool {
		return !l.model.Offline && slices.Contains(readers, r.Row) && (r.Is(l.model.Reader) || slices.ContainsFunc(l.model.Served, r.Is))
	})
	if i < 0 {
		return published.Reader{}, false
	}
	return c.table.Readers[i], true
}

// nearest returns the reader of the table whose rows a row of a run stands beside: the
// one that answered it, else the one with the longest beginning of its name in
// common with the name of its model, else the first. The stand-in
// has no model, and stands beside the first.
func (c comparison) nearest(l *line) string {
	if r, ok := c.reader(l); ok {
		return r.Row
	}
	best, most := "", -1
	for _, reader := range c.readers() {
		r, _ := c.table.Reader(reader)
		common := 0
		for _, own := range append([]string{l.model.Reader}, l.model.Served...) {
			for _, name := range append([]string{reader}, r.Names...) {
				if !l.model.Offline {
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
func sameBeginning(a, b string) (n int) {
	plain := func(name string) string {
		return strings.Map(func(r rune) rune {
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				return -1
			}
			return unicode.ToLower(r)
		}, name[strings.LastIndexByte(name, '/')+1:])
	}
	a, b = plain(a), plain(b)
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// stands reports whether a row may stand beside the rows of a model: those of
// its own reader, where the table has it; else those of the nearest one, or where
// all readers are asked for, of each.
func (c comparison) stands(l *line, model string) bool {
	if r, ok := c.reader(l); ok && model != "" {
		return r.Row == model
	}
	return model == "" || c.AllReaders || c.nearest(l) == model
}
