package report

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/figure"
	"recallbench/internal/result/record"
	"recallbench/internal/text/suggest"
	"recallbench/metrics"
)

// FigureOptions say what figures show.
type FigureOptions struct {
	// Options are as for tables: Columns names the columns of the y-axes instead of
	// those that a figure has by itself, and By what the figure "by" splits by.
	Options
	// X is the column of the x-axis of the figure "pareto", or [DollarColumn]; empty
	// for tokens.
	X string
	// Dollars returns what a request of a cell cost on average, in dollars, and
	// whether all prices are known; nil where that cannot be found out.
	Dollars func(*Run, record.Cell) (float64, bool, error)
}

// DollarColumn is the value of [FigureOptions].X that stands for costs.
const DollarColumn = "dollars"

// A NamedFigure is a figure of a dataset of some runs.
type NamedFigure struct {
	Name    string // of the kind, such as "pareto"
	Dataset string // label
	*figure.Figure
}

// A Missing is a figure that cannot be drawn.
type Missing struct{ Name, Dataset, Why string }

// A figureKind is a figure that runs are drawn as.
type figureKind struct {
	name, doc string
	// draw returns the figure, or else why there is none.
	draw func(*plotter, []*line) (*figure.Figure, string)
}

// figureKinds are the figures in the order of lists.
func figureKinds() []figureKind {
	return []figureKind{
		{"pareto", "quality against tokens or dollars, with the front", (*plotter).front},
		{"turns", "tokens by turn of the dialogue", along("turn", "turn of the dialogue", "tokens-query", "tokens@xmemory")},
		{"distance", "recall by the sessions between fact and question", along("distance", "sessions between fact and question", "fr")},
		{"hits", "shares of blocks by how much of the answer they hold, by category", (*plotter).hits},
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

// DrawFigures draws the figures of some names, or all that can be drawn where none
// is given: one for each dataset. What cannot be drawn is among the missing.
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
	if err := b.checkBy(); err != nil {
		return nil, nil, err
	}
	if o.X != "" && o.X != DollarColumn && !hasColumn(b.known, o.X) {
		return nil, nil, errors.New(suggest.Unknown("column", o.X, append([]string{DollarColumn}, b.columnNames()...)))
	}
	p := &plotter{builder: b, o: o, runs: runs}
	var drawn []NamedFigure
	var missing []Missing
	for _, lines := range byDataset(p.lines) {
		label := lines[0].dataset.Label
		for _, k := range figureKinds() {
			if len(names) > 0 && !slices.Contains(names, k.name) || len(names) == 0 && k.name == "by" && o.By == "" {
				continue
			}
			f, why := k.draw(p, lines)
			switch {
			case p.err != nil:
				return nil, nil, p.err
			case why != "":
				missing = append(missing, Missing{k.name, label, why})
			default:
				f.Name = k.name
				drawn = append(drawn, NamedFigure{k.name, label, f})
			}
		}
	}
	return drawn, missing, nil
}

type plotter struct {
	*builder
	o    FigureOptions
	runs []*Run
	err  error // of reading what requests cost
}

// quality returns the columns that the options name or else the first, of those
// that are not about usage.
func (p *plotter) quality() []metrics.Column {
	all := lists.Filter(p.known, func(c metrics.Column) bool {
		return p.of[c.Name] != metrics.Usage && !c.Neutral && (len(p.Columns) == 0 || slices.Contains(p.Columns, c.Name))
	})
	if len(p.Columns) == 0 && len(all) > 1 {
		all = all[:1]
	}
	return all
}

// chosen returns the columns that the options name, or others where they name none.
func (p *plotter) chosen(otherwise func() []metrics.Column) []metrics.Column {
	if len(p.Columns) == 0 {
		return otherwise()
	}
	return lists.Filter(p.known, func(c metrics.Column) bool { return slices.Contains(p.Columns, c.Name) })
}

// point returns the mean of a column over some categories, with its error bar: the
// deviation over seeds, or the interval.
func (p *plotter) point(l *line, c metrics.Column, ids []string, x float64, deviations bool) (figure.Point, bool) {
	s, ok := l.summary(c, ids)
	if !ok {
		return figure.Point{}, false
	}
	v := figure.Point{X: x, Y: s.mean * c.Scale, N: s.n}
	if s.undefined > 0 {
		v.Note = fmt.Sprintf("no value for %d of %d requests, which are left out", s.undefined, s.n+s.undefined)
	}
	if s.deviation != nil {
		v.SD = new(*s.deviation * c.Scale)
	}
	if deviations && v.SD != nil {
		v.Low, v.High = new(v.Y-*v.SD), new(v.Y+*v.SD)
	} else if i, ok := p.interval(l, c, ids, s); ok && !deviations {
		i = i.Scale(c.Scale)
		v.Low, v.High = &i.Lo, &i.Hi
	}
	return v, true
}

// barsOf reports whether error bars are deviations over seeds: where each line has several.
// Else they are intervals.
func barsOf(lines []*line) (deviations bool) {
	return !slices.ContainsFunc(lines, func(l *line) bool { return len(l.seeds) == 0 })
}

const barsAre = "error bars: "

// start begins a figure of some lines with what has to be said of all of them.
func (p *plotter) start(lines []*line, what string, columns []metrics.Column, deviations bool) *figure.Figure {
	f := p.layout(lines)
	fig := &figure.Figure{Title: lines[0].dataset.Label + ": " + what}
	if !f.model {
		fig.Title += ", " + lines[0].model.Label
	}
	var caption []string
	offline := func(l *line) bool { return l.model.Offline }
	switch n := len(lists.Filter(lines, offline)); {
	case n == len(lines):
		caption = append(caption, "stand-in: no language model answered")
	case n > 0:
		caption = append(caption, "stand-in, with no language model: "+f.rows(lines, offline))
	}
	for _, caveat := range lists.Distinct(lines, func(l *line) string { return l.dataset.Caveat }) {
		if caveat != "" {
			caption = append(caption, caveat)
		}
	}
	fig.Notes = slices.Clone(caption)
	how := intervalNotes(lines, columns, barsAre+"95 % interval, ")
	if deviations {
		how = []string{fmt.Sprintf(barsAre+"standard deviation over %d seeds", len(lines[0].bySeed()))}
	}
	if len(how) > 0 && strings.HasPrefix(how[0], barsAre) {
		kind, _, _ := strings.Cut(how[0], ",")
		caption = append(caption, kind)
	}
	fig.Caption = strings.Join(caption, "; ")
	for _, l := range lines {
		for _, note := range append(f.rowNotes(l), l.bounds(columns, l.ids())) {
			if note != standInNote && note != "" {
				fig.Notes = append(fig.Notes, f.name(l)+": "+note)
			}
		}
	}
	fig.Notes = slices.Concat(fig.Notes, how, f.settingsDiffer(lines), f.judgeNotes(lines, columns), f.ratingNotes(lines, columns))
	return fig
}

// axis labels an axis of a column.
func axis(c metrics.Column) string {
	switch {
	case c.Total:
		return c.Name + " (sum)"
	case strings.HasPrefix(c.Name, "tokens"):
		return c.Name + " per request"
	case c.Scale == 100:
		return c.Name + " (%)"
	}
	return c.Name
}

// look tells lines apart: by colour for the method, and by marker for the model
// where there are several.
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
	if err == nil && x-x != 0 { // infinite or none
		return 0, strconv.ErrRange
	}
	return x, err
}
