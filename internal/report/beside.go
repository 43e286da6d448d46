package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"recallbench/internal/near"
	"recallbench/internal/published"
	"recallbench/internal/stats"
	"recallbench/metrics"
)

// A comparison lays out a published table beside the lines of the same
// dataset.
type comparison struct {
	layout
	table  *published.Table
	checks []published.Check // that put a cell in doubt
	lines  []*line
}

// A pair is a published row and the line that stands beside it.
type pair struct {
	row  published.Row
	line *line
}

// beside lays out a published table beside what was measured: the cells of
// the rows that have a partner, then the rows on either side that have none.
func (b *builder) beside(name string) ([]*Table, error) {
	table, err := published.Get(name)
	if err != nil {
		return nil, err
	}
	checks, err := published.Audit()
	if err != nil {
		return nil, err
	}
	// A claim of the text may be wrong where the cell is right.
	checks = slices.DeleteFunc(checks, func(c published.Check) bool { return c.Kind == published.Claim })
	c := comparison{table: table, checks: checks}
	for _, l := range b.lines {
		if l.dataset.Name == table.Dataset {
			c.lines = append(c.lines, l)
		}
	}
	c.layout = b.layout(c.lines)
	if len(c.lines) == 0 {
		return []*Table{c.otherData(b.lines)}, nil
	}
	pairs := c.pairs()
	var tables []*Table
	if len(pairs) > 0 {
		tables = append(tables, c.cellTable(pairs))
	}
	if t := c.unmeasured(pairs); len(t.Rows) > 0 {
		tables = append(tables, t)
	}
	if t := c.unpublished(pairs); len(t.Rows) > 0 {
		tables = append(tables, t)
	}
	return tables, nil
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
			if !slices.Contains(labels, r.Label) {
				labels = append(labels, r.Label)
			}
		}
	}
	for _, l := range b.lines {
		if !slices.Contains(methods, l.cell.Method) {
			methods = append(methods, l.cell.Method)
		}
	}
	var faults []error
	has := func(names []string, name string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
	}
	for _, row := range slices.Sorted(maps.Keys(b.Rows)) {
		if !has(labels, row) {
			faults = append(faults, fmt.Errorf("row %q: %s", row, near.Unknown("published row", row, labels)))
		}
		if !has(methods, b.Rows[row]) {
			faults = append(faults, fmt.Errorf("row %q: %s", row, near.Unknown("method label", b.Rows[row], methods)))
		}
	}
	return faults
}

// newTable begins a table of the comparison.
func (c comparison) newTable(suffix, title string) *Table {
	t := &Table{Name: c.table.Name + suffix, Title: fmt.Sprintf("%s (%s: %s)%s", c.table.Name, c.table.Number, c.table.Title, title), Rows: [][]Cell{}}
	t.TitleNotes = append(t.TitleNotes, t.note(c.table.Paper.Citation()))
	return t
}

// otherData says that the runs have nothing of the table's dataset.
func (c comparison) otherData(lines []*line) *Table {
	var have []string
	var skipped []string
	for _, l := range lines {
		if !slices.Contains(have, l.dataset.Name) {
			have = append(have, l.dataset.Name)
		}
		for _, s := range l.run.Header.Skipped {
			if !slices.Contains(skipped, s) {
				skipped = append(skipped, s)
			}
		}
	}
	t := c.newTable("", "")
	note := fmt.Sprintf("not measured: the table is on %s, the run has %s", c.table.Dataset, strings.Join(have, ", "))
	if len(skipped) > 0 {
		note += "; skipped was " + strings.Join(skipped, "; ")
	}
	t.TitleNotes = append(t.TitleNotes, t.note(note))
	return t
}

