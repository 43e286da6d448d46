package report

import (
	"cmp"
	"fmt"
	"slices"

	"recallbench/internal/calc/lists"
	"recallbench/metrics"
)

// longer is how many times as long as others answers are from which on a column that
// falls with length says more of length than of what is right.
const longer = 2

func falls(c metrics.Column) bool { return c.FallsWithLength }

// words returns the column of the length of answers.
func (b *builder) words() (metrics.Column, bool) { return b.column(metrics.WordsSpec.Name) }

// showWords adds the length of answers to selected columns that fall with it.
func (b *builder) showWords() {
	if c, ok := b.words(); ok && slices.ContainsFunc(b.columns, falls) && !hasColumn(b.columns, c.Name) {
		b.columns = append(b.columns, c)
	}
}

// wordsBeside adds the length of answers to a table of one column that falls with it,
// whose rows are some lines.
func (b *builder) wordsBeside(t *Table, lines []*line, c metrics.Column) {
	words, ok := b.words()
	if !ok || !falls(c) {
		return
	}
	t.Columns = append(t.Columns, Column{Name: words.Name, Number: true})
	for i, l := range lines {
		t.Rows[i] = append(t.Rows[i], b.cell(t, l, words, l.ids()))
	}
}

// lengthNotes say that columns fall with length and rows differ in it, so that they do
// not tell which is better.
func (f layout) lengthNotes(lines []*line, columns []metrics.Column) []string {
	words, ok := f.words()
	columns = lists.Filter(columns, falls)
	if !ok || len(columns) == 0 {
		return nil
	}
	length := func(l *line) float64 { s, _ := l.summary(words, l.ids()); return s.answered }
	lines = lists.Filter(lines, func(l *line) bool { return length(l) > 0 })
	if len(lines) == 0 {
		return nil
	}
	compare := func(x, y *line) int { return cmp.Compare(length(x), length(y)) }
	short, long := slices.MinFunc(lines, compare), slices.MaxFunc(lines, compare)
	if length(long) <= longer*length(short) {
		return nil
	}
	return []string{fmt.Sprintf("do not compare rows by %s, as longer answers score lower there: %s words in %s, %s in %s",
		enumerate(lists.Map(columns, func(c metrics.Column) string { return c.Name }), "and"),
		decimal(length(short), 1), f.name(short), decimal(length(long), 1), f.name(long))}
}

// noteLengths is lengthNotes for the rows of a comparison.
func noteLengths(rows []*Contrast) {
	for _, r := range rows {
		for _, w := range rows {
			same := w.Side == r.Side && w.Dataset == r.Dataset && w.Method == r.Method && w.Model == r.Model && w.Category == r.Category
			if !same || w.Column.Name != metrics.WordsSpec.Name || !falls(r.Column) || r.Same() {
				continue
			}
			if least, most := min(w.Base, w.New), max(w.Base, w.New); least > 0 && most > longer*least {
				r.Notes = append(r.Notes, fmt.Sprintf("longer answers score lower here: %s words in the base, %s in the new side", decimal(w.Base, 1), decimal(w.New, 1)))
			}
		}
	}
}
