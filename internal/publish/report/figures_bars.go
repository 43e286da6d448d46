package report

import (
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/figure"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// hits draws the shares of blocks with one, two, and three or more content words
// of the gold answer, a panel for each category: figure 4 of xMemory.
func (p *plotter) hits(lines []*line) (*figure.Figure, string, error) {
	at := ""
	for _, c := range p.known {
		if _, k, ok := strings.Cut(c.Name, "hit-1"); ok && (k == "" || k[0] == '@') {
			at = c.Name
			break
		}
	}
	_, at, ok := strings.Cut(at, "hit-1")
	one, has1 := p.column("hit-1" + at)
	two, has2 := p.column("hit-2" + at)
	more, has3 := p.column("hit-3+" + at)
	if !ok || !has1 || !has2 || !has3 {
		return nil, "no column of hits: score the run with the metric hit-density", nil
	}
	columns := []metrics.Column{one, two, more}
	fig := p.start(lines, "content words of the answer in a block", columns, barsOf(lines))
	fig.Across = 2
	f := p.layout(lines)
	ids := asked(lines)
	panels := [][]string{ids}
	if len(ids) > 1 {
		panels = nil
		for _, id := range ids {
			panels = append(panels, []string{id})
		}
		panels = append(panels, ids)
	}
	some := false
	for _, of := range panels {
		panel := figure.Panel{Title: "all", Y: "blocks (%)", Places: []string{"1 hit", "2 hits", "3+ hits"}}
		if len(of) == 1 {
			panel.Title = lines[0].dataset.CategoryName(of[0])
		}
		for _, l := range lines {
			s := figure.Series{Name: f.name(l), Kind: figure.Bars, Look: look(lines, l)}
			for i, c := range columns {
				if v, ok := p.point(l, c, of, float64(i), barsOf(lines)); ok {
					s.Points = append(s.Points, v)
				}
			}
			if len(s.Points) > 0 {
				panel.Series = append(panel.Series, s)
			}
		}
		// A category whose answers have no content words has nothing to show.
		if len(panel.Series) > 0 {
			some = true
			fig.Panels = append(fig.Panels, panel)
		}
	}
	if !some {
		return nil, "hit-density has no value: no method gave blocks to the reader", nil
	}
	return fig, "", nil
}

// maxScores is how many scores the figure of an ablation has by itself.
const maxScores = 3

// ablation draws the scores of all lines, and below them what they cost: figure 3
// of xMemory, 5 where facts moved between themes, and 5 and 6 of Semantic XPath.
func (p *plotter) ablation(lines []*line) (*figure.Figure, string, error) {
	if len(lines) < 2 {
		return nil, "one method: there is nothing beside it", nil
	}
	columns := p.chosen()
	if len(columns) == 0 {
		for _, r := range p.runs {
			for _, name := range r.Header.Metrics {
				columns = p.addScore(columns, name)
			}
		}
		for _, name := range []string{"tokens@xmemory", "tokens-query"} {
			if c, ok := p.column(name); ok {
				columns = append(columns, c)
				break
			}
		}
		if c, ok := p.column("reassigned"); ok {
			columns = append(columns, c)
		}
	}
	if len(columns) == 0 {
		return nil, "no column to draw; --columns names some", nil
	}
	fig := p.start(lines, "methods and variants", columns, barsOf(lines))
	f := p.layout(lines)
	var places []string
	for _, l := range lines {
		places = append(places, f.name(l))
		if of := l.cell.VariantOf; of != "" {
			fig.Notes = append(fig.Notes, f.name(l)+" is a variant of "+of)
		}
	}
	scores := lists.Filter(columns, func(c metrics.Column) bool { return c.Scale == 100 && p.of[c.Name] != metrics.Usage })
	var groups [][]metrics.Column
	if len(scores) > 0 {
		groups = append(groups, scores)
	}
	for _, c := range columns {
		if !hasColumn(scores, c.Name) {
			groups = append(groups, []metrics.Column{c})
		}
	}
	i := 0
	for _, group := range groups {
		panel := figure.Panel{Places: places, Y: axis(group[0])}
		if len(group) > 1 {
			panel.Y = "score (%)"
		}
		for _, c := range group {
			s := figure.Series{Name: c.Name, Kind: figure.Bars, Look: figure.Nth(i)}
			i++
			for x, l := range lines {
				if v, ok := p.point(l, c, l.ids(), float64(x), barsOf(lines)); ok {
					s.Points = append(s.Points, v)
				}
			}
			panel.Series = append(panel.Series, s)
		}
		fig.Panels = append(fig.Panels, panel)
	}
	return fig, "", nil
}

// addScore adds the first column of a metric of answers, unless it is there or
// there are enough.
func (p *plotter) addScore(columns []metrics.Column, name string) []metrics.Column {
	spec, err := p.Metric(name)
	if err != nil || spec.Of != metrics.Answer || len(columns) >= maxScores || hasColumn(columns, spec.Columns[0].Name) || spec.Columns[0].Neutral {
		return columns
	}
	return append(columns, spec.Columns[0])
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
