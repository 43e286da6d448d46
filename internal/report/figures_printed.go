package report

import (
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/figure"
	"recallbench/internal/lists"
	"recallbench/internal/published"
)

// addMetric adds a series of a metric over rows.
func (p *paperPlot) addMetric(panel *figure.Panel, rows []published.Row, m published.Metric, look figure.Look) {
	panel.Places = nil
	name := metricLabel(m)
	s := figure.Series{Name: name, Kind: figure.Bars, Look: look}
	measured := figure.Series{Name: name + ", measured", Kind: figure.Bars, Look: pale(look)}
	for i, r := range rows {
		panel.Places = append(panel.Places, r.Label)
		if v, ok := p.printed(r, m, i); ok {
			s.Points = append(s.Points, v)
		}
		if v, ok := p.found(r, m, i); ok {
			measured.Points = append(measured.Points, v)
		}
	}
	panel.Series = append(panel.Series, s)
	if len(measured.Points) > 0 {
		panel.Series = append(panel.Series, measured)
	}
}

// addRows adds a metric to the series of rows.
func (p *paperPlot) addRows(panel *figure.Panel, rows []published.Row, m published.Metric) {
	at := len(panel.Places) - 1
	add := func(name string, look figure.Look, v figure.Point) {
		i := slices.IndexFunc(panel.Series, func(s figure.Series) bool { return s.Name == name })
		if i < 0 {
			i = len(panel.Series)
			panel.Series = append(panel.Series, figure.Series{Name: name, Kind: figure.Bars, Look: look})
		}
		panel.Series[i].Points = append(panel.Series[i].Points, v)
	}
	for i, r := range rows {
		look := figure.Nth(i)
		if v, ok := p.printed(r, m, at); ok {
			add(r.Label, look, v)
		}
		if v, ok := p.found(r, m, at); ok {
			add(r.Label+", measured", pale(look), v)
		}
	}
}

// printed returns a cell as it was printed.
func (p *paperPlot) printed(r published.Row, m published.Metric, at int) (figure.Point, bool) {
	c, ok := r.Cell(p.group, m.Name)
	if !ok {
		return figure.Point{}, false
	}
	t := new(Table)
	cell := t.publishedCell(p.table, r, c, p.checks)
	v := figure.Point{X: float64(at), Y: c.Value, SD: cell.Deviation, N: p.table.N(p.group, m), Note: strings.Join(t.Notes, "; ")}
	if sd := cell.Deviation; sd != nil {
		v.Low, v.High = new(c.Value-*sd), new(c.Value+*sd)
	}
	return v, true
}

// found returns what was measured beside a cell.
func (p *paperPlot) found(r published.Row, m published.Metric, at int) (figure.Point, bool) {
	if p.beside == nil {
		return figure.Point{}, false
	}
	c, ok := r.Cell(p.group, m.Name)
	i := slices.IndexFunc(p.pairs, func(x pair) bool { return x.row.Key() == r.Key() })
	if !ok || i < 0 {
		return figure.Point{}, false
	}
	found := p.beside.find(new(Table), p.pairs[i], c)
	if found.missing != "" {
		p.notes.note(fmt.Sprintf("%s of %s: not measured: %s", m.Name, r.Key(), found.missing))
		return figure.Point{}, false
	}
	p.measured = append(p.measured, r.Key())
	v := figure.Point{X: float64(at), Y: *found.cell.Value, SD: found.cell.Deviation}
	if len(found.reasons) > 0 {
		v.Note = "not comparable: " + strings.Join(found.reasons, "; ")
		for _, reason := range found.reasons {
			p.reasons = lists.AddNew(p.reasons, reason)
		}
	}
	if i := found.cell.Interval; i != nil {
		v.Low, v.High = &i.Lo, &i.Hi
	}
	return v, true
}

func pale(l figure.Look) figure.Look {
	l.Pale = true
	return l
}
