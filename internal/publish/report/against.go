package report

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
	"recallbench/internal/text/suggest"
	"recallbench/metrics"
)

// contrast compares a column of two rows. The pair numbers the two sides.
func (b *builder) contrast(m match, c metrics.Column, pair int) *Contrast {
	x := &Contrast{Column: c, Unit: b.Unit, Unpaired: m.unpaired, row: infer.Row{Pair: pair}}
	x.fill(m.requests, b.at(c.Name))
	return x
}

// against compares every row with the row of a label with the same model, in some columns,
// as one family. It returns the contrasts of each row, and the row that it is compared with,
// which for rows of that label is the row itself.
func (f layout) against(label string, lines []*line, columns []metrics.Column) (of map[*line][]*Contrast, bases map[*line]*line, family []*Contrast) {
	of, bases = make(map[*line][]*Contrast), make(map[*line]*line)
	for pair, l := range lines {
		if l.cell.Method == label {
			bases[l] = l
			continue
		}
		var m match
		if bases[l] = baseOf(label, l, lines); bases[l] != nil {
			m = newMatch(bases[l], l)
		}
		for _, c := range columns {
			x := &Contrast{Column: c, Paired: true, Missing: fmt.Sprintf("there is no single row %s with the model %s", label, l.cell.Model)}
			if bases[l] != nil {
				x = f.contrast(m, c, pair)
			}
			of[l], family = append(of[l], x), append(family, x)
		}
	}
	Decide(family, f.infer(lines[0].run.Header.Seed))
	return of, bases, family
}

// baseOf returns the row that l is compared with: among those with a label and the model of
// l, the one of its run and seed, or of its run, or the only one; nil for none.
func baseOf(label string, l *line, lines []*line) *line {
	for _, fits := range []func(*line) bool{
		func(o *line) bool { return o.run == l.run && o.seed() == l.seed() },
		func(o *line) bool { return o.run == l.run },
		func(*line) bool { return true },
	} {
		fit := lists.Filter(lines, func(o *line) bool { return o.cell.Method == label && o.cell.Model == l.cell.Model && fits(o) })
		if len(fit) == 1 {
			return fit[0]
		}
	}
	return nil
}

// findLabels sets the labels of the options to those that the rows write, or reports one
// that no row has, and finds the full method of an ablation.
func (b *builder) findLabels() (err error) {
	if b.Against != "" {
		b.Against, err = b.label(b.Against)
	}
	return errors.Join(err, b.findFull())
}

// label returns the label of a method as the rows write it.
func (b *builder) label(name string) (string, error) {
	labels := lists.Distinct(b.lines, func(l *line) string { return l.cell.Method })
	i := slices.IndexFunc(labels, func(label string) bool { return strings.EqualFold(label, name) })
	if i < 0 {
		return "", errors.New(suggest.Unknown("method label", name, labels))
	}
	return labels[i], nil
}

// differenceNote describes differences to a row.
func differenceNote(base string) string {
	return fmt.Sprintf("the row minus %s, over the questions that both have, each by its mean over the seeds; failed questions count as they do in the means", base)
}

// againstTables lays out the differences of the rows of a dataset to those of a
// method, with tests.
func (b *builder) againstTables(lines []*line) []*Table {
	f := b.layout(lines)
	label := lines[0].dataset.Label
	t := &Table{Name: label + " against " + b.Against, Title: label + ", differences to " + b.Against}
	t.NoteTitle("difference: " + differenceNote(b.Against))
	of, _, family := f.against(b.Against, lines, b.columnsTested())
	rows := make(map[*Contrast]*line)
	for l, contrasts := range of {
		for _, c := range contrasts {
			rows[c] = l
		}
	}
	names := lists.Map(f.named(), func(c tableColumn[*line]) tableColumn[*Contrast] {
		return tableColumn[*Contrast]{c.Column, func(x *Contrast) Cell { return c.of(rows[x]) }}
	})
	b.fillFamily(t, family, shownFields{names: repeating(names...), interval: b.Intervals})
	return []*Table{t}
}

// meanCell returns the mean of a column over all requests of a row, and nothing else.
func meanCell(l *line, c metrics.Column) Cell {
	s, ok := l.all(c)
	if !ok {
		return Cell{}
	}
	return scaled(&s.mean, c.Scale, c.Digits)
}

// ranks returns the ranks that rows may have in a column.
func (b *builder) ranks(lines []*line, c metrics.Column, o infer.Options) []infer.Rank {
	sign := 1.0
	if c.Lower {
		sign = -1
	}
	return infer.Ranks(len(lines), func(i, j int) []infer.Unit {
		x := b.contrast(newMatch(lines[j], lines[i]), c, 0)
		if !x.Paired {
			return nil
		}
		return lists.Map(x.row.Units, func(u infer.Unit) infer.Unit { u.Sum *= sign; return u })
	}, o)
}

// placeOf prints the ranks that a row may have.
func placeOf(r infer.Rank) string {
	if r.Lowest == r.Highest {
		return strconv.Itoa(r.Lowest)
	}
	return fmt.Sprintf("%d–%d", r.Lowest, r.Highest)
}

// controls are the names of methods that a memory has to beat, and baselines of those that
// are not memories.
var (
	controls  = []string{"grep", "placebo"}
	baselines = append([]string{"stateless", "recent", "oracle"}, controls...)
)

// notBeaten returns the labels of the controls among the lines of a model that no memory
// among them beats significantly in a column.
func (b *builder) notBeaten(lines []*line, c metrics.Column) (labels []string) {
	memories := lists.Filter(lines, func(l *line) bool { return !slices.Contains(baselines, l.cell.Use) })
	for _, control := range lines {
		if len(memories) == 0 || !slices.Contains(controls, control.cell.Use) {
			continue
		}
		of := append([]*line{control}, memories...)
		_, _, family := b.layout(of).against(control.cell.Method, of, []metrics.Column{c})
		if !slices.ContainsFunc(family, func(x *Contrast) bool { return x.Shown && x.Better() }) {
			labels = lists.AddNew(labels, control.cell.Method)
		}
	}
	return labels
}
