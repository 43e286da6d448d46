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
		part := l.filtered(func(it *item) bool { return it.category == id })
		parts, names[part] = append(parts, part), d.CategoryName(id)
	}
	objected := numberColumn("objected", func(l *line) Cell { return Whole(l.objected()) })
	objected.Head = "disputed"
	columns := []tableColumn[*line]{
		textColumn("category", func(l *line) string { return names[l] }), objected,
		numberColumn("ceiling", func(l *line) Cell { return Decimal(l.ceiling(), 2, nil) }),
	}
	for _, key := range errata.Keys() {
		columns = append(columns, numberColumn(string(key), func(l *line) Cell { return Whole(len(l.by(key).items) - l.by(key).out()) }))
	}
	fill(t, append(parts, l), columns...)
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
		add := func(name string, cell func(*line) Cell) {
			columns = append(columns, numberColumn(strings.TrimSpace(string(key)+" "+name), cell))
		}
		add("n", func(l *line) Cell { s, _ := l.under[k].all(c); return Whole(s.n) })
		add("", func(l *line) Cell {
			cell := b.cell(new(Table), l.under[k], c, l.under[k].ids())
			if cell.Notes = nil; k == 0 { // n is the number with a value
				cell.Notes = t.notes(l.aboveCeiling(c))
			}
			return cell
		})
		add("rank", func(l *line) Cell {
			rank, order := f.rankUnder(lines, l, k, c)
			if rank == 0 {
				return Cell{}
			}
			cell := Whole(rank)
			cell.Notes = t.notes(order...)
			return cell
		})
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
	said := func(l *line, key int) string { return decimal(*mean(l, key), c.Digits) }
	if mean(l, key) == nil || mean(l, 0) == nil {
		return 0, nil
	}
	rank = 1
	for _, other := range lines {
		if mean(other, key) == nil || mean(other, 0) == nil {
			continue
		}
		now, before := better(*mean(l, key), *mean(other, key), c), better(*mean(l, 0), *mean(other, 0), c)
		if now < 0 {
			rank++
		}
		if now*before < 0 {
			ahead, behind := l, other
			if before < 0 {
				ahead, behind = other, l
			}
			order = append(order, fmt.Sprintf("order changes between keys: %s over %s under %s (%s, %s), %[2]s over %[1]s under %[6]s (%[7]s, %[8]s)",
				f.name(ahead), f.name(behind), errata.Keys()[0], said(ahead, 0), said(behind, 0), errata.Keys()[key], said(behind, key), said(ahead, key)))
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
