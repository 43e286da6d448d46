package report

import (
	"fmt"
	"strconv"
	"strings"

	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
)

// rankTable lays out, for each tested column of a dataset, the places that each row may
// have, and by letters which rows are not told apart.
func (b *builder) rankTable(lines []*line) *Table {
	f := b.layout(lines)
	label := lines[0].dataset.Label
	t := &Table{Name: label + " ranks", Title: label + ", ranks", Columns: f.columns(), Rows: [][]Cell{}}
	tested := b.columnsTested()
	ranks := make(map[string][]infer.Rank)
	for _, c := range tested {
		t.Columns = append(t.Columns, Column{Name: c.Name, Number: true}, Column{Name: c.Name + " rank", Number: true}, Column{Name: c.Name + " group"})
		sign := 1.0
		if c.Lower {
			sign = -1
		}
		ranks[c.Name] = infer.Ranks(len(lines), func(i, j int) []infer.Unit {
			if unpairable(lines[i], lines[j]) != "" {
				return nil
			}
			units := joinRequests(lines[i], lines[j]).pair(b.at(c.Name), b.Unit).units
			for u := range units {
				units[u].Sum *= sign
			}
			return units
		}, func(i int) float64 {
			s, _ := lines[i].summary(c, lines[i].ids())
			return sign * s.mean
		}, b.infer(lines[0].run.Header.Seed))
	}
	for i, l := range lines {
		row := f.plainNames(l)
		for _, c := range tested {
			r := ranks[c.Name][i]
			var mean *float64
			if s, ok := l.summary(c, l.ids()); ok {
				mean = &s.mean
			}
			row = append(row, scaled(mean, c.Scale, c.Digits), text(placeOf(r)), text(letters(r.Groups)))
		}
		t.Rows = append(t.Rows, row)
	}
	t.NoteTitle("rank: from 1 and the rows shown to be better to all less those shown to be worse, by the tests of 'bench compare' for all pairs of rows, adjusted by Holm",
		"group: rows that share a letter are not told apart, which is not to say that they are the same")
	t.noteStandIn(lines)
	return t
}

// placeOf prints the places that a row may have.
func placeOf(r infer.Rank) string {
	if r.Lowest == r.Highest {
		return strconv.Itoa(r.Lowest)
	}
	return fmt.Sprintf("%d–%d", r.Lowest, r.Highest)
}

// letters names groups: a, b, and after z those with a number.
func letters(groups []int) string {
	return strings.Join(lists.Map(groups, func(g int) string {
		name := string(rune('a' + g%26))
		if g >= 26 {
			name += strconv.Itoa(g / 26)
		}
		return name
	}), "")
}
