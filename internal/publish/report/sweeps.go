package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/metrics"
)

// findLabels sets the labels of the options to those that the rows write, or reports one that
// no row has. An ablation without a label is about the one method that others are variants of.
func (b *builder) findLabels() (err error) {
	if b.Against != "" {
		b.Against, err = b.label(b.Against)
	}
	if !b.Ablation || err != nil {
		return err
	}
	if b.Full == "" {
		fulls := given(lists.Distinct(b.lines, func(l *line) string { return strings.ToLower(l.cell.VariantOf) }))
		if len(fulls) != 1 {
			labels := lists.Distinct(b.lines, func(l *line) string { return strconv.Quote(l.cell.Method) })
			return fmt.Errorf("--ablation: the run file has %d methods with variants; name one of %s", len(fulls), strings.Join(labels, ", "))
		}
		b.Full = fulls[0]
	}
	if b.Full, err = b.label(b.Full); err == nil && !slices.ContainsFunc(b.lines, b.isVariant) {
		err = fmt.Errorf("%q has no variants: no other method names it as its full method, or uses the same method", b.Full)
	}
	return err
}

// isVariant reports whether a row is a variant of the full method: if any row names
// it as its full method, those that do, else those that use the same method.
func (b *builder) isVariant(l *line) bool {
	says := func(l *line) bool { return strings.EqualFold(l.cell.VariantOf, b.Full) }
	switch {
	case l.cell.Method == b.Full:
		return false
	case slices.ContainsFunc(b.lines, says):
		return says(l)
	}
	return slices.ContainsFunc(b.lines, func(o *line) bool { return o.cell.Method == b.Full && o.cell.Use == l.cell.Use })
}

// ablationTables lays out the full method and its variants on a dataset, by model: for each
// column, the mean and the difference to the full method. Without variants there is no
// table.
func (b *builder) ablationTables(all []*line) []*Table {
	isFull := func(l *line) bool { return l.cell.Method == b.Full }
	var lines []*line
	for _, of := range groupBy(all, func(l *line) string { return l.cell.Model }) {
		lines = slices.Concat(lines, lists.Filter(of, isFull), lists.Filter(of, b.isVariant))
	}
	if !slices.ContainsFunc(lines, isFull) || !slices.ContainsFunc(lines, b.isVariant) {
		return nil
	}
	f := b.layout(lines)
	t := &Table{Name: lines[0].dataset.Label + " ablation of " + b.Full, Title: "ablation of " + b.Full + " on " + f.title(lines)}
	f.noteTable(t, lines, b.columns)
	family := f.against(b.Full, lines, b.columnsTested())
	t.NoteTitle("Δ: "+differenceNote(b.Full), "↓: lower is better", "* p ≤ 0.05, ** p ≤ 0.01, *** p ≤ 0.001; no mark: not tested")
	t.NoteTitle(testNotes(family, shownFields{interval: b.Intervals, marks: true}, ContrastOptions{Options: b.Options})...)

	columns := f.noted(t)
	if slices.ContainsFunc(lines, func(l *line) bool { _, failed := l.scored(); return failed > 0 }) {
		columns = append(columns, NumberField("errors", func(l *line) Cell { return t.failures(l, b.columns) }))
	}
	for _, c := range b.columns {
		mean, difference := b.mean(t, c), NumberField(c.Name+" difference", func(l *line) Cell {
			if isFull(l) {
				return Cell{Blank: true}
			}
			return t.ablationCell(l, baseOf(b.Full, l, lines), c, family, b.Intervals)
		})
		if mean.Head, difference.Head = c.Name, "Δ"; c.Lower && !c.Neutral {
			mean.Head += " ↓"
		}
		columns = append(columns, mean, difference)
	}
	t.fillRows(lines, columns)
	return []*Table{t}
}

// ablationCell returns the difference of a row to the full method with the mark of its test,
// or, for columns that are not tested, the difference of the means.
func (t *Table) ablationCell(l, full *line, c metrics.Column, family []*Contrast, interval bool) Cell {
	i := slices.IndexFunc(family, func(x *Contrast) bool { return x.line == l && x.Column.Name == c.Name })
	if i < 0 {
		if full == nil || meanCell(l, c).Value == nil || meanCell(full, c).Value == nil {
			return Cell{}
		}
		return Change(*meanCell(l, c).Value-*meanCell(full, c).Value, c.Digits, nil)
	}
	x := family[i]
	cell := x.differenceCell(interval)
	cell.Notes = t.notes(append(slices.Clone(x.Notes), x.Reason())...)
	if cell.P = x.Adjusted; x.Adjusted != nil {
		cell.Mark = mark(*x.Adjusted)
	}
	return cell
}

