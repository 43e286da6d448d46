package report

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/internal/text/suggest"
	"recallbench/metrics"
)

// alpha is the level at which a test shows a difference or not.
const alpha = 0.05

// checkAgainst reports a label in [Options].Against that no row has, and takes
// on the way in which the rows write it.
func (b *builder) checkAgainst() error {
	var labels []string
	for _, l := range b.lines {
		if b.isBase(l) {
			b.Against = l.cell.Method
			return nil
		}
		labels = lists.AddNew(labels, l.cell.Method)
	}
	return errors.New(suggest.Unknown("method label", b.Against, labels))
}

// isBase reports whether a line is one that others are compared with.
func (b *builder) isBase(l *line) bool { return strings.EqualFold(l.cell.Method, b.Against) }

// againstTable lays out the differences of the rows of a dataset to those of a
// method, with tests.
func (b *builder) againstTable(lines []*line) *Table {
	f := b.layout(lines)
	label := lines[0].dataset.Label
	t := &Table{Name: label + " against " + b.Against, Title: label + ", differences to " + b.Against, Rows: [][]Cell{}}
	t.Columns = f.columns()
	for i := range t.Columns {
		t.Columns[i].Repeats = true
	}
	t.Columns = append(append(t.Columns, Column{Name: "metric"}), f.testHeads()...)
	if !slices.ContainsFunc(lines, f.isBase) {
		t.NoteTitle("not compared: there is no row " + f.Against + " on this dataset")
		return t
	}
	tests := f.tests(lines)
	t.NoteTitle(f.againstNotes(lines, tests)...)
	for _, x := range tests {
		f.addTest(t, append(f.plainNames(x.line), text(x.column.Name)), x)
	}
	return t
}

// testHeads head the cells that addTest adds.
func (f layout) testHeads() []Column {
	heads := []Column{{Name: "pairs", Number: true}, {Name: "samples", Number: true}, {Name: "difference", Number: true}, {Name: "p", Number: true}}
	if f.Correct != infer.None {
		heads = append(heads, Column{Name: "p-adjusted", Head: infer.CorrectionHead(f.Correct), Number: true})
	}
	return append(heads, Column{Name: "detectable", Number: true})
}

// addTest adds a row with the numbers of a test, or why there are none.
func (f layout) addTest(t *Table, row []Cell, x tested) {
	if x.missing != "" {
		row = append(row, count(0), Cell{Notes: []int{t.Note(x.missing)}})
		t.Rows = append(t.Rows, append(row, make([]Cell, len(t.Columns)-len(row))...))
		return
	}
	row = append(row, t.pairsCell(x.pairs), count(x.pairs.samples), f.differenceCell(x))
	t.Rows = append(t.Rows, append(row, f.testCells(t, x)...))
}

// plainNames returns the cells that name a row, without notes: the table of the
// means has them.
func (f layout) plainNames(l *line) []Cell {
	cells := []Cell{text(l.cell.Method)}
	if f.model {
		cells = append(cells, text(l.cell.Model))
	}
	if f.run {
		cells = append(cells, text(f.names[l.run]))
	}
	if f.seed {
		cells = append(cells, text(l.seed()))
	}
	return cells
}

// againstNotes say what the tests are and what they take for granted.
func (f layout) againstNotes(lines []*line, tests []tested) []string {
	if len(tests) == 0 {
		return []string{fmt.Sprintf("nothing to hold against %s: want another row, and a column of means over requests that is not about usage", f.Against)}
	}
	var notes []string
	add := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	each := ""
	if several(lines) {
		each = ", each by its mean over the seeds"
	}
	add("difference: the mean of the row minus that of %s over the requests that both have%s; they are paired by sample and id, and failed ones count as they do in the means", f.Against, each)
	return append(notes, f.testedNotes(tests)...)
}

// testedNotes say how differences were tested.
func (f layout) testedNotes(tests []tested) []string {
	var results []infer.Result
	for _, x := range tests {
		r := x.Result
		if !f.Intervals {
			r.Interval = nil // not printed
		}
		results = append(results, r)
	}
	return testNotes(results, results, f.Options)
}

// pairsCell counts the pairs of a test.
func (t *Table) pairsCell(p paired) Cell {
	c := count(len(p.a))
	if p.lone > 0 {
		c.Notes = append(c.Notes, t.Note(Plural(p.lone, "request")+" of one row without a partner in the other"))
	}
	if p.undefined > 0 {
		c.Notes = append(c.Notes, t.Note(fmt.Sprintf("no value in one of the rows for %d of %d requests, which are left out", p.undefined, p.undefined+len(p.a))))
	}
	return c
}

func (f layout) differenceCell(x tested) Cell {
	mean, _ := stats.Mean(x.pairs.clusters())
	c := Cell{Value: new(mean * x.column.Scale)}
	c.Text = signed(*c.Value, x.column.Digits)
	if f.Intervals && x.Interval != nil {
		c.Interval = new(x.Interval.Scale(x.column.Scale))
		c.Text += fmt.Sprintf(" (%s, %s)", signed(c.Interval.Lo, x.column.Digits), signed(c.Interval.Hi, x.column.Digits))
	}
	return c
}

// testCells prints p, the adjusted p and the detectable difference, or why nothing
// can be shown.
func (f layout) testCells(t *Table, x tested) []Cell {
	p := probability(x.P)
	p.Notes = append(p.Notes, t.notes(reason(x.Result, f.Unit, x.column))...)
	cells := []Cell{p}
	if f.Correct != infer.None {
		last := probability(x.Adjusted)
		if x.Adjusted != nil && !x.Shown {
			last.Text = "~ " + last.Text
		}
		cells = append(cells, last)
	} else if x.Adjusted != nil && !x.Shown {
		cells[0].Text = "~ " + cells[0].Text
	}
	return append(cells, scaled(x.Detectable, x.column.Scale, x.column.Digits))
}

// pCell prints a p-value: those too small for four decimals by a bound, as
// their digits depend on the tails of the assumption.
func pCell(p float64) Cell {
	if p < 0.0001 {
		return Cell{Text: "<0.0001", Value: &p}
	}
	return Cell{Text: strconv.FormatFloat(p, 'f', 4, 64), Value: &p}
}

// columnsTested are the shown columns that are means over requests, each counting the
// same, of which more or less is better, and not about usage.
func (b *builder) columnsTested() []metrics.Column {
	return slices.DeleteFunc(slices.Clone(b.columns), func(c metrics.Column) bool {
		return b.of[c.Name] == metrics.Usage || c.Neutral || !testable(c)
	})
}
