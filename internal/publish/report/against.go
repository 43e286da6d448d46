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

// A held is a row that is held against another one in a column.
type held struct {
	line *line
	*Contrast
}

func contrastsOf(all []held) []*Contrast {
	return lists.Map(all, func(h held) *Contrast { return h.Contrast })
}

// contrast compares a column of two rows. The pair is the number of the two sides.
func (b *builder) contrast(m match, c metrics.Column, pair int) *Contrast {
	x := &Contrast{Column: c, Unit: b.Unit, Unpaired: m.unpaired, row: infer.Row{Pair: pair}}
	x.fill(m.requests, b.at(c.Name))
	return x
}

// against holds every row but those of a label against the one of that label with its
// model, in some columns, as one family.
func (f layout) against(label string, lines []*line, columns []metrics.Column) []held {
	var all []held
	for pair, l := range lines {
		if strings.EqualFold(l.cell.Method, label) {
			continue
		}
		base, missing := f.base(label, l, lines)
		var m match
		if base != nil {
			m = newMatch(base, l)
		}
		for _, c := range columns {
			x := &Contrast{Column: c, Paired: true, Missing: missing}
			if base != nil {
				x = f.contrast(m, c, pair)
			}
			all = append(all, held{l, x})
		}
	}
	Decide(contrastsOf(all), f.infer(lines[0].run.Header.Seed))
	return all
}

// base returns the row that l is compared with: of those with a label and the model of l,
// the one of its run and seed, or of its run, or the only one. Where there is none it says
// why.
func (f layout) base(label string, l *line, lines []*line) (base *line, missing string) {
	of := lists.Filter(lines, func(o *line) bool { return strings.EqualFold(o.cell.Method, label) && o.cell.Model == l.cell.Model })
	if len(of) == 0 {
		return nil, fmt.Sprintf("there is no row %s with the model %s", label, l.cell.Model)
	}
	for _, fits := range []func(*line) bool{
		func(o *line) bool { return o.run == l.run && o.seed() == l.seed() },
		func(o *line) bool { return o.run == l.run },
		func(*line) bool { return true },
	} {
		if fit := lists.Filter(of, fits); len(fit) == 1 {
			return fit[0], ""
		}
	}
	return nil, fmt.Sprintf("several rows are %s, none of them of the same run", label)
}

// checkAgainst reports a label in [Options].Against that no row has, and takes
// on the way in which the rows write it.
func (b *builder) checkAgainst() (err error) {
	if b.Against != "" {
		b.Against, err = b.label(b.Against)
	}
	return err
}

// label returns a label of a method as the rows write it.
func (b *builder) label(name string) (string, error) {
	labels := lists.Distinct(b.lines, func(l *line) string { return l.cell.Method })
	i := slices.IndexFunc(labels, func(label string) bool { return strings.EqualFold(label, name) })
	if i < 0 {
		return "", errors.New(suggest.Unknown("method label", name, labels))
	}
	return labels[i], nil
}

// againstTables lays out the differences of the rows of a dataset to those of a
// method, with tests.
func (b *builder) againstTables(lines []*line) ([]*Table, error) {
	f := b.layout(lines)
	label := lines[0].dataset.Label
	t := &Table{Name: label + " against " + b.Against, Title: label + ", differences to " + b.Against, Columns: f.columns()}
	for i := range t.Columns {
		t.Columns[i].Repeats = true
	}
	rows := f.against(b.Against, lines, b.columnsTested())
	switch {
	case !slices.ContainsFunc(lines, func(l *line) bool { return l.cell.Method == b.Against }):
		t.NoteTitle("not compared: there is no row " + b.Against + " on this dataset")
		rows = nil
	case len(rows) == 0:
		t.NoteTitle(fmt.Sprintf("nothing to hold against %s: want another row, and a column of means over requests that is not about usage", b.Against))
	default:
		t.NoteTitle("difference: " + differenceNote(lines, b.Against))
	}
	t.addContrasts(lists.Map(rows, func(h held) named { return named{f.plainNames(h.line), h.Contrast} }), contrastsOf(rows), shownFields{interval: b.Intervals}, ContrastOptions{Options: b.Options})
	return []*Table{t}, nil
}

