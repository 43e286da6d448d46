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
	Dataset        string // label
	*figure.Figure        // whose name is that of its kind, such as "pareto"
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
		{"ablation", "scores of methods and variants, with tokens", (*plotter).ablation},
		{"axes", "means over the values of each axis of a sweep", (*plotter).sweep},
		{"by", "columns split by category or a label, such as the turn of a dialogue", (*plotter).by},
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
func (f *Facts) DrawFigures(o FigureOptions, names ...string) ([]NamedFigure, []Missing, error) {
	known, _ := FigureNames()
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, nil, errors.New(suggest.Unknown("figure", name, known))
		}
	}
	o.Against = ""
	b, err := f.with(o.Options)
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
			p := &plotter{layout: b.layout(lines), x: o.X, fig: &figure.Figure{Name: k.name}}
			p.deviations = !slices.ContainsFunc(lines, func(l *line) bool { return len(l.seeds) == 0 })
			if err := k.draw(p, lines); err != nil {
				missing = append(missing, Missing{k.name, label, err.Error()})
			} else {
				drawn = append(drawn, NamedFigure{label, p.fig})
			}
		}
	}
	return drawn, missing, nil
}

// A plotter draws a figure of rows.
type plotter struct {
	layout
	x          string // of [FigureOptions]
	fig        *figure.Figure
	deviations bool // error bars are deviations over seeds rather than intervals
}

// quality returns the columns that the options name, or else the first, among those that
// are not about usage.
func (p *plotter) quality() []metrics.Column {
	all := lists.Filter(p.chosen(p.known), func(c metrics.Column) bool { return p.of[c.Name] != metrics.Usage && !c.Neutral })
	if len(p.Columns) == 0 {
		return all[:min(len(all), 1)]
	}
	return all
}

// chosen returns the columns that the options name, or others if they name none.
func (p *plotter) chosen(others []metrics.Column) []metrics.Column {
	if len(p.Columns) == 0 {
		return others
	}
	return lists.Filter(p.known, func(c metrics.Column) bool { return slices.Contains(p.Columns, c.Name) })
}

// point returns the mean of a column over some categories of a row, at a place. The
// error bar is the deviation over seeds if each row has several, else the interval.
func (p *plotter) point(l *line, c metrics.Column, ids []string, x float64) (figure.Point, bool) {
	s, ok := l.summary(c, ids)
	if !ok {
		return figure.Point{}, false
	}
	v := figure.Point{X: x, Y: s.mean * c.Scale, N: s.n, Note: s.undefinedNote()}
	if s.deviation != nil {
		v.SD = new(*s.deviation * c.Scale)
	}
	if p.deviations && v.SD != nil {
		v.Low, v.High = new(v.Y-*v.SD), new(v.Y+*v.SD)
	} else if i, ok := p.interval(l, c, ids, s); ok && !p.deviations {
		i = i.Scale(c.Scale)
		v.Low, v.High = &i.Lo, &i.Hi
	}
	return v, true
}

// add adds a point to a series, if there is one.
func (p *plotter) add(s *figure.Series, l *line, c metrics.Column, ids []string, x float64) {
	if v, ok := p.point(l, c, ids, x); ok {
		s.Points = append(s.Points, v)
	}
}

