package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/figure"
	"recallbench/internal/text/suggest"
	"recallbench/metrics"
)

// FigureOptions set what figures show.
type FigureOptions struct {
	// Options are those of tables: Columns names the columns of the y-axes in place of a
	// figure's own, and By sets what the figure "by" splits by.
	Options
	// X is the column of the x-axis of the figure "pareto"; empty for tokens.
	X string
}

// A NamedFigure is a figure of a dataset of some runs.
type NamedFigure struct {
	Name    string // of the kind, such as "pareto"
	Dataset string // label
	*figure.Figure
}

// A Missing is a figure that cannot be drawn.
type Missing struct{ Name, Dataset, Why string }

// A figureKind is a kind of figure.
type figureKind struct {
	name, doc string
	// draw adds panels to a figure, and returns why there are none.
	draw func(*plotter, []*line) error
}

// figureKinds lists the kinds of figures in the order of lists.
func figureKinds() []figureKind {
	return []figureKind{
		{"pareto", "quality against tokens or another column, with the Pareto front", (*plotter).front},
		{"turns", "tokens by turn of the dialogue", along("turn", "turn of the dialogue", "tokens-query", "tokens@xmemory")},
		{"distance", "recall by the sessions between fact and question", along("distance", "sessions between fact and question", "fr")},
		{"hits", "shares of blocks by how much of the answer they contain, by category", (*plotter).hits},
		{"ablation", "scores of methods and variants, with tokens", (*plotter).ablation},
		{"axes", "means over the values of each axis of a sweep", (*plotter).sweep},
		{"by", "columns split by category or a label", (*plotter).by},
	}
}

// FigureNames returns the names of the figures of runs, and what each shows.
func FigureNames() (names, docs []string) {
	for _, k := range figureKinds() {
		names, docs = append(names, k.name), append(docs, k.doc)
	}
	return names, docs
}

// DrawFigures draws the named figures, or all that can be drawn if none is named: one for
// each dataset. It also returns those that cannot be drawn.
func DrawFigures(runs []*Run, o FigureOptions, names ...string) ([]NamedFigure, []Missing, error) {
	known, _ := FigureNames()
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, nil, errors.New(suggest.Unknown("figure", name, known))
		}
	}
	o.Seeds, o.Against = false, ""
	b, err := open(runs, o.Options)
	if err != nil {
		return nil, nil, err
	}
	if o.X != "" {
		_, err = b.namedColumns([]string{o.X})
	}
	if err := errors.Join(err, b.checkBy()); err != nil {
		return nil, nil, err
	}
	var drawn []NamedFigure
	var missing []Missing
	for _, lines := range byDataset(b.lines) {
		label := lines[0].dataset.Label
		for _, k := range figureKinds() {
			if len(names) > 0 && !slices.Contains(names, k.name) || len(names) == 0 && k.name == "by" && o.By == "" {
				continue
			}
			p := &plotter{layout: b.layout(lines), o: o, fig: &figure.Figure{Name: k.name}}
			if err := k.draw(p, lines); err != nil {
				missing = append(missing, Missing{k.name, label, err.Error()})
				continue
			}
			drawn = append(drawn, NamedFigure{k.name, label, p.fig})
		}
	}
	return drawn, missing, nil
}

// A plotter draws a figure of rows.
type plotter struct {
	layout
	o   FigureOptions
	fig *figure.Figure
}

// quality returns the columns that the options name, or else the first, among those that
// are not about usage.
func (p *plotter) quality() []metrics.Column {
	all := lists.Filter(p.chosen(p.known...), func(c metrics.Column) bool { return p.of[c.Name] != metrics.Usage && !c.Neutral })
	if len(p.Columns) == 0 {
		return all[:min(len(all), 1)]
	}
	return all
}

// chosen returns the columns that the options name, or others if they name none.
func (p *plotter) chosen(others ...metrics.Column) []metrics.Column {
	if len(p.Columns) == 0 {
		return others
	}
	return lists.Filter(p.known, func(c metrics.Column) bool { return slices.Contains(p.Columns, c.Name) })
}

// point returns the mean of a column over some categories, with its error bar: the
// deviation over seeds if each row has several, else the interval.
func (p *plotter) point(lines []*line, l *line, c metrics.Column, ids []string, x float64) (figure.Point, bool) {
	s, ok := l.summary(c, ids)
	if !ok {
		return figure.Point{}, false
	}
	v := figure.Point{X: x, Y: s.mean * c.Scale, N: s.n}
	if s.undefined > 0 {
		v.Note = fmt.Sprintf("no value for %d of %d questions, which are left out", s.undefined, s.n+s.undefined)
	}
	if s.deviation != nil {
		v.SD = new(*s.deviation * c.Scale)
	}
	if v.SD != nil && deviationBars(lines) {
		v.Low, v.High = new(v.Y-*v.SD), new(v.Y+*v.SD)
	} else if i, ok := p.interval(l, c, ids, s); ok && !deviationBars(lines) {
		i = i.Scale(c.Scale)
		v.Low, v.High = &i.Lo, &i.Hi
	}
	return v, true
}

