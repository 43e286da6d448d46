package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"recallbench/datasets/errata"
	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// meanTables lays out the means of a dataset: the main table and, unless the options name
// columns, a table of each metric with more than one column.
func (b *builder) meanTables(lines []*line) []*Table {
	columns := b.valued(lines, b.columns)
	t := &Table{Name: lines[0].dataset.Label, Title: b.layout(lines).title(lines)}
	if missing := lists.Filter(b.columns, func(c metrics.Column) bool { return !hasColumn(columns, c.Name) }); len(missing) > 0 {
		t.NoteTitle("no row has a value of " + strings.Join(columnNames(missing), ", "))
	}
	tables := []*Table{b.meansTable(lines, t, columns)}
	for _, spec := range b.specs {
		if len(b.Columns) == 0 && len(spec.Columns) > 1 && len(b.valued(lines, spec.Columns)) > 0 {
			t := &Table{Name: t.Name + ": " + spec.Name, Title: t.Name + ", " + spec.Name + ": " + spec.Doc}
			tables = append(tables, b.meansTable(lines, t, spec.Columns))
		}
	}
	return tables
}

// valued returns the columns in which any line has a value. If the options name columns, or
// no column has a value, it returns all. Columns that models and people fill in after the
// run are always included.
func (b *builder) valued(lines []*line, columns []metrics.Column) []metrics.Column {
	some := lists.Filter(columns, func(c metrics.Column) bool {
		return b.of[c.Name] == metrics.Judgement || c.Name == metrics.UCSSpec.Name || valued(lines, c)
	})
	if len(b.Columns) > 0 || len(some) == 0 {
		return columns
	}
	return some
}

// meansTable fills t with the means of columns over all requests.
func (b *builder) meansTable(lines []*line, t *Table, columns []metrics.Column) *Table {
	f := b.layout(lines)
	f.noteTable(t, lines, columns)
	n := NumberField("n", func(l *line) Cell { return Whole(len(l.items)) })
	failed := NumberField("errors", func(l *line) Cell { return t.failures(l, columns) })
	n.Said = !slices.ContainsFunc(lines, func(l *line) bool { return len(l.items) != l.dataset.Requests || len(l.items) != len(lines[0].items) })
	failed.Said = !slices.ContainsFunc(lines, func(l *line) bool { _, failed := l.scored(); return failed > 0 })
	t.fillRows(lines, append(append(f.noted(t), n, failed), lists.Map(columns, func(c metrics.Column) Field[*line] { return b.mean(t, c) })...))
	return t
}

// noteTable adds the notes on a table of some columns of rows.
func (f layout) noteTable(t *Table, lines []*line, columns []metrics.Column) {
	if f.model {
		t.BestOf = "of its model"
	}
	t.NoteTitle(f.tableNotes(lines, columns)...)
	if f.Intervals {
		t.NoteTitle(intervalNotes(lines, columns)...)
	}
}

// splitTables lays out the tables of columns by the categories of rows, or by the values of a
// label in their place.
func (b *builder) splitTables(lines []*line) []*Table {
	lines = b.grouped(lines)
	var tables []*Table
	for _, c := range b.valued(lines, b.columns) {
		if len(b.Columns) > 0 || b.of[c.Name] != metrics.Usage {
			tables = append(tables, b.splitTable(lines, c))
		}
	}
	return tables
}

func (b *builder) splitTable(lines []*line, c metrics.Column) *Table {
	f := b.layout(lines)
	d := lines[0].dataset
	t := &Table{Name: d.Label + " by " + b.By + ": " + c.Name, Title: d.Label + ", " + c.Name + " by " + b.By}
	ids := asked(lines)
	f.noteTable(t, lines, []metrics.Column{c})
	if b.By == Category {
		t.NoteTitle(aliasNotes(d, ids)...)
	}
	part := func(name string, ids []string) Field[*line] {
		sizes := lists.Map(lines, func(l *line) int { return l.count(ids) })
		column := NumberField(name, func(l *line) Cell { return b.cell(t, l, c, ids) })
		column.best = &c
		if column.Head = fmt.Sprintf("%s (%d)", name, slices.Max(sizes)); slices.Min(sizes) < slices.Max(sizes) {
			column.Notes = t.notes("not all rows have this many questions")
		}
		return column
	}
	columns := f.noted(t)
	for _, id := range ids {
		columns = append(columns, part(d.CategoryName(id), []string{id}))
	}
	all := part("all", ids)
	all.Of = func(l *line) Cell {
		cell := b.cell(t, l, c, ids)
		cell.Notes = append(cell.Notes, t.notes(l.bounds([]metrics.Column{c}, ids))...)
		return cell
	}
	t.fillRows(lines, append(append(columns, all), b.besideLength(t, c)...))
	return t
}

