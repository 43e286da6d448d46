package published

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// The kinds of checks of numbers.
const (
	Average  Kind = "average"  // a mean over groups from the groups' cells
	Quotient Kind = "quotient" // a column that is the quotient of two others
	Repeat   Kind = "repeat"   // the same cell in another table
	Twins    Kind = "twins"    // rows that should differ and do not
	Step     Kind = "step"     // a rate of n questions is a multiple of 1/n
)

// recompute checks the published tables against themselves: what Audit returns but for
// the claims of the text, which were compared by hand.
func recompute() ([]Check, error) {
	a := &audit{tables: List()}
	for _, t := range a.tables {
		a.averages(t)
		a.quotients(t)
		a.twins(t)
		a.steps(t)
	}
	a.repeats()
	slices.SortStableFunc(a.checks, func(x, y Check) int {
		tx, rx := a.order(x)
		ty, ry := a.order(y)
		return cmp.Or(tx-ty, rx-ry)
	})
	return a.checks, errors.Join(a.faults...)
}

// order returns the places of a check's table and row; a check about all rows
// comes last.
func (a *audit) order(c Check) (table, row int) {
	table = slices.IndexFunc(a.tables, func(t *Table) bool { return t.Name == c.Table })
	if table < 0 {
		return len(a.tables), 0
	}
	rows := a.tables[table].Rows
	row = slices.IndexFunc(rows, func(r Row) bool { return r.Key() == c.Row })
	if row < 0 {
		row = len(rows)
	}
	return table, row
}

// An audit collects checks.
type audit struct {
	tables []*Table
	checks []Check
	faults []error // references to cells that are not there
}

// compare adds the check of a printed number against a computed one.
func (a *audit) compare(kind Kind, at place, text string, printed, computed number, note string) {
	a.checks = append(a.checks, Check{
		Kind: kind, Table: at.table, Row: at.row, Cell: at.cell,
		Printed:    text,
		Recomputed: new(round(computed.at)),
		Tolerance:  new(round(computed.tolerance(printed))),
		Agrees:     computed.agrees(printed),
		Note:       note,
	})
}

// round drops the digits that floating-point error reaches.
func round(x float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 10, 64), 64)
	if err != nil {
		return x
	}
	return r
}

func (t *Table) number(r Row, c Cell) number {
	n := rounded(c.Printed)
	if m, ok := t.Metric(c.Metric); ok && m.Unit == Whole {
		n = whole(c.Value)
	}
	n.from = place{t.Name, r.Key(), c.Name()}
	return n
}

// averages recomputes the cells of the average group from the other groups.
func (a *audit) averages(t *Table) {
	if t.Average == "" || t.Averaging == "" {
		return
	}
	for _, r := range t.Rows {
		for _, m := range t.Metrics {
			printed, ok := r.Cell(t.Average, m.Name)
			if !ok {
				continue
			}
			mean, note, ok := t.mean(r, m.Name)
			if !ok {
				continue
			}
			n := t.number(r, printed)
			a.compare(Average, n.from, printed.Printed, n, mean, note)
		}
	}
}

// mean computes the mean of a row's groups as the protocol averages; ok is
// false when a group has no cell.
func (t *Table) mean(r Row, metric string) (mean number, note string, ok bool) {
	var sum number
	var total float64
	var weights []string
	for _, p := range t.Parts {
		c, ok := r.Cell(p.Name, metric)
		if !ok {
			return number{}, "", false
		}
		weight := 1.0
		if t.Averaging == OverQuestions {
			weight = float64(p.N)
		}
		sum = sum.plus(t.number(r, c).times(weight))
		total += weight
		weights = append(weights, strconv.FormatFloat(weight, 'f', -1, 64))
	}
	if total == 0 {
		return number{}, "", false
	}
	note = "mean of the groups, weights " + strings.Join(weights, "/")
	if t.Averaging == OverGroups {
		note = "plain mean of the groups"
	}
	return sum.times(1 / total), note, true
}

// quotients recomputes the mean size of a theme.
func (a *audit) quotients(t *Table) {
	for _, r := range t.Rows {
		for _, c := range r.Cells {
			if c.Metric != "semantics_per_theme" {
				continue
			}
			semantics, ok1 := r.Cell(c.Group, "semantics")
			themes, ok2 := r.Cell(c.Group, "themes")
			if !ok1 || !ok2 {
				continue
			}
			n := t.number(r, c)
			computed := t.number(r, semantics).over(t.number(r, themes))
			note := fmt.Sprintf("%s / %s", semantics.Printed, themes.Printed)
			if unit := 2 * half(c.Printed); !computed.agrees(n) && math.Floor(computed.at/unit+1e-9) == math.Round(n.at/unit) {
				note += "; cut off, not rounded"
			}
			a.compare(Quotient, n.from, c.Printed, n, computed, note)
		}
	}
}
