package report

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/figure"
	"recallbench/metrics"
)

var errNoColumn = errors.New("no column to draw; --columns names some")

// hits draws the shares of blocks with one, two, and three or more content words
// of the gold answer, a panel for each category: figure 4 of xMemory.
func (p *plotter) hits(lines []*line) error {
	var columns []metrics.Column
	for _, name := range []string{"hit-1", "hit-2", "hit-3+"} {
		if i := slices.IndexFunc(p.known, func(c metrics.Column) bool { return c.Name == name || strings.HasPrefix(c.Name, name+"@") }); i >= 0 {
			columns = append(columns, p.known[i])
		}
	}
	if len(columns) < 3 {
		return errors.New("no column of hits; score the run with the metric hit-density")
	}
	p.begin(lines, "content words of the answer in a block", columns)
	p.fig.Across = 2
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
		panel.Series = lists.Map(lines, func(l *line) figure.Series {
			return p.points(p.name(l), look(lines, l), figure.Bars, len(columns), func(i int) (figure.Point, bool) {
				return p.point(lines, l, columns[i], of, float64(i))
			})
		})
		panel.Series = slices.DeleteFunc(panel.Series, func(s figure.Series) bool { return len(s.Points) == 0 })
		// Skip a category whose answers have no content words.
		if len(panel.Series) > 0 {
			p.fig.Panels = append(p.fig.Panels, panel)
		}
	}
	if len(p.fig.Panels) == 0 {
		return errors.New("hit-density has no value, because no method gave blocks to the reader")
	}
	return nil
}

// maxScores is how many scores the figure of an ablation has by default.
const maxScores = 3

// ablation draws the scores of all lines, and below them what they cost: figure 3
// of xMemory, 5 where facts moved between themes, and 5 and 6 of Semantic XPath.
func (p *plotter) ablation(lines []*line) error {
	columns := p.chosen(p.ablated(lines)...)
	switch {
	case len(lines) < 2:
		return errors.New("there is only one method, and nothing to compare it with")
	case len(columns) == 0:
		return errNoColumn
	}
	p.begin(lines, "methods and variants", columns)
	for _, l := range lines {
		if of := l.cell.VariantOf; of != "" {
			p.fig.Notes = append(p.fig.Notes, p.name(l)+" is a variant of "+of)
		}
	}
	// Scores share a panel; each other column has its own.
	scores := figure.Panel{Places: lists.Map(lines, p.name)}
	var others []figure.Panel
	for i, c := range columns {
		s := p.points(c.Name, figure.Nth(i), figure.Bars, len(lines), func(k int) (figure.Point, bool) {
			return p.point(lines, lines[k], c, lines[k].ids(), float64(k))
		})
		if c.Scale != 100 || p.of[c.Name] == metrics.Usage {
			others = append(others, figure.Panel{Places: scores.Places, Y: axis(c), Series: []figure.Series{s}})
			continue
		}
		if scores.Y = axis(c); len(scores.Series) > 0 {
			scores.Y = "score (%)"
		}
		scores.Series = append(scores.Series, s)
	}
	if len(scores.Series) > 0 {
		p.fig.Panels = append(p.fig.Panels, scores)
	}
	p.fig.Panels = append(p.fig.Panels, others...)
	return nil
}

// ablated returns the columns of the figure of an ablation: some scores of answers, tokens,
// and the number of moved facts.
func (p *plotter) ablated(lines []*line) []metrics.Column {
	columns := lists.Filter(p.columns, func(c metrics.Column) bool { return p.of[c.Name] == metrics.Answer && !c.Neutral })
	columns = slices.Clip(columns[:min(len(columns), maxScores)])
	for _, names := range [][]string{{"tokens@xmemory", "tokens-query"}, {"reassigned"}} {
		if c, ok := p.column(names...); ok && valued(lines, c) {
			columns = append(columns, c)
		}
	}
	return columns
}

// along returns a figure of columns by the values of a label. The columns are those that the
// options name, else the first of some names, else those of quality.
func along(label, axis string, names ...string) func(*plotter, []*line) error {
	return func(p *plotter, lines []*line) error {
		if c, ok := p.column(names...); ok {
			return p.split(lines, label, axis, p.chosen(c))
		}
		return p.split(lines, label, axis, p.chosen(p.quality()...))
	}
}

// by draws columns split by category or by a label.
func (p *plotter) by(lines []*line) error {
	if p.By == "" {
		return errors.New("needs --by category, or --by with a label of the questions")
	}
	return p.split(lines, p.By, p.By, p.chosen(p.quality()...))
}

// split draws a panel for each column, with its means by the categories of lines or the
// values of a label, as lines over numbers and as bars over anything else.
func (p *plotter) split(lines []*line, label, axisName string, columns []metrics.Column) error {
	split := lines
	switch {
	case len(columns) == 0:
		return errNoColumn
	case label != Category && !slices.Contains(labelsOf(lines), label):
		return fmt.Errorf("no question has the label %q", label)
	case label != Category:
		split = byLabel(lines, label)
	}
	p.begin(lines, "by "+axisName, columns)
	ids := asked(split)
	kind, places := figure.Bars, lists.Map(ids, split[0].dataset.CategoryName)
	if label != Category {
		slices.SortStableFunc(ids, compareNames)
		places = ids
		isNumber := func(id string) bool { _, err := finiteNumber(id); return err == nil }
		// The axis stays one of numbers even if some requests lack the label.
		if numbers := lists.Filter(ids, isNumber); len(numbers) > 0 && len(ids)-len(numbers) <= 1 {
			if len(numbers) < len(ids) {
				p.fig.Notes = append(p.fig.Notes, "not drawn: questions without a number for this label")
			}
			kind, places, ids = figure.Lines, nil, numbers
		}
	}
	for _, c := range columns {
		panel := figure.Panel{X: axisName, Y: axis(c), Places: places}
		for _, l := range split {
			panel.Series = append(panel.Series, p.points(p.name(l), look(split, l), kind, len(ids), func(i int) (figure.Point, bool) {
				x := float64(i)
				if places == nil {
					x, _ = finiteNumber(ids[i])
				}
				return p.point(lines, l, c, []string{ids[i]}, x)
			}))
		}
		p.fig.Panels = append(p.fig.Panels, panel)
	}
	return nil
}
