package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

func (b *builder) mainTable(lines []*line) *Table {
	columns, missing := b.valued(lines, b.columns)
	t := &Table{Name: lines[0].dataset.Label, Title: b.layout(lines).title(lines)}
	if len(missing) > 0 {
		t.NoteTitle("no row has a value of " + enumerate(columnNames(missing), "and"))
	}
	return b.meansTable(lines, t, columns)
}

// valued returns the columns of which some line has a value, and those of which none has.
// Where the options name columns, or none has a value, all are shown, as are those that
// models and people fill in after the run.
func (b *builder) valued(lines []*line, columns []metrics.Column) (some, none []metrics.Column) {
	for _, c := range columns {
		if b.of[c.Name] == metrics.Judgement || c.Name == metrics.UCSSpec.Name || valued(lines, c) {
			some = append(some, c)
		} else {
			none = append(none, c)
		}
	}
	if len(b.Columns) > 0 || len(some) == 0 {
		return columns, nil
	}
	return some, none
}

// metricTables lays out each metric of more than one column, unless the
// options name the columns to show.
func (b *builder) metricTables(lines []*line) []*Table {
	if len(b.Columns) > 0 {
		return nil
	}
	label := lines[0].dataset.Label
	var tables []*Table
	for _, spec := range b.wide {
		if some, _ := b.valued(lines, spec.Columns); len(some) > 0 {
			t := &Table{Name: label + ": " + spec.Name, Title: label + ", " + spec.Name + ": " + spec.Doc}
			tables = append(tables, b.meansTable(lines, t, spec.Columns))
		}
	}
	return tables
}

// meansTable fills t with the means of columns over all requests.
func (b *builder) meansTable(lines []*line, t *Table, columns []metrics.Column) *Table {
	f := b.layout(lines)
	t.Rows, t.BestOf = [][]Cell{}, f.bestOf()
	n, failed := Column{Name: "n", Number: true, Said: true}, Column{Name: "errors", Number: true, Said: true}
	for _, l := range lines {
		_, errors, _ := l.scored()
		n.Said, failed.Said = n.Said && len(l.items) == lines[0].dataset.Requests && len(l.items) == l.dataset.Requests, failed.Said && errors == 0
	}
	t.Columns = append(f.columns(), n, failed)
	first := len(t.Columns)
	for _, c := range columns {
		t.Columns = append(t.Columns, Column{Name: c.Name, Number: true})
	}
	f.titleNotes(t, lines, columns)
	for _, l := range lines {
		row := append(f.cells(t, l), count(len(l.items)), t.failures(l, columns))
		for _, c := range columns {
			row = append(row, b.cell(t, l, c, l.ids()))
		}
		t.Rows = append(t.Rows, row)
	}
	for i, c := range columns {
		t.markBest(first+i, c, lines)
	}
	return t
}

// splitTables lays out the tables of columns by the categories of lines, or the groups
// that stand in place of these.
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
	first := len(t.Columns)
	ids := asked(lines)
	parts := append(lists.Map(ids, func(id string) []string { return []string{id} }), ids)
	for i, of := range parts {
		name := "all"
		if i < len(ids) {
			name = d.CategoryName(ids[i])
		}
		sizes := lists.Map(lines, func(l *line) int { n, _ := l.n(of); return n })
		head := Column{Name: name, Head: fmt.Sprintf("%s (%d)", name, slices.Max(sizes)), Number: true}
		if slices.Min(sizes) < slices.Max(sizes) {
			head.Notes = append(head.Notes, t.Note("not all rows have this many requests"))
		}
		t.Columns = append(t.Columns, head)
	}
	f.titleNotes(t, lines, []metrics.Column{c})
	if b.By == Category {
		t.NoteTitle(aliasNotes(d, ids)...)
	}
	for _, l := range lines {
		row := f.cells(t, l)
		for _, of := range parts {
			row = append(row, b.cell(t, l, c, of))
		}
		all := &row[len(row)-1]
		all.Notes = append(all.Notes, t.notes(l.bounds([]metrics.Column{c}, ids))...)
		t.Rows = append(t.Rows, row)
	}
	for i := range parts {
		t.markBest(first+i, c, lines)
	}
	b.wordsBeside(t, lines, c)
	return t
}

