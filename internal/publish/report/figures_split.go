package report

import (
	"fmt"
	"slices"
	"strconv"

	"recallbench/internal/publish/figure"
	"recallbench/metrics"
)

// along returns a figure of columns by the values of a label: those that the options name,
// else the first of some names, else of quality.
func along(label, axis string, names ...string) func(*plotter, []*line) (*figure.Figure, string, error) {
	return func(p *plotter, lines []*line) (*figure.Figure, string, error) {
		columns := p.chosen()
		if c, ok := p.column(names...); len(columns) == 0 && ok {
			columns = []metrics.Column{c}
		} else if len(columns) == 0 {
			columns = p.quality()
		}
		if len(columns) == 0 {
			return nil, "no column to draw; --columns names some", nil
		}
		return p.labelled(lines, label, "by "+axis, axis, columns)
	}
}

// by draws columns split by category or by a label.
func (p *plotter) by(lines []*line) (*figure.Figure, string, error) {
	columns := p.chosen()
	if len(columns) == 0 {
		columns = p.quality()
	}
	switch {
	case p.By == "":
		return nil, "needs what to split by: --by category, or a label of the requests", nil
	case len(columns) == 0:
		return nil, "no column to draw; --columns names some", nil
	case p.By == Category:
		return p.splitFigure(lines, lines, columns[0].Name+" by category", Category, columns), "", nil
	}
	return p.labelled(lines, p.By, "by "+p.By, p.By, columns)
}

// labelled draws columns by the values of a label.
func (p *plotter) labelled(lines []*line, label, what, axis string, columns []metrics.Column) (*figure.Figure, string, error) {
	if !slices.Contains(labelsOf(lines), label) {
		return nil, fmt.Sprintf("no request has the label %q", label), nil
	}
	return p.splitFigure(lines, byLabel(lines, label), what, axis, columns), "", nil
}

// splitFigure draws a panel for each column: its means by the categories of split
// lines, as lines over numbers and as bars over anything else.
func (p *plotter) splitFigure(lines, split []*line, what, label string, columns []metrics.Column) *figure.Figure {
	ids := asked(split)
	rest := 0
	if label != Category {
		slices.SortStableFunc(ids, compareNames)
	}
	var numbers []string
	for _, id := range ids {
		if _, err := finiteNumber(id); err == nil {
			numbers = append(numbers, id)
			continue
		}
		rest++
	}
	// Requests without the label are no reason to give up the axis of numbers.
	numeric := label != Category && len(numbers) > 0 && rest <= 1
	if numeric {
		ids = numbers
	}
	fig := p.start(lines, what, columns, barsOf(lines))
	f := p.layout(split)
	if numeric && rest > 0 {
		n := 0
		for _, l := range split {
			k, _ := l.n(slices.DeleteFunc(l.ids(), func(id string) bool { return slices.Contains(numbers, id) }))
			n = max(n, k)
		}
		fig.Notes = append(fig.Notes, "not drawn: "+Plural(n, "request")+" without a number there")
	}
	for _, c := range columns {
		panel := figure.Panel{X: label, Y: axis(c)}
		kind := figure.Lines
		if !numeric {
			kind = figure.Bars
			for _, id := range ids {
				name := id
				if label == Category {
					name = split[0].dataset.CategoryName(id)
				}
				panel.Places = append(panel.Places, name)
			}
		}
		for _, l := range split {
			s := figure.Series{Name: f.name(l), Kind: kind, Look: look(split, l)}
			for i, id := range ids {
				x := float64(i)
				if numeric {
					x, _ = finiteNumber(id)
				}
				if v, ok := p.point(l, c, []string{id}, x, barsOf(lines)); ok {
					s.Points = append(s.Points, v)
				}
			}
			panel.Series = append(panel.Series, s)
		}
		fig.Panels = append(fig.Panels, panel)
	}
	return fig
}

// finiteNumber reads a finite number.
func finiteNumber(s string) (float64, error) {
	x, err := strconv.ParseFloat(s, 64)
	if err == nil && x-x != 0 { // infinite or none
		return 0, strconv.ErrRange
	}
	return x, err
}