// aliasNotes gives the names that other projects use for the categories.
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

// failures counts the failed requests of a line, with a note on their effect on its means.
func (t *Table) failures(l *line, columns []metrics.Column) Cell {
	_, failed := l.scored()
	cell := Whole(failed)
	cell.Notes = t.notes(l.bounds(columns, l.ids()))
	return cell
}

// better returns 1 if a value of a column is better than another, and -1 if it is worse.
func better(a, b float64, c metrics.Column) int {
	switch {
	case a == b:
		return 0
	case a > b != c.Lower:
		return 1
	}
	return -1
}

// markBest marks the best of a column among the rows of each model: several if they print
// alike, and none if all do. A row whose requests all failed is never marked, as it used few
// tokens because it answered nothing; nor is a ceiling or a control, which is not a memory.
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
		for _, i := range same {
			t.Rows[i][column].Best = len(same) < len(rows)
		}
	}
}

// A Means is a row of a run's tables for programs: a method with a model on a dataset, over
// all its categories or over one. Seeds share a row, as in tables.
type Means struct {
	Dataset, Method, Model string // labels
	Category, CategoryName string // empty for all
	// Requests is the number of scored requests and Failed how many of them failed, over
	// all seeds. Planned is how many the run has in all categories.
	Requests, Failed, Planned int
	Columns                   []ColumnMean
}

// A ColumnMean is the mean of a column as in tables.
type ColumnMean struct {
	metrics.Column
	// Mean is in the unit of the scores; nil if no request has a value.
	Mean *float64
	// Of is the part of a record that its metric scores.
	Of metrics.Part
}

// Tested reports whether a column is an equally weighted mean over requests, which
// [Contrasts] can test.
func (c ColumnMean) Tested() bool { return testable(c.Column) }

// MeansOf summarizes a run: for each method with a model on a dataset, it returns a row over
// all categories, then one for each category with requests, in the order of the run and the
// dataset. Of the options, only Metric is used.
func MeansOf(r *Run, o Options) ([]Means, error) {
	b, err := open([]*Run{r}, Options{Metric: o.Metric})
	if err != nil {
		return nil, err
	}
	var all []Means
	for _, l := range b.lines {
		whole := asked([]*line{l})
		for i, ids := range append([][]string{whole}, lists.Map(whole, func(id string) []string { return []string{id} })...) {
			m := Means{Dataset: l.cell.Dataset, Method: l.cell.Method, Model: l.cell.Model, Planned: l.planned()}
			if m.Requests, m.Failed = l.scoredIn(ids); i > 0 {
				m.Category, m.CategoryName = ids[0], l.dataset.CategoryName(ids[0])
			}
			for _, c := range b.known {
				mean := ColumnMean{Column: c, Of: b.of[c.Name]}
				if s, ok := l.summary(c, ids); ok {
					mean.Mean = &s.mean
				}
				m.Columns = append(m.Columns, mean)
			}
			all = append(all, m)
		}
	}
	return all, nil
}

// Summarize summarizes the scores of a run for an index of runs: a row for each method with
// a model on a dataset, with all columns that are means of requests, and 95 % intervals for
// those of the main table. Spent are the sums of the run's records; a row without one has no
// price and no time. Of the options, only Metric is used.
func Summarize(r *Run, spent []record.Spent, o Options) ([]record.SummaryRow, error) {
	b, err := open([]*Run{r}, Options{Metric: o.Metric})
	if err != nil {
		return nil, err
	}
	return lists.Map(b.lines, func(l *line) record.SummaryRow {
		n, failed := l.scored()
		row := record.SummaryRow{
			Dataset: l.cell.Dataset, Method: l.cell.Method, Model: l.cell.Model, Requests: n, Errors: failed,
			Cells:   lists.Map(l.bySeed(), func(seed *line) string { return seed.cell.ID }),
			Columns: b.summaryMeans(l, b.known, l.ids(), b.columns), Categories: make(map[string]map[string]record.SummaryMean),
		}
		for _, id := range asked([]*line{l}) {
			row.Categories[l.dataset.CategoryName(id)] = b.summaryMeans(l, b.columns, []string{id}, nil)
		}
		s := spentBy(spent, l)
		row.USD = paid(s)
		if s.Latency != nil {
			row.Median = &s.Latency.Median
		}
		return row
	}), nil
}

