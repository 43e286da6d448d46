package report

import (
	"fmt"
	"slices"

	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
)

// ContrastTable lays out the rows of [Contrasts], with their notes: a table for
// each side. With all, columns are added that tell how a row came about; without,
// the table is as wide as a terminal.
func ContrastTable(rows []Contrast, notes []string, o ContrastOptions, all bool) *Document {
	d := &Document{Tables: []*Table{}}
	for side := 0; ; side++ {
		of := lists.Filter(rows, func(r Contrast) bool { return r.Side == side })
		if len(of) == 0 {
			break
		}
		t := &Table{Name: of[0].Run + " against " + of[0].BaseRun, Title: of[0].Run + " against " + of[0].BaseRun, Rows: [][]Cell{}}
		t.NoteTitle(append(slices.Clone(notes), contrastNotes(rows, of, o)...)...)
		fields := t.contrastFields(of, o, all)
		t.Columns = lists.Map(fields, func(f contrastField) Column { return f.Column })
		for _, r := range of {
			t.Rows = append(t.Rows, lists.Map(fields, func(f contrastField) Cell { return f.cell(r) }))
		}
		d.Tables = append(d.Tables, t)
	}
	return d
}

// A contrastField is a column of a table of contrasts with how it shows a row.
type contrastField struct {
	Column
	cell func(Contrast) Cell
}

// contrastFields returns the columns: those that name a row, as far as they differ
// between rows; the title has what they share.
func (t *Table) contrastFields(rows []Contrast, o ContrastOptions, all bool) []contrastField {
	several := func(name func(Contrast) string) bool {
		return slices.ContainsFunc(rows, func(r Contrast) bool { return name(r) != name(rows[0]) || all && name(r) != "" })
	}
	dataset := func(r Contrast) string { return r.Dataset }
	method := func(r Contrast) string { return besides(r.Method, r.BaseMethod) }
	model := func(r Contrast) string { return besides(r.Model, r.BaseModel) }
	var fields []contrastField
	add := func(in bool, c Column, cell func(Contrast) Cell) {
		if in {
			fields = append(fields, contrastField{c, cell})
		}
	}
	name := func(in bool, column string, of func(Contrast) string) {
		add(in, Column{Name: column, Repeats: true}, func(r Contrast) Cell { return text(of(r)) })
	}
	number := func(in bool, column, head string, cell func(Contrast) Cell) {
		add(in, Column{Name: column, Head: head, Number: true}, cell)
	}
	perMethod := rows[0].Method != ""
	if !several(dataset) && perMethod && rows[0].Dataset != "" {
		t.Title += " on " + rows[0].Dataset
	}
	if !several(model) && rows[0].Model != "" {
		t.Title += ", model " + model(rows[0])
	}
	name(several(dataset) || !perMethod && rows[0].Dataset != "", "dataset", dataset)
	name(perMethod, "method", method)
	name(several(model), "model", model)
	name(slices.ContainsFunc(rows, func(r Contrast) bool { return r.Category != "" }), "category", func(r Contrast) string { return r.Category })
	add(true, Column{Name: "metric"}, t.metricCell)
	number(true, "base", "", func(r Contrast) Cell { return r.mean(r.Base) })
	number(true, "new", "", func(r Contrast) Cell { return r.mean(r.New) })
	number(true, "difference", "", Contrast.differenceCell)
	add(true, Column{Name: "verdict"}, t.verdictCell)
	add(all, Column{Name: "test"}, func(r Contrast) Cell { return text(r.Test) })
	add(all, Column{Name: "unit"}, func(r Contrast) Cell {
		if r.P == nil {
			return Cell{}
		}
		return text(string(r.Unit))
	})
	number(true, "p", "", func(r Contrast) Cell { return probability(r.P) })
	number(o.Correct != infer.None, "p-adjusted", infer.CorrectionHead(o.Correct), func(r Contrast) Cell { return probability(r.Adjusted) })
	fields = append(fields, marginFields(o)...)
	number(true, "pairs", "", t.contrastPairs)
	number(all, "higher", "", func(r Contrast) Cell { return count(r.Higher) })
	number(all, "lower", "", func(r Contrast) Cell { return count(r.Lower) })
	number(true, "samples", "", func(r Contrast) Cell { return count(r.Samples) })
	number(all, "effective-n", "effective n", func(r Contrast) Cell { return scaled(r.EffectiveN, 1, 0) })
	number(true, "detectable", "", func(r Contrast) Cell { return scaled(r.Detectable, r.Column.Scale, r.Column.Digits) })
	few := slices.ContainsFunc(rows, func(r Contrast) bool { return r.AtSix != nil })
	number(few || all, "detectable-six", fmt.Sprint("with ", infer.FlipUnits), func(r Contrast) Cell { return scaled(r.AtSix, r.Column.Scale, r.Column.Digits) })
	return fields
}

// probability prints a p-value; nil is none.
func probability(p *float64) Cell {
	if p == nil {
		return Cell{}
	}
	return pCell(*p)
}

// besides names what is compared with something else.
func besides(name, base string) string {
	if name == base {
		return name
	}
	return name + " against " + base
}

// scaled prints a number of the unit of the scores in that of a column; nil is none.
func scaled(x *float64, scale float64, digits int) Cell {
	if x == nil {
		return Cell{}
	}
	return Cell{Text: decimal(*x*scale, digits), Value: new(*x * scale)}
}

// mean prints a mean of the row, if there is a value behind it.
func (c Contrast) mean(x float64) Cell {
	if c.N == 0 {
		return Cell{}
	}
	return scaled(&x, c.Column.Scale, c.Column.Digits)
}

func (c Contrast) differenceCell() Cell {
	cell := c.mean(c.Difference())
	if cell.Value != nil {
		cell.Text = signed(*cell.Value, c.Column.Digits)
	}
	if c.Interval != nil {
		cell.Interval = new(c.Interval.Scale(c.Column.Scale))
		cell.Text += fmt.Sprintf(" (%s, %s)", signed(cell.Interval.Lo, c.Column.Digits), signed(cell.Interval.Hi, c.Column.Digits))
	}
	return cell
}

func (t *Table) metricCell(c Contrast) Cell {
	cell := text(c.Column.Name)
	cell.Notes = append(cell.Notes, t.notes(c.Notes...)...)
	return cell
}

func (t *Table) verdictCell(c Contrast) Cell {
	cell := text(c.Verdict())
	switch why := c.Reason(); {
	case c.Same():
	case c.Missing != "":
		cell.Notes = append(cell.Notes, t.Note("no test: "+why))
	case why != "":
		cell.Notes = append(cell.Notes, t.Note(why))
	}
	if !c.Paired {
		cell.Notes = append(cell.Notes, t.Note(c.Unpaired+"; means of "+c.Unit.noun()+"s are compared"))
	}
	return cell
}

// contrastPairs counts the pairs of a row, or says what is compared in their place.
func (t *Table) contrastPairs(c Contrast) Cell {
	if c.Paired {
		return count(c.N)
	}
	return Cell{Notes: []int{t.Note(fmt.Sprintf("means of %ss, each counting once, over %s of the base and %d of the new side", c.Unit.noun(), Plural(c.Of[0], "request"), c.Of[1]))}}
}
