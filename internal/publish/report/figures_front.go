package report

import (
	"cmp"
	"fmt"
	"slices"

	"recallbench/internal/publish/figure"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// front draws quality against cost: a point for each line, and the front of those
// that no other one beats in both. A beaten point is filled with grey.
func (p *plotter) front(lines []*line) (*figure.Figure, string) {
	x, why := p.cost()
	if why != "" {
		return nil, why
	}
	columns := slices.DeleteFunc(p.quality(), func(c metrics.Column) bool { return c.Name == x.Name })
	if len(columns) == 0 {
		return nil, "no column of quality: the columns are about usage"
	}
	costs := p.costs(lines, x)
	if x.Name == DollarColumn && !slices.ContainsFunc(costs, func(c *float64) bool { return c == nil || *c > 0 }) {
		return nil, "no request cost anything"
	}
	fig := p.start(lines, "quality against cost", append(slices.Clone(columns), x), false)
	fig.Notes = append(fig.Notes, "grey: another point is at least as good in both and better in one; the steps join the others")
	f := p.layout(lines)
	some, beaten := false, false
	for _, c := range columns {
		panel := figure.Panel{X: axis(x), Y: axis(c)}
		if x.Name == DollarColumn {
			panel.X = "dollars per request"
		}
		var at []figure.Point
		var of []*line
		for i, l := range lines {
			v, ok := p.point(l, c, l.ids(), 0, false)
			switch {
			case !ok:
				fig.Notes = append(fig.Notes, f.name(l)+": no value of "+c.Name)
			case costs[i] == nil:
				fig.Notes = append(fig.Notes, f.name(l)+": no value of "+x.Name)
			default:
				v.X = *costs[i]
				at, of = append(at, v), append(of, l)
			}
		}
		panel.Series = steps(at, x, c)
		for i, l := range of {
			s := figure.Series{Name: f.name(l), Look: look(lines, l), Points: at[i : i+1]}
			s.Look.Grey = slices.ContainsFunc(at, func(v figure.Point) bool { return beats(v, at[i], x, c) })
			beaten = beaten || s.Look.Grey
			panel.Series = append(panel.Series, s)
		}
		if beaten {
			panel.Series = append(panel.Series, figure.Series{Name: "grey: beaten by another", Look: figure.Look{Grey: true, Color: 6}})
		}
		some = some || len(of) > 0
		fig.Panels = append(fig.Panels, panel)
	}
	if !some {
		return nil, fmt.Sprintf("no method has both %s and %s", x.Name, columns[0].Name)
	}
	return fig, ""
}

// cost returns the column of the x-axis, or why there is none.
func (p *plotter) cost() (metrics.Column, string) {
	if p.o.X == DollarColumn {
		if p.o.Dollars == nil {
			return metrics.Column{}, "what requests cost is not known here"
		}
		return metrics.Column{Name: DollarColumn, Scale: 1, Digits: 6, Lower: true}, ""
	}
	names := []string{"tokens@xmemory", "tokens-query"}
	if p.o.X != "" {
		names = []string{p.o.X}
	}
	c, ok := p.column(names...)
	if !ok {
		return c, "no column of tokens: score the run with the metric tokens or tokens@xmemory"
	}
	return c, ""
}

// costs returns what each line is drawn at on the x-axis; nil where that is not
// known.
func (p *plotter) costs(lines []*line, x metrics.Column) []*float64 {
	all := make([]*float64, len(lines))
	for i, l := range lines {
		if x.Name != DollarColumn {
			if s, ok := l.summary(x, l.ids()); ok {
				all[i] = new(s.mean * x.Scale)
			}
			continue
		}
		var sum float64
		known := true
		for _, seed := range l.bySeed() {
			mean, ok, err := p.o.Dollars(l.run, seed.cell)
			if err != nil {
				p.err = err
			}
			sum += mean
			known = known && ok
		}
		if known {
			all[i] = new(sum / float64(len(l.bySeed())))
		}
	}
	return all
}

// beats reports whether a is at least as good as b in both columns and better in
// one of them.
func beats(a, b figure.Point, x, y metrics.Column) bool {
	dx, dy := better(a.X, b.X, x), better(a.Y, b.Y, y)
	return dx >= 0 && dy >= 0 && dx+dy > 0
}

// steps returns the front of some points, from the best in x on.
func steps(at []figure.Point, x, y metrics.Column) []figure.Series {
	front := slices.DeleteFunc(slices.Clone(at), func(v figure.Point) bool {
		return slices.ContainsFunc(at, func(other figure.Point) bool { return beats(other, v, x, y) })
	})
	if len(front) < 2 {
		return nil
	}
	slices.SortStableFunc(front, func(a, b figure.Point) int { return cmp.Or(better(b.X, a.X, x), better(b.Y, a.Y, y)) })
	for i := range front {
		front[i] = figure.Point{X: front[i].X, Y: front[i].Y}
	}
	return []figure.Series{{Name: "front", Kind: figure.Steps, Look: figure.Look{Color: 6, Shape: 1}, Points: front}}
}

// MeanDollars returns the mean cost of records, and whether all costs are known
// and there is one.
func MeanDollars(records func(func(record.Record, error) bool)) (mean float64, known bool, err error) {
	n := 0
	known = true
	for r, err := range records {
		if err != nil {
			return 0, false, err
		}
		n++
		if r.Cost == nil {
			known = false
			continue
		}
		mean += *r.Cost
	}
	if n == 0 || !known {
		return 0, false, nil
	}
	return mean / float64(n), true, nil
}
