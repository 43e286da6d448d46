package report

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/figure"
	"recallbench/internal/publish/published"
)

// Draw draws a figure of a paper from the numbers that were printed, and pale
// beside them what runs measured, of the rows that have a partner as
// [Options].Rows says. Where no numbers were printed it is an error that gives the
// reason.
func (f PaperFigure) Draw(runs []*Run, o Options) (*figure.Figure, error) {
	if f.Table == "" {
		err := fmt.Errorf("%s cannot be drawn again: %s", f.Name, f.Why)
		if f.Measured != "" {
			err = fmt.Errorf("%w; 'bench plot RUN --figure %s' draws a run of configs/papers/%s", err, f.Measured, f.Config)
		}
		return nil, err
	}
	table, err := published.Get(f.Table)
	if err != nil {
		return nil, err
	}
	p := paperPlot{PaperFigure: f, table: table, notes: new(Table)}
	checks := published.Audit()
	p.checks = slices.DeleteFunc(checks, func(c published.Check) bool { return c.Kind == published.Claim })
	p.group = table.Average
	if groups := table.Groups(); !slices.Contains(groups, p.group) {
		p.group = groups[0] // a table of one group
	}
	if len(runs) > 0 {
		if f.Measured == "" {
			return nil, fmt.Errorf("no figure of runs measures what %s shows; 'bench latency' prints how long their stages take", f.Name)
		}
		if err := p.measure(runs, o); err != nil {
			return nil, err
		}
	}
	return p.figure(), nil
}

type paperPlot struct {
	PaperFigure
	table  *published.Table
	checks []published.Check
	group  string // of the cells that are drawn
	notes  *Table // what there is to say

	beside   *comparison // with what was measured; nil for nothing
	pairs    []pair
	measured []string // of rows, that have something measured beside them
	reasons  []string // why measured and printed numbers do not compare
}

// measure finds what runs have beside the rows of the table.
func (p *paperPlot) measure(runs []*Run, o Options) error {
	o.Published, o.AllReaders, o.Columns = []string{p.table.Name}, true, nil
	plotter, err := newPlotter(runs, FigureOptions{Options: o})
	if err != nil {
		return err
	}
	if err := errors.Join(plotter.checkRows()...); err != nil {
		return err
	}
	c := &comparison{table: p.table, rows: p.table.Rows, checks: p.checks}
	for _, l := range plotter.lines {
		if l.dataset.Name == p.table.Dataset {
			c.lines = append(c.lines, l)
		}
	}
	if len(c.lines) == 0 {
		return fmt.Errorf("%s is on %s, which no run asked about", p.Name, p.table.Dataset)
	}
	c.layout = plotter.layout(c.lines)
	if p.pairs = c.pairs(); len(p.pairs) == 0 {
		rows := lists.Map(p.table.Rows, func(r published.Row) string { return strconv.Quote(r.Label) })
		return fmt.Errorf("no method of the runs has the label of a row of %s: %s; --row \"PUBLISHED ROW=METHOD LABEL\" brings two together", p.table.Name, strings.Join(slices.Compact(rows), ", "))
	}
	p.beside = c
	return nil
}

func (p *paperPlot) figure() *figure.Figure {
	fig := &figure.Figure{Name: p.Name, Title: fmt.Sprintf("%s, %s: %s", p.table.Paper.Key, p.Number, p.Title)}
	fig.Caption = "numbers as published: " + p.table.Paper.ID
	models := p.models()
	for _, model := range models {
		title := ""
		if len(models) > 1 {
			title = model
		}
		fig.Panels = append(fig.Panels, p.panels(model, title)...)
	}
	if len(models) > 1 && len(fig.Panels) > len(models) {
		fig.Across = len(fig.Panels) / len(models)
	}
	if p.beside != nil {
		fig.Caption += "; pale: measured"
		if slices.ContainsFunc(p.pairs, func(x pair) bool { return x.line.model.Offline }) {
			fig.Caption += " with the offline backend, which is no language model"
		}
		for _, x := range p.pairs {
			if c := x.line.dataset.Caveat; c != "" && !strings.Contains(fig.Caption, c) {
				fig.Caption += "; " + c
			}
		}
	}
	fig.Notes = append([]string{p.table.Paper.Citation(), fig.Caption}, protocolNotes(p.table)...)
	for _, r := range p.table.Rows {
		if p.beside != nil && !slices.Contains(p.measured, r.Key()) {
			p.notes.Note("not measured: " + r.Key())
		}
	}
	if len(p.reasons) > 0 {
		p.notes.Note("measured and published numbers do not compare: " + strings.Join(p.reasons, "; "))
	}
	fig.Notes = append(fig.Notes, p.notes.Notes...)
	return fig
}

// models returns the readers of the table's rows.
func (p *paperPlot) models() []string {
	return lists.Distinct(p.table.Rows, func(r published.Row) string { return r.Model })
}

// shown returns the metrics that are drawn.
func (p *paperPlot) shown() []published.Metric {
	all := shownMetrics(p.table)
	if len(p.metrics) == 0 {
		return all
	}
	var some []published.Metric
	for _, name := range p.metrics {
		if m, ok := p.table.Metric(name); ok {
			some = append(some, m)
		}
	}
	return some
}

// panels draws the rows of one reader: a panel for the metrics of each unit.
func (p *paperPlot) panels(model, title string) []figure.Panel {
	rows := lists.Filter(p.table.Rows, func(r published.Row) bool { return r.Model == model })
	var panels []figure.Panel
	var kinds []string
	for i, m := range p.shown() {
		// What is read of a structure is no score, though both are percentages.
		kind := string(m.Unit)
		if m.Name == "reassignment_ratio_percent" {
			kind = m.Name
		}
		at := slices.Index(kinds, kind)
		if at < 0 {
			at = len(kinds)
			kinds = append(kinds, kind)
			panels = append(panels, figure.Panel{Title: title, Y: figure.Axis{Label: unitLabel(m)}})
		}
		panel := &panels[at]
		if p.byRow {
			p.addMetric(panel, rows, m, figure.Nth(i))
		} else {
			panel.Places = append(panel.Places, metricLabel(m))
			p.addRows(panel, rows, m)
		}
	}
	return panels
}

// metricLabel names a published metric as people read it.
func metricLabel(m published.Metric) string {
	name := strings.TrimSuffix(m.Name, "_percent")
	return strings.ReplaceAll(name, "_", " ")
}

// unitLabel labels the axis of metrics of a unit.
func unitLabel(m published.Metric) string {
	switch {
	case m.Unit == published.Millis:
		return "mean (ms)"
	case m.Unit != published.Percent:
		return metricLabel(m)
	case m.Column == "reassigned":
		return "facts reassigned (%)"
	case strings.HasPrefix(m.Column, "hit-"):
		return "blocks (%)"
	}
	return "score (%)"
}

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
		p.notes.Note(fmt.Sprintf("%s of %s: not measured: %s", m.Name, r.Key(), found.missing))
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