// begin gives the figure a title and the notes on all rows.
func (p *plotter) begin(lines []*line, what string, columns []metrics.Column) {
	p.fig.Title = lines[0].dataset.Label + ": " + what
	if !p.model {
		p.fig.Title += ", " + lines[0].model.Label
	}
	caption := append(p.each(lines, func(l *line) string {
		return noteIf(l.model.Offline, "stand-in: no language model answered")
	}), p.each(lines, func(l *line) string { return l.dataset.Caveat })...)
	bars, how := "error bars: 95 % interval, if there are several conversations", intervalNotes(lines, columns)
	if p.deviations {
		bars, how = fmt.Sprintf("error bars: standard deviation over %d seeds", len(lines[0].seeds)), nil
	}
	caption = append(caption, bars)
	p.fig.Caption, p.fig.Notes = strings.Join(caption, "; "), slices.Concat(caption, how)
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

// front draws quality against cost: a point for each line, and the front of those that no
// other beats in both. A beaten point is grey.
func (p *plotter) front(lines []*line) error {
	x, ok := p.column(cmp.Or(p.x, "tokens@xmemory"), cmp.Or(p.x, "tokens-query"))
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
			v, ok := p.point(l, c, l.ids(), 0)
			cost := meanCell(l, x).Value
			if !ok || cost == nil {
				p.fig.Notes = append(p.fig.Notes, fmt.Sprintf("%s: no value of %s or %s", p.name(l), x.Name, c.Name))
				continue
			}
			v.X, some = *cost, true
			at, of = append(at, v), append(of, l)
		}
		panel.Series = steps(at, x, c)
		beaten := false
		for i, l := range of {
			s := figure.Series{Name: p.name(l), Look: figure.Nth(slices.Index(lines, l)), Points: at[i : i+1]}
			s.Look.Grey = slices.ContainsFunc(at, func(v figure.Point) bool { return beats(v, at[i], x, c) })
			panel.Series, beaten = append(panel.Series, s), beaten || s.Look.Grey
		}
		if beaten {
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
	front = lists.Map(front, func(v figure.Point) figure.Point { return figure.Point{X: v.X, Y: v.Y} })
	return []figure.Series{{Name: "front", Kind: figure.Steps, Look: figure.Look{Color: 6, Shape: 1}, Points: front}}
}

// maxScores is how many scores the figure of an ablation has by default.
const maxScores = 3

var errNoColumn = errors.New("no column to draw; --columns names some")

// ablation draws the scores of all lines in a panel, and each other column in its own:
// figures 3 and 5 of xMemory, and 5 and 6 of Semantic XPath.
func (p *plotter) ablation(lines []*line) error {
	columns := p.chosen(p.ablated(lines))
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
	scores := figure.Panel{Places: lists.Map(lines, p.name)}
	for i, c := range columns {
		s := figure.Series{Name: c.Name, Kind: figure.Bars, Look: figure.Nth(i)}
		for k, l := range lines {
			p.add(&s, l, c, l.ids(), float64(k))
		}
		if c.Scale != 100 || p.of[c.Name] == metrics.Usage {
			p.fig.Panels = append(p.fig.Panels, figure.Panel{Places: scores.Places, Y: axis(c), Series: []figure.Series{s}})
			continue
		}
		if scores.Y = axis(c); len(scores.Series) > 0 {
			scores.Y = "score (%)"
		}
		scores.Series = append(scores.Series, s)
	}
	if len(scores.Series) > 0 {
		p.fig.Panels = append([]figure.Panel{scores}, p.fig.Panels...)
	}
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

// by draws a panel for each column, with its means by the categories of lines or the values
// of a label, as lines over numbers and as bars over anything else.
func (p *plotter) by(lines []*line) error {
	columns := p.chosen(p.quality())
	switch {
	case p.By == "":
		return errors.New("needs --by category, or --by with a label of the questions")
	case len(columns) == 0:
		return errNoColumn
	case p.By != Category && !slices.Contains(labelsOf(lines), p.By):
		return fmt.Errorf("no question has the label %q", p.By)
	}
	p.begin(lines, "by "+p.By, columns)
	split := p.grouped(lines)
	ids := asked(split)
	kind, places := figure.Bars, lists.Map(ids, split[0].dataset.CategoryName)
	if p.By != Category {
		slices.SortStableFunc(ids, compareNames)
		places = ids
		// The axis stays one of numbers even if some requests lack the label.
		numbers := lists.Filter(ids, isNumber)
		if len(numbers) > 0 && len(ids)-len(numbers) <= 1 {
			if len(numbers) < len(ids) {
				p.fig.Notes = append(p.fig.Notes, "not drawn: questions without a number for this label")
			}
			kind, places, ids = figure.Lines, nil, numbers
		}
	}
	for _, c := range columns {
		panel := figure.Panel{X: p.By, Y: axis(c), Places: places}
		for k, l := range split {
			s := figure.Series{Name: p.name(l), Kind: kind, Look: figure.Nth(k)}
			for i, id := range ids {
				p.add(&s, l, c, []string{id}, placeAt(places, i, id))
			}
			panel.Series = append(panel.Series, s)
		}
		p.fig.Panels = append(p.fig.Panels, panel)
	}
	return nil
}

// placeAt returns where the i-th name stands on an axis: at its number if the axis has no
// places.
func placeAt(places []string, i int, name string) float64 {
	if places == nil {
		x, _ := strconv.ParseFloat(name, 64)
		return x
	}
	return float64(i)
}

// sweep draws a panel for each option that differs between rows of a method and for each
// column: its means by the values of the option, with a line for the rows that have the same
// other options.
func (p *plotter) sweep(lines []*line) error {
	columns := p.chosen(p.quality())
	if len(columns) == 0 {
		return errNoColumn
	}
	p.begin(lines, "means over swept options", columns)
	for _, of := range bySweep(lines) {
		axes := axesOf(of)
		for _, x := range axes {
			var places []string
			if len(lists.Filter(x.levels, isNumber)) < len(x.levels) {
				places = x.levels
			}
			others := func(l *line) string {
				options := flat(l.cell.Options)
				rest := lists.Filter(axes, func(o optionAxis) bool { return o.path != x.path })
				return cmp.Or(strings.Join(lists.Map(rest, func(o optionAxis) string { return o.path + "=" + options[o.path] }), ", "), l.cell.Use)
			}
			for _, c := range columns {
				panel := figure.Panel{Title: p.sweepName(of[0]), X: x.path, Y: axis(c), Places: places}
				for i, alike := range groupBy(of, others) {
					s := figure.Series{Name: others(alike[0]), Kind: figure.Lines, Look: figure.Nth(i)}
					for _, l := range alike {
						if level, ok := flat(l.cell.Options)[x.path]; ok {
							p.add(&s, l, c, l.ids(), placeAt(places, slices.Index(x.levels, level), level))
						}
					}
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
