package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"recallbench/datasets/errata"
	"recallbench/internal/calc/lists"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// by returns the row under an answer key.
func (l *line) by(key errata.Key) *line { return l.under[slices.Index(errata.Keys(), key)] }

// objected counts the questions of a row whose published answer is disputed.
func (l *line) objected() int {
	return l.by(errata.Excluded).out()
}

// ceiling returns the percentage of the questions of a row whose published answer is not
// disputed.
func (l *line) ceiling() float64 {
	return 100 * float64(len(l.items)-l.objected()) / float64(max(len(l.items), 1))
}

// keyTables lays out the rows of a dataset with errata under each answer key: the number of
// disputed questions, and the means in each column.
func (b *builder) keyTables(lines []*line) ([]*Table, error) {
	lines = lists.Filter(lines, func(l *line) bool { return l.under != nil })
	if len(lines) == 0 {
		return nil, nil
	}
	var tables []*Table
	if full := slices.MaxFunc(lines, func(x, y *line) int { return cmp.Compare(len(x.items), len(y.items)) }); len(full.categories) > 1 || b.By == "" {
		tables = append(tables, ceilingTable(full))
	}
	for _, c := range b.columns {
		if !c.Neutral && b.of[c.Name] != metrics.Usage && b.of[c.Name] != metrics.Rated {
			tables = append(tables, b.keyTable(lines, c))
		}
	}
	return tables, nil
}

// ceilingTable lays out the disputed questions of each category, and the questions under
// each key.
func ceilingTable(l *line) *Table {
	d := l.dataset
	t := &Table{Name: d.Label + ", answer keys", Title: d.Label + ", questions under each answer key"}
	t.NoteTitle(provenance([]*line{l})...)
	t.NoteTitle("ceiling: percentage of the questions whose published answer is not disputed")
	objected := numberColumn("objected", func(p part) Cell { return count(p.lines[0].objected()) })
	objected.Head = "disputed"
	columns := []tableColumn[part]{
		textColumn("category", func(p part) string { return p.name }), objected,
		numberColumn("ceiling", func(p part) Cell { return scaled(new(p.lines[0].ceiling()), 1, 2) }),
	}
	for _, key := range errata.Keys() {
		columns = append(columns, numberColumn(string(key), func(p part) Cell {
			u := p.lines[0].by(key)
			return count(len(u.items) - u.out())
		}))
	}
	var parts []part
	for _, id := range asked([]*line{l}) {
		parts = append(parts, part{name: d.CategoryName(id), lines: []*line{l.filtered(func(it *item) bool { return it.category == id })}})
	}
	fill(t, append(parts, part{name: "all", lines: []*line{l}}), columns...)
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
	first := len(columns)
	for k, key := range errata.Keys() {
		of := func(name string, cell func(*line) Cell) tableColumn[*line] {
			column := numberColumn(strings.TrimSpace(string(key)+" "+name), cell)
			column.Group = string(key)
			return column
		}
		columns = append(columns,
			of("n", func(l *line) Cell { s, _ := l.under[k].summary(c, l.under[k].ids()); return count(s.n) }),
			of("", func(l *line) Cell {
				cell := b.cell(new(Table), l.under[k], c, l.under[k].ids())
				if cell.Notes = nil; k == 0 { // n is the number with a value
					cell.Notes = t.notes(b.aboveCeiling(l, c))
				}
				return cell
			}),
			of("rank", func(l *line) Cell {
				rank, order := f.rankUnder(lines, l, k, c)
				if rank == 0 {
					return Cell{}
				}
				cell := count(rank)
				cell.Notes = t.notes(order...)
				return cell
			}))
	}
	fill(t, lines, append(columns, b.besideLength(t, c)...)...)
	for k := range errata.Keys() {
		t.markBest(first+3*k+1, c, lines)
	}
	return t
}

// rankUnder returns the rank of a line in a column under a key: 1 for the best, the same for
// equal means, and 0 without a mean. It also says which rows change order with the line
// between the first key and this one.
func (f layout) rankUnder(lines []*line, l *line, key int, c metrics.Column) (rank int, order []string) {
	mean := func(l *line, key int) *float64 { return meanCell(l.under[key], c).Value }
	own, first := mean(l, key), mean(l, 0)
	if own == nil || first == nil {
		return 0, nil
	}
	rank = 1
	for _, other := range lines {
		now, before := mean(other, key), mean(other, 0)
		if now == nil || before == nil {
			continue
		}
		if better(*now, *own, c) > 0 {
			rank++
		}
		ahead, behind, change := l, other, better(*first, *before, c)
		if change < 0 {
			ahead, behind = other, l
		}
		if change*better(*own, *now, c) < 0 {
			value := func(l *line, key int) string { return decimal(*mean(l, key), c.Digits) }
			order = append(order, fmt.Sprintf("order changes between keys: %s over %s under %s (%s, %s), %[2]s over %[1]s under %[6]s (%[7]s, %[8]s)",
				f.name(ahead), f.name(behind), errata.Keys()[0], value(ahead, 0), value(behind, 0), errata.Keys()[key], value(behind, key), value(ahead, key)))
		}
	}
	return rank, order
}

// aboveCeiling says that a row has more right answers than there are undisputed gold
// answers. It is empty below the ceiling, and for columns that are not of right and wrong.
func (b *builder) aboveCeiling(l *line, c metrics.Column) string {
	s, _ := l.under[0].summary(c, l.under[0].ids())
	n, objected := len(l.items), l.objected()
	least := int(math.Ceil(s.mean*float64(n) - float64(n-objected) - 1e-9))
	if !c.Binary || n != s.n || least <= 0 {
		return ""
	}
	return fmt.Sprintf("above the ceiling of %s: at least %d of the answers that count as right agree with a disputed gold answer", decimal(l.ceiling(), 2), least)
}
