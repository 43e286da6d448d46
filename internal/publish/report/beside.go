package report

import (
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/internal/publish/published"
)

// A comparison lays out a published table beside the lines of the same
// dataset.
type comparison struct {
	layout
	table  *published.Table
	rows   []published.Row   // of the table that are printed
	checks []published.Check // that put a cell in doubt
	lines  []*line
	failed []*line // that answered nothing, and stand beside nothing
}

// beside lays out a published table beside what was measured: the cells of
// the rows that have a partner, then the rows on either side that have none.
func (b *builder) beside(name string) ([]*Table, error) {
	table, err := published.Get(name)
	if err != nil {
		return nil, err
	}
	checks := published.Audit()
	// A claim of the text may be wrong where the cell is right.
	checks = slices.DeleteFunc(checks, func(c published.Check) bool { return c.Kind == published.Claim })
	c := comparison{table: table, checks: checks}
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
	c.rows = c.shown()
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
	if note := c.hiddenNote(); note != "" && len(tables) > 0 {
		tables[0].TitleNotes = append(tables[0].TitleNotes, tables[0].Note(note))
	}
	return tables, nil
}

// newTable begins a table of the comparison.
func (c comparison) newTable(suffix, title string) *Table {
	t := &Table{Name: c.table.Name + suffix, Title: fmt.Sprintf("%s (%s: %s)%s", c.table.Name, c.table.Number, c.table.Title, title), Rows: [][]Cell{}}
	t.NoteTitle(c.table.Paper.Citation())
	return t
}

func (c comparison) deviationNotes(t *Table, pairs []pair) {
	lines := lists.Distinct(pairs, func(p pair) *line { return p.line })
	t.NoteTitle(append(c.seedNotes(lines), printedDeviation(c.table)...)...)
}

func (c comparison) otherData(lines []*line) *Table {
	have := lists.Distinct(lines, func(l *line) string { return l.dataset.Name })
	var skipped []string
	for _, l := range lines {
		skipped = lists.AddNew(skipped, l.run.Header.Skipped...)
	}
	t := c.newTable("", "")
	note := fmt.Sprintf("not measured: the table is on %s, the run has %s", c.table.Dataset, strings.Join(have, ", "))
	if len(skipped) > 0 {
		note += "; skipped was " + strings.Join(skipped, "; ")
	}
	t.NoteTitle(note)
	return t
}

func (c comparison) cellTable(pairs []pair) *Table {
	t := c.newTable("", " beside what was measured")
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
	samples := slices.Max(lists.Map(pairs, func(p pair) int { return len(p.line.samples) }))
	c.deviationNotes(t, pairs)
	in := "parentheses"
	if slices.ContainsFunc(pairs, func(p pair) bool { return len(p.line.seeds) > 0 }) {
		in = "the last parentheses"
	}
	rough := ""
	if samples < stats.FewClusters {
		rough = fmt.Sprintf("; with fewer than %d it is rough", stats.FewClusters)
	}
	t.NoteTitle(
		fmt.Sprintf("in %s the %g %% interval, which the verdict is about: resamples of whole samples, of which there are %d%s", in, 100*stats.Level, samples, rough),
		"the prompts are those of the run; whether they say what the paper's say is not checked",
	)
	for _, p := range pairs {
		by := text(c.name(p.line))
		if p.line.model.Offline {
			by.Notes = append(by.Notes, t.Note(standInNote))
		}
		by.Notes = append(by.Notes, t.notes(p.line.run.Header.EditedNote())...)
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