// aliasNotes tell the names that other projects print for the categories.
func aliasNotes(d record.Dataset, ids []string) []string {
	others := make(map[string][]string)
	for _, c := range d.Categories {
		for project, name := range c.Aliases {
			if slices.Contains(ids, c.ID) && name != c.Name {
				others[project] = append(others[project], fmt.Sprintf("%q for %s", name, c.Name))
			}
		}
	}
	return lists.Map(slices.Sorted(maps.Keys(others)), func(project string) string {
		return project + " has other names for categories: " + strings.Join(others[project], ", ")
	})
}

// Plural counts things of a kind.
func Plural(n int, kind string) string {
	if n != 1 {
		kind += "s"
	}
	return strconv.Itoa(n) + " " + kind
}

// enumerate lists names with a word before the last.
func enumerate(names []string, last string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " " + last + " " + names[len(names)-1]
}

// bestOf says among which rows the best is marked.
func (f layout) bestOf() string {
	if f.model {
		return "of its model"
	}
	return ""
}

// failures counts the failed requests of a line, with what they do to its means.
func (t *Table) failures(l *line, columns []metrics.Column) Cell {
	_, failed := l.n(l.ids())
	c := count(countAll(failed))
	if len(failed) > 1 || failed[record.Error] != countAll(failed) {
		kinds := lists.Map(slices.Sorted(maps.Keys(failed)), func(s record.Status) string { return fmt.Sprintf("%d %s", failed[s], s) })
		c.Notes = append(c.Notes, t.Note("failed requests by status: "+strings.Join(kinds, ", ")))
	}
	c.Notes = append(c.Notes, t.notes(l.bounds(columns, l.ids()))...)
	return c
}

// better returns 1 where a value of a column is better than another one, -1 where
// it is worse.
func better(a, b float64, c metrics.Column) int {
	switch {
	case a == b:
		return 0
	case a > b != c.Lower:
		return 1
	}
	return -1
}

// markBest marks the best of a column among the rows of each model; several
// when they print alike, none when all do. A row whose requests all failed is out
// of it: it asked for few tokens because it answered nothing. So is a ceiling or a
// control, which is no memory.
func (t *Table) markBest(column int, c metrics.Column, lines []*line) {
	groups := make(map[string][]int)
	for i, row := range t.Rows {
		if !c.Neutral && !lines[i].allFailed() && lines[i].cell.Sees == "" && row[column].Value != nil {
			groups[lines[i].cell.Model] = append(groups[lines[i].cell.Model], i)
		}
	}
	for _, rows := range groups {
		best := slices.MinFunc(rows, func(a, b int) int { return better(*t.Rows[b][column].Value, *t.Rows[a][column].Value, c) })
		shown := func(i int) string { s, _, _ := strings.Cut(t.Rows[i][column].Text, " "); return s }
		same := lists.Filter(rows, func(i int) bool { return shown(i) == shown(best) })
		if len(same) == len(rows) {
			continue
		}
		for _, i := range same {
			t.Rows[i][column].Best = true
		}
	}
}