// differenceNote says what differences to a row are.
func differenceNote(lines []*line, base string) string {
	each := ""
	if several(lines) {
		each = ", each by its mean over the seeds"
	}
	return fmt.Sprintf("the row less %s, over the requests that both have%s; failed ones count as they do in the means", base, each)
}

// rankTables lays out, for each tested column of a dataset, the places that each row may
// have, and by letters which rows are not told apart.
func (b *builder) rankTables(lines []*line) ([]*Table, error) {
	f := b.layout(lines)
	label := lines[0].dataset.Label
	t := &Table{Name: label + " ranks", Title: label + ", ranks", Columns: f.columns(), Rows: lists.Map(lines, f.plainNames)}
	for _, c := range b.columnsTested() {
		t.Columns = append(t.Columns, Column{Name: c.Name, Number: true}, Column{Name: c.Name + " rank", Number: true}, Column{Name: c.Name + " group"})
		for i, r := range b.ranks(lines, c, b.infer(lines[0].run.Header.Seed)) {
			var mean Cell
			if s, ok := lines[i].summary(c, lines[i].ids()); ok {
				mean = scaled(&s.mean, c.Scale, c.Digits)
			}
			t.Rows[i] = append(t.Rows[i], mean, text(placeOf(r)), text(letters(r.Groups)))
		}
	}
	t.NoteTitle("rank: from 1 and the rows shown to be better to all less those shown to be worse, by the tests of 'bench compare' for all pairs of rows, adjusted by Holm",
		"group: rows that share a letter are not told apart, which is not to say that they are the same")
	t.noteStandIn(lines)
	return []*Table{t}, nil
}

// ranks returns the places that rows may have in a column.
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
	}, func(i int) float64 {
		s, _ := lines[i].summary(c, lines[i].ids())
		return sign * s.mean
	}, o)
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

// noteStandIn says where answers are the stand-in's.
func (t *Table) noteStandIn(lines []*line) {
	if slices.ContainsFunc(lines, func(l *line) bool { return l.model.Offline }) {
		t.NoteTitle(standInNote)
	}
}

// controls are the methods that a memory has to beat, and baselines those that are no
// memories, by name.
var (
	controls  = []string{"grep", "placebo"}
	baselines = append([]string{"stateless", "recent", "oracle"}, controls...)
)

// unbeaten says of each model which controls no memory is significantly better than, in
// the first column that leads; empty where every control is beaten, or there is none.
func (b *builder) unbeaten(lines []*line) (string, error) {
	columns, err := b.leading(lists.Distinct(lines, func(l *line) *Run { return l.run }))
	if err != nil {
		return "", err
	}
	columns = lists.Filter(columns, func(c metrics.Column) bool { return valued(lines, c) })
	if len(columns) == 0 {
		return "", nil
	}
	var said []string
	for _, model := range lists.Distinct(lines, func(l *line) string { return l.cell.Model }) {
		of := lists.Filter(lines, func(l *line) bool { return l.cell.Model == model })
		if beat := b.notBeaten(of, columns[0]); len(beat) > 0 {
			with := "No memory"
			if b.layout(lines).model {
				with = "With " + model + " no memory"
			}
			said = append(said, fmt.Sprintf("%s is significantly better than %s in %s.", with, enumerate(beat, "or"), columns[0].Name))
		}
	}
	return strings.Join(said, " "), nil
}

// notBeaten returns the labels of the controls among the lines of a model that no memory
// among them is significantly better than in a column.
func (b *builder) notBeaten(lines []*line, c metrics.Column) (labels []string) {
	memories := lists.Filter(lines, func(l *line) bool { return !slices.Contains(baselines, l.cell.Use) })
	if len(memories) == 0 {
		return nil
	}
	better := func(h held) bool { return h.Shown && h.Better() }
	for _, name := range controls {
		for _, control := range lists.Filter(lines, func(l *line) bool { return l.cell.Use == name }) {
			of := append([]*line{control}, memories...)
			if !slices.ContainsFunc(b.layout(of).against(control.cell.Method, of, []metrics.Column{c}), better) {
				labels = lists.AddNew(labels, control.cell.Method)
			}
		}
	}
	return labels
}
