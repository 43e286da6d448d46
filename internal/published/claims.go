package published

import (
	"fmt"
	"strings"
)

// A claimer adds the checks of what one section of a paper states.
type claimer struct {
	*audit
	where string
}

// in begins a section.
func (a *audit) in(where string) claimer { return claimer{a, where} }

// A cells reads cells of a table.
type cells struct {
	*audit
	table string
}

// of begins reading a table.
func (a *audit) of(table string) cells { return cells{a, table} }

// cell returns the number in a cell and records a fault where there is none.
func (c cells) cell(model, label, group, metric string) number {
	t, r := c.row(c.table, model, label)
	if t == nil {
		return number{}
	}
	found, ok := r.Cell(group, metric)
	if !ok {
		c.faults = append(c.faults, fmt.Errorf("%s, %s: no cell %s %s", c.table, r.Key(), group, metric))
		return number{}
	}
	return t.number(r, found)
}

// states checks a number in the text against what the cells give.
func (c claimer) states(what, printed string, computed number) {
	c.compare(Claim, computed.from, printed, rounded(printed), computed, c.where+": "+what)
}

// above checks that the text is right to put a number above some others.
// Recomputed is how far it is above the largest of them.
func (c claimer) above(what string, a number, others ...number) {
	top := largest(others[0], others[1:]...)
	c.orders(what, fmt.Sprintf("%s > %s", digits(a), digits(top)), a.minus(top))
}

// below is above for a number that the text has as the smallest.
func (c claimer) below(what string, a number, others ...number) {
	bottom := others[0]
	for _, n := range others[1:] {
		if n.at < bottom.at {
			bottom = n
		}
	}
	c.orders(what, fmt.Sprintf("%s < %s", digits(a), digits(bottom)), bottom.minus(a))
	// The finding belongs to the cell that the text speaks of.
	last := &c.checks[len(c.checks)-1]
	last.Table, last.Row, last.Cell = a.from.table, a.from.row, a.from.cell
}

// orders adds the check that a difference is positive, or can be.
func (c claimer) orders(what, text string, difference number) {
	c.checks = append(c.checks, Check{
		Kind: Claim, Table: difference.from.table, Row: difference.from.row, Cell: difference.from.cell,
		Printed:    text,
		Recomputed: new(round(difference.at)),
		Tolerance:  new(round(difference.hi - difference.at)),
		Agrees:     difference.hi > 1e-9,
		Note:       c.where + ": " + what,
	})
}

// digits prints a computed number without the noise of floating point.
func digits(n number) string {
	s := fmt.Sprintf("%.4f", n.at)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}
