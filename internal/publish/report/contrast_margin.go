package report

import (
	"fmt"

	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
)

// A Margin is what was found of a row against a margin, in the unit of the table.
type Margin struct {
	Size float64
	P    float64 // one-sided, not adjusted
}

// shown reports whether the row keeps to the margin.
func (m *Margin) shown() bool { return m != nil && m.P <= alpha }

// Held are the margins of a row; nil where nothing is known of one.
type Held struct{ Within, NotWorse *Margin }

// Held holds a row against a margin above 0, in the unit of the table.
func (c Contrast) Held(size float64) (h Held) {
	if c.row.Unpaired {
		return h
	}
	units := c.row.Units
	if c.Column.Lower { // less is better
		units = lists.Map(units, func(u infer.Unit) infer.Unit {
			u.Sum = -u.Sum
			return u
		})
	}
	m, ok := infer.Within(units, size/c.Column.Scale)
	if !ok {
		return h
	}
	h.Within = &Margin{size, m.Same}
	if !c.Column.Neutral {
		h.NotWorse = &Margin{size, m.NotLess}
	}
	return h
}

// holdMargins tests rows against the margins of the options.
func holdMargins(rows []*Contrast, o ContrastOptions) {
	for _, r := range rows {
		r.Within, r.NotWorse = r.Held(o.EquivalentWithin).Within, r.Held(o.NotWorseBy).NotWorse
	}
}

// marginVerdict sums up a row whose difference is not shown, where margins were asked
// for; empty where they were not.
func (c Contrast) marginVerdict() string {
	switch {
	case c.Within == nil && c.NotWorse == nil:
		return ""
	case c.Within.shown():
		return fmt.Sprintf("same within %g", c.Within.Size)
	case c.NotWorse.shown():
		return fmt.Sprintf("not worse by %g", c.NotWorse.Size)
	}
	return "undecided"
}

// marginFields returns the columns of margins.
func marginFields(o ContrastOptions) []contrastField {
	var fields []contrastField
	add := func(size float64, name, head string, of func(Contrast) *Margin) {
		if size <= 0 {
			return
		}
		fields = append(fields, contrastField{Column{Name: name, Head: fmt.Sprintf(head, size), Number: true}, func(r Contrast) Cell {
			if m := of(r); m != nil {
				return pCell(m.P)
			}
			return Cell{}
		}})
	}
	add(o.EquivalentWithin, "p-equivalent", "p (within %g)", func(r Contrast) *Margin { return r.Within })
	add(o.NotWorseBy, "p-not-worse", "p (not worse by %g)", func(r Contrast) *Margin { return r.NotWorse })
	return fields
}

// marginNotes say what the columns of margins are.
func marginNotes(o ContrastOptions) []string {
	if o.EquivalentWithin <= 0 && o.NotWorseBy <= 0 {
		return nil
	}
	return []string{"margins: one-sided t-tests by the CR2 error at 5 %, for equivalence two of them, not adjusted; undecided: neither a difference nor a margin is shown"}
}
