package report

import (
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/figure"
	"recallbench/metrics"
)

// seriesOf returns a series of the points that there are at some places.
func seriesOf(name string, look figure.Look, kind figure.Kind, places int, at func(i int) (figure.Point, bool)) figure.Series {
	s := figure.Series{Name: name, Kind: kind, Look: look}
	for i := range places {
		if v, ok := at(i); ok {
			s.Points = append(s.Points, v)
		}
	}
	return s
}

// hits draws the shares of blocks with one, two, and three or more content words
// of the gold answer, a panel for each category: figure 4 of xMemory.
func (p *plotter) hits(lines []*line) (*figure.Figure, string) {
	var columns []metrics.Column
	for _, c := range p.known {
		if _, k, ok := strings.Cut(c.Name, "hit-1"); ok && (k == "" || k[0] == '@') {
			for _, name := range []string{"hit-1", "hit-2", "hit-3+"} {
				if hit, ok := p.column(name + k); ok {
					columns = append(columns, hit)
				}
			}
			break
		}
	}
	if len(columns) < 3 {
		return nil, "no column of hits: score the run with the metric hit-density"
	}
	fig := p.start(lines, "content words of the answer in a block", columns, barsOf(lines))
	fig.Across = 2
	f := p.layout(lines)
	ids := asked(lines)
	panels := [][]string{ids}
	if len(ids) > 1 {
		panels = append(lists.Map(ids, func(id string) []string { return []string{id} }), ids)
	}
	for _, of := range panels {
		panel := figure.Panel{Title: "all", Y: "blocks (%)", Places: []string{"1 hit", "2 hits", "3+ hits"}}
		if len(of) == 1 {
			panel.Title = lines[0].dataset.CategoryName(of[0])
		}
		for _, l := range lines {
			s := seriesOf(f.name(l), look(lines, l), figure.Bars, len(columns), func(i int) (figure.Point, bool) {
				return p.point(l, columns[i], of, float64(i), barsOf(lines))
			})
			if len(s.Points) > 0 {
				panel.Series = append(panel.Series, s)
			}
		}
		// A category whose answers have no content words has nothing to show.
		if len(panel.Series) > 0 {
			fig.Panels = append(fig.Panels, panel)
		}
	}
	if len(fig.Panels) == 0 {
		return nil, "hit-density has no value: no method gave blocks to the reader"
	}
	return fig, ""
}

// maxScores is how many scores the figure of an ablation has by itself.
const maxScores = 3

// ablation draws the scores of all lines, and below them what they cost: figure 3
// of xMemory, 5 where facts moved between themes, and 5 and 6 of Semantic XPath.
func (p *plotter) ablation(lines []*line) (*figure.Figure, string) {
	if len(lines) < 2 {
		return nil, "one method: there is nothing beside it"
	}
	columns := p.chosen(p.ablated)
	if len(columns) == 0 {
		return nil, "no column to draw; --columns names some"
	}
	fig := p.start(lines, "methods and variants", columns, barsOf(lines))
	f := p.layout(lines)
	places := lists.Map(lines, f.name)
	for _, l := range lines {
		if of := l.cell.VariantOf; of != "" {
			fig.Notes = append(fig.Notes, f.name(l)+" is a variant of "+of)
		}
	}
	// Scores share a panel; each other column has one of its own.
	isScore := func(c metrics.Column) bool { return c.Scale == 100 && p.of[c.Name] != metrics.Usage }
	var groups [][]metrics.Column
	if scores := lists.Filter(columns, isScore); len(scores) > 0 {
		groups = append(groups, scores)
	}
	for _, c := range columns {
		if !isScore(c) {
			groups = append(groups, []metrics.Column{c})
		}
	}
	n := 0
	for _, group := range groups {
		panel := figure.Panel{Places: places, Y: axis(group[0])}
		if len(group) > 1 {
			panel.Y = "score (%)"
		}
		for _, c := range group {
			panel.Series = append(panel.Series, seriesOf(c.Name, figure.Nth(n), figure.Bars, len(lines), func(i int) (figure.Point, bool) {
				return p.point(lines[i], c, lines[i].ids(), float64(i), barsOf(lines))
			}))
			n++
		}
		fig.Panels = append(fig.Panels, panel)
	}
	return fig, ""
}