// points returns a series of the points that exist at some places.
func (p *plotter) points(name string, look figure.Look, kind figure.Kind, places int, at func(i int) (figure.Point, bool)) figure.Series {
	s := figure.Series{Name: name, Kind: kind, Look: look}
	for i := range places {
		if v, ok := at(i); ok {
			s.Points = append(s.Points, v)
		}
	}
	return s
}

// deviationBars reports whether error bars are deviations over seeds rather than intervals.
func deviationBars(lines []*line) bool {
	return !slices.ContainsFunc(lines, func(l *line) bool { return len(l.seeds) == 0 })
}

// begin gives the figure a title and the notes on all rows.
func (p *plotter) begin(lines []*line, what string, columns []metrics.Column) {
	p.fig.Title = lines[0].dataset.Label + ": " + what
	if !p.model {
		p.fig.Title += ", " + lines[0].model.Label
	}
	caption := p.each(lines, func(l *line) string {
		if l.model.Offline {
			return "stand-in: no language model answered"
		}
		return ""
	})
	caption = append(caption, p.each(lines, func(l *line) string { return l.dataset.Caveat })...)
	bars, how := "error bars: 95 % interval, if there are several conversations", intervalNotes(lines, columns)
	if deviationBars(lines) {
		bars, how = fmt.Sprintf("error bars: standard deviation over %d seeds", len(lines[0].seeds)), nil
	}
	caption = append(caption, bars)
	p.fig.Caption = strings.Join(caption, "; ")
	p.fig.Notes = slices.Concat(caption, how)
	for _, l := range lines {
		for _, note := range append(p.rowNotes(l), l.bounds(columns, l.ids())) {
			if note != standInNote && note != "" {
				p.fig.Notes = append(p.fig.Notes, p.name(l)+": "+note)
			}
		}
	}
	p.fig.Notes = lists.AddNew(p.fig.Notes, p.tableNotes(lines, columns)...)
}

// axis labels an axis of a column.
func axis(c metrics.Column) string {
	switch {
	case c.Total:
		return c.Name + " (sum)"
	case strings.HasPrefix(c.Name, "tokens"):
		return c.Name + " per question"
	case c.Scale == 100:
		return c.Name + " (%)"
	}
	return c.Name
}

// look distinguishes lines by colour for the method and, if there are several models, by
// marker for the model.
func look(lines []*line, l *line) figure.Look {
	methods := lists.Distinct(lines, func(l *line) string { return l.cell.Method })
	models := lists.Distinct(lines, func(l *line) string { return l.cell.Model })
	of := len(methods) * len(models)
	if len(models) == 1 || of > figure.Colors*figure.Shapes || of < len(lines) {
		return figure.Nth(slices.Index(lines, l))
	}
	return figure.Look{Color: slices.Index(methods, l.cell.Method), Shape: slices.Index(models, l.cell.Model)}
}

// finiteNumber reads a finite number.
func finiteNumber(s string) (float64, error) {
	x, err := strconv.ParseFloat(s, 64)
	if err == nil && x-x != 0 { // infinite or NaN
		return 0, strconv.ErrRange
	}
	return x, err
}

// sweep draws, for each option of a sweep and each column, the means over its values, with a
// line for each set of rows that have the same other options.
func (p *plotter) sweep(lines []*line) error {
	columns := p.chosen(p.quality()...)
	p.begin(lines, "means over swept options", columns)
	for _, of := range bySweep(lines) {
		axes := axesOf(of)
		for _, x := range axes {
			for _, c := range columns {
				panel := figure.Panel{Title: p.sweepName(of[0]), X: x.path, Y: axis(c)}
				if slices.ContainsFunc(x.levels, func(level string) bool { _, err := finiteNumber(level); return err != nil }) {
					panel.Places = x.levels
				}
				others := func(l *line) string {
					options := flat(l.cell.Options)
					rest := lists.Filter(axes, func(o optionAxis) bool { return o.path != x.path })
					return cmp.Or(strings.Join(lists.Map(rest, func(o optionAxis) string { return o.path + "=" + options[o.path] }), ", "), l.cell.Use)
				}
				for i, alike := range groupBy(of, others) {
					s := p.points(others(alike[0]), figure.Nth(i), figure.Lines, len(alike), func(i int) (figure.Point, bool) {
						level := flat(alike[i].cell.Options)[x.path]
						place, _ := finiteNumber(level)
						if panel.Places != nil {
							place = float64(slices.Index(x.levels, level))
						}
						v, ok := p.point(lines, alike[i], c, alike[i].ids(), place)
						return v, ok && level != ""
					})
					slices.SortFunc(s.Points, func(a, b figure.Point) int { return cmp.Compare(a.X, b.X) })
					panel.Series = append(panel.Series, s)
				}
				p.fig.Panels = append(p.fig.Panels, panel)
			}
		}
	}
	if len(p.fig.Panels) == 0 {
		return errors.New("no method has rows that differ in an option")
	}
	return nil
}
