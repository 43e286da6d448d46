package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// splitTables lays out the tables that [Options].By asks for.
func (b *builder) splitTables(lines []*line) []*Table {
	var tables []*Table
	columns, _ := b.valued(lines, b.columns)
	for _, c := range columns {
		if len(b.Columns) > 0 || b.of[c.Name] != metrics.Usage {
			tables = append(tables, b.splitTable(lines, c))
			if b.Brief {
				break
			}
		}
	}
	return tables
}

func (b *builder) splitTable(lines []*line, c metrics.Column) *Table {
	f := b.layout(lines)
	d := lines[0].dataset
	t := &Table{Name: d.Label + " by " + b.By + ": " + c.Name, Title: d.Label + ", " + c.Name + " by " + b.By, Rows: [][]Cell{}, BestOf: f.bestOf()}
	t.Columns = f.columns()
	ids := asked(lines)
	sizes := func(ids []string) (most int, same bool) {
		least := -1
		for _, l := range lines {
			n, _ := l.n(ids)
			most = max(most, n)
			if least < 0 || n < least {
				least = n
			}
		}
		return most, least == most
	}
	for _, id := range append(slices.Clone(ids), "") {
		name, of := "all", ids
		if id != "" {
			name, of = d.CategoryName(id), []string{id}
		}
		n, same := sizes(of)
		head := Column{Name: name, Head: fmt.Sprintf("%s (%d)", name, n), Number: true}
		if !same {
			head.Notes = append(head.Notes, t.Note("not all rows have this many requests"))
		}
		t.Columns = append(t.Columns, head)
	}
	f.titleNotes(t, lines, []metrics.Column{c})
	if b.By == Category {
		t.aliasNotes(d, ids)
	}
	first := len(f.columns())
	for _, l := range lines {
		row := f.cells(t, l)
		for _, id := range ids {
			row = append(row, b.cell(t, l, c, []string{id}))
		}
		all := b.cell(t, l, c, ids)
		all.Notes = append(all.Notes, t.notes(l.bounds([]metrics.Column{c}, ids))...)
		t.Rows = append(t.Rows, append(row, all))
	}
	for i := range len(ids) + 1 {
		t.markBest(first+i, c, lines)
	}
	b.wordsBeside(t, lines, c)
	return t
}

// aliasNotes tell the names that other projects print for the categories.
func (t *Table) aliasNotes(d record.Dataset, ids []string) {
	others := make(map[string][]string)
	for _, c := range d.Categories {
		if !slices.Contains(ids, c.ID) {
			continue
		}
		for project, name := range c.Aliases {
			if name != c.Name {
				others[project] = append(others[project], fmt.Sprintf("%q for %s", name, c.Name))
			}
		}
	}
	for _, project := range slices.Sorted(maps.Keys(others)) {
		t.NoteTitle(project + " has other names for categories: " + strings.Join(others[project], ", "))
	}
}