// Summarize sums up the scores of a run for an index of runs: a row for each
// method with a model on a dataset, with all columns that are means of requests,
// those of the main table with their 95 % intervals. Spent are the sums of the
// run's records; a row that has none has no price and no time. Of the options only
// Metric is read.
func Summarize(r *Run, spent []record.Spent, o Options) ([]record.SummaryRow, error) {
	b, err := open([]*Run{r}, Options{Metric: o.Metric, Intervals: true})
	if err != nil {
		return nil, err
	}
	var rows []record.SummaryRow
	for _, l := range b.lines {
		n, failed, _ := l.scored()
		row := record.SummaryRow{
			Dataset: l.cell.Dataset, Method: l.cell.Method, Model: l.cell.Model, Requests: n, Errors: failed,
			Cells:   lists.Map(l.bySeed(), func(seed *line) string { return seed.cell.ID }),
			Columns: b.summaryMeans(l, b.known, l.ids(), true), Categories: make(map[string]map[string]record.SummaryMean),
		}
		for _, id := range asked([]*line{l}) {
			row.Categories[l.dataset.CategoryName(id)] = b.summaryMeans(l, b.columns, []string{id}, false)
		}
		if s, ok := spentBy(spent, l); ok && s.Cost != nil {
			row.USD = new(*s.Cost * float64(s.Requests))
		}
		if s, ok := spentBy(spent, l); ok && s.Latency != nil {
			row.Median = &s.Latency.Median
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// spentBy returns what a row took.
func spentBy(spent []record.Spent, l *line) (record.Spent, bool) {
	i := slices.IndexFunc(spent, func(s record.Spent) bool {
		return s.Dataset == l.cell.Dataset && s.Method == l.cell.Method && s.Model == l.cell.Model
	})
	if i < 0 {
		return record.Spent{}, false
	}
	return spent[i], true
}

// summaryMeans are the means of columns over some categories of a line, with the intervals
// of those of the main table where they are asked for.
func (b *builder) summaryMeans(l *line, columns []metrics.Column, ids []string, intervals bool) map[string]record.SummaryMean {
	means := make(map[string]record.SummaryMean)
	for _, c := range columns {
		s, ok := l.summary(c, ids)
		if !ok {
			continue
		}
		mean := record.SummaryMean{N: s.n, Mean: s.mean}
		if intervals && hasColumn(b.columns, c.Name) {
			if i, ok := b.interval(l, c, ids, s); ok {
				mean.Low, mean.High, mean.Samples = &i.Lo, &i.Hi, stats.Count(s.clusters)
			}
		}
		means[c.Name] = mean
	}
	return means
}

// A Means is a row of a run's tables for programs to read: a method with a model
// on a dataset, over all its categories or over one. Seeds share a row, as they
// do in tables.
type Means struct {
	Dataset, Method, Model string // labels
	Category, CategoryName string // empty for all
	// Requests is the number that is scored and Failed how many of them failed,
	// over all seeds. Planned is how many the run was to ask in all categories.
	Requests, Failed, Planned int
	Columns                   []ColumnMean
}

// A ColumnMean is the mean of a column as the tables have it.
type ColumnMean struct {
	metrics.Column
	// Mean is in the unit of the scores; nil where no request has a value.
	Mean *float64
	// Of is what its metric looks at.
	Of metrics.Part
}

// Tested reports whether a column is a mean over requests that each count the
// same, which [Contrasts] can test.
func (c ColumnMean) Tested() bool { return testable(c.Column) }

// MeansOf sums up a run: for each method with a model on a dataset a row over all
// categories, then one for each category that it has requests of, in the order of
// the run and of the dataset. Of the options only Metric is read.
func MeansOf(r *Run, o Options) ([]Means, error) {
	b, err := open([]*Run{r}, Options{Metric: o.Metric})
	if err != nil {
		return nil, err
	}
	var all []Means
	for _, l := range b.lines {
		ids := asked([]*line{l})
		for i, of := range append([][]string{ids}, lists.Map(ids, func(id string) []string { return []string{id} })...) {
			m := Means{Dataset: l.cell.Dataset, Method: l.cell.Method, Model: l.cell.Model}
			if i > 0 {
				m.Category, m.CategoryName = of[0], l.dataset.CategoryName(of[0])
			}
			_, failed := l.n(of)
			m.Failed = countAll(failed)
			for _, seed := range l.bySeed() {
				n, _ := seed.n(of)
				m.Requests, m.Planned = m.Requests+n, m.Planned+seed.cell.Planned
			}
			for _, c := range b.known {
				mean := ColumnMean{Column: c, Of: b.of[c.Name]}
				if s, ok := l.summary(c, of); ok {
					mean.Mean = &s.mean
				}
				m.Columns = append(m.Columns, mean)
			}
			all = append(all, m)
		}
	}
	return all, nil
}