// spentBy returns what a row spent; zero if it is not recorded.
func spentBy(spent []record.Spent, l *line) (of record.Spent) {
	for _, s := range spent {
		if s.Dataset == l.cell.Dataset && s.Method == l.cell.Method && s.Model == l.cell.Model {
			return s
		}
	}
	return of
}

// paid returns the dollars of all requests of a row; nil if they are not known.
func paid(s record.Spent) *float64 {
	if s.Cost == nil {
		return nil
	}
	return new(*s.Cost * float64(s.Requests))
}

// summaryMeans returns the means of columns over some categories of a line, with intervals
// for some columns.
func (b *builder) summaryMeans(l *line, columns []metrics.Column, ids []string, intervals []metrics.Column) map[string]record.SummaryMean {
	means := make(map[string]record.SummaryMean)
	for _, c := range columns {
		s, ok := l.summary(c, ids)
		if !ok {
			continue
		}
		mean := record.SummaryMean{N: s.n, Mean: s.mean}
		if hasColumn(intervals, c.Name) {
			if i, ok := b.interval(l, c, ids, s); ok {
				mean.Low, mean.High, mean.Samples = &i.Lo, &i.Hi, stats.Count(s.clusters)
			}
		}
		means[c.Name] = mean
	}
	return means
}

// by returns the row under an answer key.
func (l *line) by(key errata.Key) *line { return l.under[slices.Index(errata.Keys(), key)] }

// objected counts the questions of a row whose published answer is disputed.
func (l *line) objected() int { return l.by(errata.Excluded).out() }

// ceiling returns the percentage of the questions of a row whose published answer is not
// disputed.
func (l *line) ceiling() float64 {
	return 100 * float64(len(l.items)-l.objected()) / float64(max(len(l.items), 1))
}

// keyTables lays out the rows of a dataset with errata under each answer key: the number of
// disputed questions, and the means in each column.
func (b *builder) keyTables(lines []*line) []*Table {
	lines = lists.Filter(lines, func(l *line) bool { return l.under != nil })
	if len(lines) == 0 {
		return nil
	}
	tables := []*Table{ceilingTable(slices.MaxFunc(lines, func(x, y *line) int { return cmp.Compare(len(x.items), len(y.items)) }))}
	for _, c := range b.columns {
		if !c.Neutral && b.of[c.Name] != metrics.Usage && b.of[c.Name] != metrics.Rated {
			tables = append(tables, b.keyTable(lines, c))
		}
	}
	return tables
}

// ceilingTable lays out the disputed questions of each category, and the questions under
// each key.
func ceilingTable(l *line) *Table {
	d := l.dataset
	t := &Table{Name: d.Label + ", answer keys", Title: d.Label + ", questions under each answer key"}
	t.NoteTitle(provenance([]*line{l})...)
	t.NoteTitle("ceiling: percentage of the questions whose published answer is not disputed")
	names := map[*line]string{l: "all"}
	var parts []*line
	for _, id := range asked([]*line{l}) {
		part := l.each(func(it *item) bool { return it.category == id })
		parts, names[part] = append(parts, part), d.CategoryName(id)
	}
	objected := NumberField("objected", func(l *line) Cell { return Whole(l.objected()) })
	objected.Head = "disputed"
	columns := []Field[*line]{
		TextField("category", func(l *line) string { return names[l] }), objected,
		NumberField("ceiling", func(l *line) Cell { return Decimal(l.ceiling(), 2, nil) }),
	}
	for _, key := range errata.Keys() {
		columns = append(columns, NumberField(string(key), func(l *line) Cell { return Whole(len(l.by(key).items) - l.by(key).out()) }))
	}
	Fill(t, append(parts, l), columns...)
	return t
}