// mark returns stars for a p-value.
func mark(p float64) string {
	switch {
	case p <= 0.001:
		return "***"
	case p <= 0.01:
		return "**"
	case p <= alpha:
		return "*"
	}
	return shownNot
}

// An optionAxis is an option that takes several values in the rows of one method.
type optionAxis struct {
	path   string
	levels []string // numbers in order, before other values
}

// bySweep groups lines by method and model.
func bySweep(lines []*line) [][]*line {
	return groupBy(lines, func(l *line) string { return l.cell.Use + "\x00" + l.cell.Model })
}

// sweepName returns the name of a sweep's method in titles.
func (f layout) sweepName(l *line) string {
	name := l.cell.Use + " on " + l.dataset.Label
	if f.model {
		name += ", " + l.cell.Model
	}
	return name
}

// axesOf returns the options in which lines differ, sorted by path.
func axesOf(lines []*line) []optionAxis {
	levels := make(map[string][]string) // by path
	for _, l := range lines {
		for path, level := range flat(l.cell.Options) {
			levels[path] = lists.AddNew(levels[path], level)
		}
	}
	var axes []optionAxis
	for _, path := range slices.Sorted(maps.Keys(levels)) {
		of := levels[path]
		slices.SortStableFunc(of, func(a, b string) int {
			if !isNumber(a) && !isNumber(b) {
				return 0 // in the order of the rows
			}
			return compareNames(a, b)
		})
		if len(of) > 1 {
			axes = append(axes, optionAxis{path, of})
		}
	}
	return axes
}

// axisTables lays out, for each method with axes, a row for each level of an axis but the
// first, with which the others are compared over all pairs of rows that differ only in the
// axis; each request counts by its mean.
func (b *builder) axisTables(all []*line) []*Table {
	f := b.layout(all)
	var tables []*Table
	for _, lines := range bySweep(all) {
		names := make(map[*Contrast][3]string)
		var family []*Contrast
		sides := 0 // a level and the first one, over all columns
		for _, x := range axesOf(lines) {
			for _, level := range x.levels[1:] {
				matched := matchedRows(lines, x, level)
				sides++
				for _, c := range b.columnsTested() {
					r := b.contrast(match{requests: pool(matched)}, c, sides)
					if len(matched) == 0 {
						r.Missing = "no two rows differ only in this axis"
					}
					family, names[r] = append(family, r), [3]string{x.path, level, x.levels[0]}
				}
			}
		}
		if len(family) == 0 {
			continue
		}
		Decide(family, b.infer(lines[0].run.Header.Seed))
		name := f.sweepName(lines[0])
		t := &Table{Name: name + " effects", Title: "effect of each axis: " + name}
		t.NoteTitle("difference: the mean with this level minus that with the first, over all pairs of rows with the same values on the other axes; each question counts by its mean over these pairs")
		named := func(name string, i int) Field[*Contrast] {
			return TextField(name, func(r *Contrast) string { return names[r][i] })
		}
		b.fillFamily(t, family, shownFields{names: repeating(named("axis", 0), named("level", 1), named("against", 2)), interval: true})
		t.NoteTitle(f.each(lines, standIn)...)
		tables = append(tables, t)
	}
	return tables
}

// matchedRows returns pairs of lines, one with a level of an axis, the other with its
// first level, with the same other options, run and seed.
func matchedRows(lines []*line, x optionAxis, level string) []match {
	var matched []match
	for _, l := range lines {
		own := flat(l.cell.Options)
		if own[x.path] != level {
			continue
		}
		own[x.path] = x.levels[0]
		for _, base := range lines {
			if base.run == l.run && base.seed() == l.seed() && maps.Equal(own, flat(base.cell.Options)) {
				matched = append(matched, newMatch(base, l))
			}
		}
	}
	return matched
}

// pool combines the requests of several matches; a request in several of them gets the mean
// of its values, over those in which both sides have one.
func pool(matches []match) joined {
	of := make(map[request][2][]*item)
	for _, m := range matches {
		for _, j := range m.requests {
			if !j.common() {
				continue
			}
			now, base := *j.items[0], *j.items[1]
			now.values, base.values = slices.Clone(now.values), slices.Clone(base.values)
			for at := range now.values {
				if math.IsNaN(now.values[at] + base.values[at]) {
					now.values[at], base.values[at] = noValue, noValue
				}
			}
			items := of[j.request]
			of[j.request] = [2][]*item{append(items[0], &now), append(items[1], &base)}
		}
	}
	keys := slices.SortedFunc(maps.Keys(of), compareRequests)
	return lists.Map(keys, func(key request) joint { return joint{key, [2]*item{meanOf(of[key][0]), meanOf(of[key][1])}} })
}
