package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/stats"
)

// neither is what is missing for a test of the length of answers.
const neither = "neither more nor less is better"

func (c *contraster) addRows(s contrastScope) {
	all, why := c.requests(s)
	if c.options.Rows != Category {
		c.addColumns(s, all, why, "", nil)
		return
	}
	for _, id := range s.categories() {
		c.addColumns(s, all.in(id, why == ""), why, s.described().CategoryName(id), []string{id})
	}
}

// addColumns adds a row for each column that a side of the scope has.
func (c *contraster) addColumns(s contrastScope, requests joined, why, category string, ids []string) {
	for _, column := range c.columns {
		at := c.at(column.Name)
		r := Contrast{
			Side: s.side - 1, Run: c.names[s.side], BaseRun: c.names[c.base],
			Dataset: s.dataset, Method: s.method, Model: s.model, BaseMethod: s.baseMethod, BaseModel: s.baseModel,
			Category: category, Column: column, Failed: s.failed(ids), Paired: why == "", Unpaired: why,
			Unit: cmp.Or(c.options.Unit, BySample), row: infer.Row{Pair: s.side},
		}
		if !c.measured(s.side, column.Name) {
			continue // columnNotes has said so
		}
		fillRow(&r, requests, at)
		if column.Neutral && r.N > 0 {
			r.Missing, r.row = neither, infer.Row{Pair: s.side}
		}
		for i := range r.row.Units { // samples of two datasets are not the same, whatever their ids
			r.row.Units[i].ID = s.dataset + "\x00" + r.row.Units[i].ID
		}
		c.rows = append(c.rows, &r)
	}
}

// measured reports whether the base and a side are both scored with a column.
func (c *contraster) measured(side int, column string) bool {
	return slices.Contains(c.scored[c.sides[c.base].Run], column) && slices.Contains(c.scored[c.sides[side].Run], column)
}

// fillRow fills in a row by the values of the kept column at a place.
func fillRow(c *Contrast, j joined, at int) {
	if !c.Paired {
		fillApart(c, j.apart(at, c.Unit))
		return
	}
	fillPaired(c, j.pair(at, c.Unit))
	c.questions, c.pairs, c.at = j.questions(at), j, at
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

// A Fallen is a request that is worse on the new side, in the unit of tables.
type Fallen struct {
	Sample  string  `json:"sample"`
	Request string  `json:"request"`
	Base    float64 `json:"baseline"`
	New     float64 `json:"value"`
}

// Fallen returns the pairs that are worse on the new side, at most so many, those that
// fell the most first.
func (c Contrast) Fallen(most int) []Fallen {
	var all []Fallen
	by := func(f Fallen) float64 {
		if c.Column.Lower {
			return f.New - f.Base
		}
		return f.Base - f.New
	}
	for _, j := range c.pairs {
		if !j.common() {
			continue
		}
		f := Fallen{j.sample, j.id, j.items[1].values[c.at] * c.Column.Scale, j.items[0].values[c.at] * c.Column.Scale}
		if by(f) > 1e-9 {
			all = append(all, f)
		}
	}
	slices.SortStableFunc(all, func(a, b Fallen) int { return cmp.Compare(by(b), by(a)) })
	return all[:min(most, len(all))]
}

// An apart holds the values of a column on two sides that cannot be paired, by unit;
// those of the first line are the new side's.
type apart struct {
	ids       []string
	units     [2][]stats.Cluster
	samples   int
	undefined int
}

// apart returns the values of the kept column at a place.
func (j joined) apart(at int, unit Unit) apart {
	var a apart
	seen := false // whether the sample has a value
	for i, r := range j {
		first := i == 0 || r.sample != j[i-1].sample
		if first {
			seen = false
		}
		if first || unit == ByRequest {
			a.ids = append(a.ids, r.unit(unit))
			a.units[0], a.units[1] = append(a.units[0], stats.Cluster{}), append(a.units[1], stats.Cluster{})
		}
		for side, it := range r.items {
			switch {
			case it == nil:
				continue
			case math.IsNaN(it.values[at]):
				a.undefined++
				continue
			case !seen:
				seen = true
				a.samples++
			}
			a.units[side][len(a.units[side])-1].Add(it.values[at])
		}
	}
	return a
}

// fillApart fills in a row whose sides cannot be paired. Each unit counts by its mean. The
// means of conversations that both sides have are paired, where these are half or more
// of a side's; else all are held apart.
func fillApart(c *Contrast, a apart) {
	var n [2]int
	_, n[0] = stats.Mean(a.units[0])
	_, n[1] = stats.Mean(a.units[1])
	if a.undefined > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("no value for %d of %d requests, which are left out", a.undefined, a.undefined+n[0]+n[1]))
	}
	c.N, c.Of, c.Samples = min(n[0], n[1]), [2]int{n[1], n[0]}, a.samples
	c.row.Unpaired = true
	if c.N == 0 {
		c.Missing = "a side has no value for any request"
		return
	}
	both := 0
	for i := range a.units[0] {
		if a.units[0][i].N > 0 && a.units[1][i].N > 0 {
			both++
		}
	}
	if 2*both >= min(stats.Count(a.units[0]), stats.Count(a.units[1])) {
		c.row.Unpaired, c.Samples, c.Of = false, both, [2]int{}
	}
	var means [2][]stats.Cluster
	for i := range a.units[0] {
		now, base := a.units[0][i], a.units[1][i]
		if !c.row.Unpaired && (now.N == 0 || base.N == 0) {
			continue
		}
		if !c.row.Unpaired {
			c.Of[0], c.Of[1] = c.Of[0]+base.N, c.Of[1]+now.N
			u := infer.Unit{ID: a.ids[i]}
			u.Add(now.One().Sum - base.One().Sum)
			c.row.Units = append(c.row.Units, u)
		}
		means[0], means[1] = append(means[0], now.One()), append(means[1], base.One())
		if now.N > 0 {
			c.row.New = append(c.row.New, now.One().Sum)
		}
		if base.N > 0 {
			c.row.Base = append(c.row.Base, base.One().Sum)
		}
	}
	c.New, _ = stats.Mean(means[0])
	c.Base, _ = stats.Mean(means[1])
}
