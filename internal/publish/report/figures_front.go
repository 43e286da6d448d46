package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/figure"
	"recallbench/metrics"
)

// front draws quality against cost: a point for each line, and the front of those that no
// other beats in both. A beaten point is grey.
func (p *plotter) front(lines []*line) error {
	x, ok := p.column(cmp.Or(p.o.X, "tokens@xmemory"), cmp.Or(p.o.X, "tokens-query"))
	if !ok {
		return errors.New("no column of tokens; score the run with the metric tokens or tokens@xmemory")
	}
	columns := lists.Filter(p.quality(), func(c metrics.Column) bool { return c.Name != x.Name })
	if len(columns) == 0 {
		return errors.New("no column of quality: the columns are about usage")
	}
	p.begin(lines, "quality against cost", append(slices.Clone(columns), x))
	p.fig.Notes = append(p.fig.Notes, "grey: another point is at least as good in both and better in one; the steps connect the others")
	some := false
	for _, c := range columns {
		panel := figure.Panel{X: axis(x), Y: axis(c)}
		var at []figure.Point
		var of []*line
		for _, l := range lines {
			v, ok := p.point(lines, l, c, l.ids(), 0)
			cost := meanCell(l, x).Value
			if !ok || cost == nil {
				p.fig.Notes = append(p.fig.Notes, fmt.Sprintf("%s: no value of %s or %s", p.name(l), x.Name, c.Name))
				continue
			}
			v.X, some = *cost, true
			at, of = append(at, v), append(of, l)
		}
		panel.Series = steps(at, x, c)
		for i, l := range of {
			s := figure.Series{Name: p.name(l), Look: look(lines, l), Points: at[i : i+1]}
			s.Look.Grey = slices.ContainsFunc(at, func(v figure.Point) bool { return beats(v, at[i], x, c) })
			panel.Series = append(panel.Series, s)
		}
		if slices.ContainsFunc(panel.Series, func(s figure.Series) bool { return s.Look.Grey }) {
			panel.Series = append(panel.Series, figure.Series{Name: "grey: beaten by another", Look: figure.Look{Grey: true, Color: 6}})
		}
		p.fig.Panels = append(p.fig.Panels, panel)
	}
	if !some {
		return fmt.Errorf("no method has both %s and %s", x.Name, columns[0].Name)
	}
	return nil
}

// beats reports whether a is at least as good as b in both columns and better in one.
func beats(a, b figure.Point, x, y metrics.Column) bool {
	dx, dy := better(a.X, b.X, x), better(a.Y, b.Y, y)
	return dx >= 0 && dy >= 0 && dx+dy > 0
}

// steps returns the front of some points, starting with the best in x.
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