// ablated are the columns of the figure of an ablation: some scores of answers, tokens, and
// how many facts moved.
func (p *plotter) ablated() (columns []metrics.Column) {
	for _, r := range p.runs {
		for _, name := range r.Header.Metrics {
			spec, err := p.Metric(name)
			if err != nil || spec.Of != metrics.Answer || len(columns) >= maxScores || spec.Columns[0].Neutral || hasColumn(columns, spec.Columns[0].Name) {
				continue
			}
			columns = append(columns, spec.Columns[0])
		}
	}
	for _, names := range [][]string{{"tokens@xmemory", "tokens-query"}, {"reassigned"}} {
		if c, ok := p.column(names...); ok {
			columns = append(columns, c)
		}
	}
	return columns
}

// along returns a figure of columns by the values of a label: those that the options name,
// else the first of some names, else of quality.
func along(label, axis string, names ...string) func(*plotter, []*line) (*figure.Figure, string) {
	return func(p *plotter, lines []*line) (*figure.Figure, string) {
		columns := p.chosen(func() []metrics.Column {
			if c, ok := p.column(names...); ok {
				return []metrics.Column{c}
			}
			return p.quality()
		})
		return p.split(lines, label, "by "+axis, axis, columns)
	}
}

// by draws columns split by category or by a label.
func (p *plotter) by(lines []*line) (*figure.Figure, string) {
	columns := p.chosen(p.quality)
	switch {
	case p.By == "":
		return nil, "needs what to split by: --by category, or a label of the requests"
	case p.By == Category && len(columns) > 0:
		return p.split(lines, Category, columns[0].Name+" by category", Category, columns)
	}
	return p.split(lines, p.By, "by "+p.By, p.By, columns)
}

// split draws a panel for each column: its means by the categories of lines or the values
// of a label, as lines over numbers and as bars over anything else.
func (p *plotter) split(lines []*line, label, what, axisName string, columns []metrics.Column) (*figure.Figure, string) {
	split := lines
	switch {
	case len(columns) == 0:
		return nil, "no column to draw; --columns names some"
	case label != Category && !slices.Contains(labelsOf(lines), label):
		return nil, "no request has the label \"" + label + "\""
	case label != Category:
		split = byLabel(lines, label)
	}
	ids := asked(split)
	if label != Category {
		slices.SortStableFunc(ids, compareNames)
	}
	isNumber := func(id string) bool { _, err := finiteNumber(id); return err == nil }
	numbers := lists.Filter(ids, isNumber)
	fig := p.start(lines, what, columns, barsOf(lines))
	// Requests without the label are no reason to give up the axis of numbers.
	numeric := label != Category && len(numbers) > 0 && len(ids)-len(numbers) <= 1
	if numeric && len(numbers) < len(ids) {
		n := 0
		for _, l := range split {
			n = max(n, len(lists.Filter(l.items, func(it *item) bool { return !isNumber(it.category) })))
		}
		fig.Notes = append(fig.Notes, "not drawn: "+Plural(n, "request")+" without a number there")
	}
	kind, places := figure.Lines, []string(nil)
	if numeric {
		ids = numbers
	} else {
		kind, places = figure.Bars, ids
		if label == Category {
			places = lists.Map(ids, split[0].dataset.CategoryName)
		}
	}
	f := p.layout(split)
	for _, c := range columns {
		panel := figure.Panel{X: axisName, Y: axis(c), Places: places}
		for _, l := range split {
			panel.Series = append(panel.Series, seriesOf(f.name(l), look(split, l), kind, len(ids), func(i int) (figure.Point, bool) {
				x := float64(i)
				if numeric {
					x, _ = finiteNumber(ids[i])
				}
				return p.point(l, c, []string{ids[i]}, x, barsOf(lines))
			}))
		}
		fig.Panels = append(fig.Panels, panel)
	}
	return fig, ""
}
