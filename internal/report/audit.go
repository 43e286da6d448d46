package report

import (
	"fmt"

	"recallbench/internal/published"
)

// Audit lays out checks of published tables: those that found numbers at odds,
// or all of them, and how many there are of each kind.
func Audit(checks []published.Check, all bool) *Document {
	t := &Table{
		Name: "audit", Rows: [][]Cell{},
		Columns: []Column{
			{Name: "table", Repeats: true},
			{Name: "row", Repeats: true},
			{Name: "cell"},
			{Name: "printed", Number: true},
			{Name: "recomputed", Number: true},
			{Name: "tolerance", Number: true},
			{Name: "check"},
		},
	}
	if all {
		t.Columns = append(t.Columns, Column{Name: "agrees"})
	}
	off := 0
	for _, c := range checks {
		agrees := "yes"
		if !c.Agrees {
			agrees = "no"
			off++
		}
		if c.Agrees && !all {
			continue
		}
		row := []Cell{
			text(c.Table), text(c.Row), text(c.Cell), text(c.Printed), number(c.Recomputed), number(c.Tolerance),
			text(string(c.Kind), t.note(c.Note)),
		}
		if all {
			row = append(row, text(agrees))
		}
		t.Rows = append(t.Rows, row)
	}
	t.Title = fmt.Sprintf("Published numbers beside what follows from the others: %d checks, %d disagree", len(checks), off)
	return &Document{Tables: []*Table{t, kinds(checks)}}
}

// number returns the cell of a number that may not be there.
func number(x *float64) Cell {
	if x == nil {
		return Cell{}
	}
	return Cell{Text: recomputed(*x), Value: x}
}

// kinds counts the checks by kind.
func kinds(checks []published.Check) *Table {
	t := &Table{
		Name: "audit by kind", Title: "Checks by kind", Rows: [][]Cell{},
		Columns: []Column{{Name: "check"}, {Name: "what"}, {Name: "checks", Number: true}, {Name: "disagree", Number: true}},
	}
	for _, k := range published.Kinds() {
		n, off := 0, 0
		for _, c := range checks {
			if c.Kind != k {
				continue
			}
			n++
			if !c.Agrees {
				off++
			}
		}
		t.Rows = append(t.Rows, []Cell{text(string(k)), text(k.Doc()), count(n), count(off)})
	}
	return t
}