// provenance says where the keys come from.
func provenance(lines []*line) []string {
	var notes []string
	for _, l := range lines {
		notes = lists.AddNew(notes, lists.Map(l.dataset.Errata, func(o record.Overlay) string {
			return fmt.Sprintf("errata %s by %s, %s, %s", o, cmp.Or(o.Attribution, "an unnamed author"), o.License, o.Source)
		})...)
	}
	return append(notes, "excluded leaves out the questions whose answer is disputed; corrected uses the corrected answers, and leaves out disputed questions without one; lenient accepts published and corrected answers")
}

// keyTable lays out a column under each key, with a rank among the rows.
func (b *builder) keyTable(lines []*line, c metrics.Column) *Table {
	f := b.layout(lines)
	d := lines[0].dataset
	t := &Table{Name: d.Label + " by key: " + c.Name, Title: d.Label + ", " + c.Name + " under each answer key"}
	t.NoteTitle(provenance(lines)...)
	f.noteTable(t, lines, []metrics.Column{c})
	if b.of[c.Name] == metrics.Judgement {
		t.NoteTitle("verdicts are about the published answers; where a key accepts another answer, they are left out")
	}
	columns := f.noted(t)
	for k, key := range errata.Keys() {
		mean := NumberField(string(key), func(l *line) Cell {
			cell := b.cell(new(Table), l.under[k], c, l.under[k].ids())
			if cell.Notes = nil; k == 0 { // n is the number with a value
				cell.Notes = t.notes(l.aboveCeiling(c))
			}
			return cell
		})
		mean.best = &c
		columns = append(columns, NumberField(string(key)+" n", func(l *line) Cell { s, _ := l.under[k].all(c); return Whole(s.n) }), mean,
			NumberField(string(key)+" rank", func(l *line) Cell {
				rank, order := f.rankUnder(lines, l, k, c)
				cell := Count(rank)
				cell.Notes = t.notes(order...)
				return cell
			}))
	}
	t.fillRows(lines, append(columns, b.besideLength(t, c)...))
	return t
}

// rankUnder returns the rank of a row in a column under a key: 1 for the best, the same for
// equal means, and 0 without a mean. It also says with which rows it changes order between the
// first key and this one.
func (f layout) rankUnder(lines []*line, l *line, key int, c metrics.Column) (rank int, order []string) {
	mean := func(l *line, key int) Cell { return meanCell(l.under[key], c) }
	ahead := func(x, y *line, key int) bool { return better(*mean(x, key).Value, *mean(y, key).Value, c) > 0 }
	lines = lists.Filter(lines, func(l *line) bool { return mean(l, key).Value != nil && mean(l, 0).Value != nil })
	if !slices.Contains(lines, l) {
		return 0, nil
	}
	rank = 1
	for _, other := range lines {
		if ahead(other, l, key) {
			rank++
		}
		for _, of := range [][2]*line{{l, other}, {other, l}} {
			if x, y := of[0], of[1]; ahead(x, y, 0) && ahead(y, x, key) {
				order = append(order, fmt.Sprintf("order changes between keys: %s over %s under %s (%s, %s), %[2]s over %[1]s under %[6]s (%[7]s, %[8]s)",
					f.name(x), f.name(y), errata.Keys()[0], mean(x, 0).Text, mean(y, 0).Text, errata.Keys()[key], mean(y, key).Text, mean(x, key).Text))
			}
		}
	}
	return rank, order
}

// aboveCeiling says that a row has more right answers than there are undisputed gold
// answers. It is empty below the ceiling, and for columns that are not of right and wrong.
func (l *line) aboveCeiling(c metrics.Column) string {
	s, _ := l.under[0].all(c)
	n, objected := len(l.items), l.objected()
	least := int(math.Ceil(s.mean*float64(n) - float64(n-objected) - 1e-9))
	if !c.Binary || n != s.n || least <= 0 {
		return ""
	}
	return fmt.Sprintf("above the ceiling of %s: at least %d of the answers that count as right agree with a disputed gold answer", decimal(l.ceiling(), 2), least)
}
