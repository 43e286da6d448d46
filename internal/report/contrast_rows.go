package report

import (
	"cmp"
	"fmt"
	"slices"

	"recallbench/internal/infer"
	"recallbench/internal/stats"
)

// addRows adds the rows of a scope.
func (c *contraster) addRows(s contrastScope) {
	all, why := c.requests(s)
	if c.options.Rows != Category {
		c.addColumns(s, all, why, "", nil)
		return
	}
	for _, id := range s.categories() {
		c.addColumns(s, all.in(id, why == ""), why, categoryName(s.described(), id), []string{id})
	}
}

// addColumns adds a row for each column that a side of the scope has.
func (c *contraster) addColumns(s contrastScope, requests joined, why, category string, ids []string) {
	for at, column := range c.columns {
		r := Contrast{
			Side: s.side - 1, Run: c.names[s.side], BaseRun: c.names[0],
			Dataset: s.dataset, Method: s.method, Model: s.model, BaseMethod: s.baseMethod, BaseModel: s.baseModel,
			Category: category, Column: column, Failed: s.failed(ids), Paired: why == "", Unpaired: why,
			Unit: cmp.Or(c.options.Unit, BySample), row: infer.Row{Pair: s.side},
		}
		switch {
		case !c.measured(s.side, column.Name):
			continue // columnNotes has said so
		case why == "":
			fillPaired(&r, requests.pair(at, r.Unit))
		default:
			fillApart(&r, requests.apart(at, r.Unit))
		}
		for i := range r.row.Units { // samples of two datasets are not the same, whatever their ids
			r.row.Units[i].ID = s.dataset + "\x00" + r.row.Units[i].ID
		}
		c.rows = append(c.rows, &r)
	}
}

// measured reports whether the base and a side are both scored with a column.
func (c *contraster) measured(side int, column string) bool {
	return slices.Contains(c.scored[c.sides[0].Run], column) && slices.Contains(c.scored[c.sides[side].Run], column)
}

// fillPaired fills in a row whose sides are paired.
func fillPaired(c *Contrast, p paired) {
	c.N, c.Samples = len(p.a), p.samples
	c.Of = [2]int{c.N, c.N}
	c.row.Units = p.units
	if p.undefined > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("no value on one of the sides for %d of %d requests, which are left out", p.undefined, p.undefined+c.N))
	}
	if c.N == 0 {
		c.Missing = "no request for which both sides have a value"
		return
	}
	for i := range p.a {
		c.New += p.a[i]
		c.Base += p.b[i]
		switch {
		case p.a[i] > p.b[i]:
			c.Higher++
		case p.a[i] < p.b[i]:
			c.Lower++
		}
	}
	c.New /= float64(c.N)
	c.Base /= float64(c.N)
	if c.Same() {
		c.Missing, c.row.Units = "all pairs have the same value on both sides", nil
		return
	}
	if n, ok := stats.EffectiveN(p.clusters()); ok {
		c.EffectiveN = &n
	}
}