// pairs finds the line for each published row: the one whose method has the
// row's label, or the label that Options.Rows gives. A line whose reader is a
// reader of the table goes with the row of that reader alone, any other line
// with the rows of all readers.
func (c comparison) pairs() []pair {
	var pairs []pair
	for _, row := range c.table.Rows {
		for _, l := range c.lines {
			if !c.named(row, l) {
				continue
			}
			if reader, ok := c.reader(l); ok && reader.Row != row.Model {
				continue
			}
			pairs = append(pairs, pair{row, l})
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

// reader returns the table's reader that answered a line.
func (c comparison) reader(l *line) (published.Reader, bool) {
	if l.model.Offline {
		return published.Reader{}, false
	}
	i := slices.IndexFunc(c.table.Readers, func(r published.Reader) bool {
		return r.Is(l.model.Reader) || slices.ContainsFunc(l.model.Served, r.Is)
	})
	if i < 0 {
		return published.Reader{}, false
	}
	return c.table.Readers[i], true
}

// cellTable lays out the cells of paired rows, one a line.
func (c comparison) cellTable(pairs []pair) *Table {
	t := c.newTable("", " beside what was measured")
	t.Columns = []Column{
		{Name: "model", Repeats: true},
		{Name: "method", Repeats: true},
		{Name: "measured by", Repeats: true},
		{Name: "group", Repeats: true},
		{Name: "metric"},
		{Name: "published", Number: true},
		{Name: "measured", Number: true},
		{Name: "difference", Number: true},
		{Name: "verdict"},
	}
	samples := 0
	for _, p := range pairs {
		samples = max(samples, len(p.line.samples))
	}
	rough := ""
	if samples < stats.FewClusters {
		rough = fmt.Sprintf("; with fewer than %d it is rough", stats.FewClusters)
	}
	for _, n := range []string{
		fmt.Sprintf("in parentheses the %g %% interval, which the verdict is about: resamples of whole samples, of which there are %d%s", 100*stats.Level, samples, rough),
		"the prompts are those of the run; whether they say what the paper's say is not checked",
	} {
		t.TitleNotes = append(t.TitleNotes, t.note(n))
	}
	for _, p := range pairs {
		by := text(c.name(p.line))
		if p.line.model.Offline {
			by.Notes = append(by.Notes, t.note(offlineNote))
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

// compare returns the cells from the metric on.
func (c comparison) compare(t *Table, p pair, cell published.Cell) []Cell {
	metric, _ := c.table.Metric(cell.Metric)
	digits := 0
	if _, decimals, ok := strings.Cut(cell.Printed, "."); ok {
		digits = len(decimals)
	}
	printed := t.publishedCell(c.table, p.row, cell, c.checks)
	missing := func(name, why string) []Cell {
		return []Cell{text(name), printed, {}, {}, text("not measured", t.note(why))}
	}
	column, why, ok := c.column(metric)
	if !ok {
		return missing(metric.Name, why)
	}
	ids, why, ok := c.ids(p.line, cell.Group)
	if !ok {
		return missing(column.Name, why)
	}
	column.Digits, column.Scale = digits, 1
	if metric.Unit == published.Percent {
		column.Scale = 100
	}
	b := *c.builder
	b.Intervals = true
	var measured Cell
	if c.sums(cell.Group) && c.table.Averaging == published.OverGroups {
		measured, ok = c.overGroups(p.line, column)
		if !ok {
			return missing(column.Name, "a group of the average has no value")
		}
	} else {
		measured = b.cell(t, p.line, column, ids)
	}
	if measured.Value == nil {
		return missing(column.Name, column.Name+" has no value in the run")
	}
	d := *measured.Value - cell.Value
	difference := Cell{Text: decimal(d, digits), Value: new(d)}
	if d > 0 && strings.Trim(difference.Text, "0.") != "" {
		difference.Text = "+" + difference.Text
	}
	var verdict Cell
	for _, reason := range c.reasons(p, cell, metric, column) {
		verdict.Notes = append(verdict.Notes, t.note(reason))
	}
	verdict.Text = "not comparable"
	if len(verdict.Notes) == 0 {
		verdict.Text = judge(cell, *measured.Value, measured.Interval)
	}
	return []Cell{text(column.Name), printed, measured, difference, verdict}
}

// judge says where a measured number lies beside a comparable published one.
// The published one is known to its last digit only.
func judge(cell published.Cell, measured float64, i *stats.Interval) string {
	switch {
	case i == nil:
		return "no interval"
	case i.Widen(cell.Rounding()).Contains(cell.Value):
		return "within interval"
	case measured > cell.Value:
		return "above"
	default:
		return "below"
	}
}

// sums reports whether a group of the table sums up the others.
func (c comparison) sums(group string) bool { return group == "" || group == c.table.Average }

// ids returns the categories of a line that a published group stands for.
func (c comparison) ids(l *line, group string) (ids []string, why string, ok bool) {
	if c.sums(group) {
		return l.ids(), "", true
	}
	for _, cat := range l.dataset.Categories {
		if strings.EqualFold(cat.Name, group) && l.categories[cat.ID] != nil {
			return []string{cat.ID}, "", true
		}
	}
	return nil, "the run has no requests of category " + group, false
}

// overGroups returns the mean over the groups of the table, each counting the
// same.
func (c comparison) overGroups(l *line, column metrics.Column) (Cell, bool) {
	var sum float64
	for _, part := range c.table.Parts {
		ids, _, ok := c.ids(l, part.Name)
		if !ok {
			return Cell{}, false
		}
		s, ok := l.summary(column.Name, ids)
		if !ok {
			return Cell{}, false
		}
		sum += s.mean
	}
	mean := sum / float64(len(c.table.Parts)) * column.Scale
	return Cell{Text: decimal(mean, column.Digits), Value: &mean}, true
}

// column returns the measured column for a published metric: the one that
// measures the same or, where the run does not have it, another dialect of it.
func (c comparison) column(m published.Metric) (column metrics.Column, why string, ok bool) {
	if m.Column == "" {
		return metrics.Column{}, "this program has no metric that measures " + m.Name, false
	}
	i := slices.IndexFunc(c.known, func(have metrics.Column) bool { return have.Name == m.Column })
	if i < 0 {
		base, _, dialect := strings.Cut(m.Column, "@")
		i = slices.IndexFunc(c.known, func(have metrics.Column) bool { return dialect && strings.HasPrefix(have.Name, base+"@") })
	}
	if i < 0 {
		return metrics.Column{}, "the run has no " + m.Column, false
	}
	return c.known[i], "", true
}
