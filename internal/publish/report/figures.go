package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
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
	draw      func(*plotter, []*line) (*figure.Figure, string, error)
}

// figureKinds are the figures in the order of lists. A drawing function returns
// the figure, or else why there is none.
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
	p, err := newPlotter(runs, o)
	if err != nil {
		return nil, nil, err
	}
	var drawn []NamedFigure
	var missing []Missing
	for _, lines := range byDataset(p.lines) {
		label := lines[0].dataset.Label
		for _, k := range figureKinds() {
			if len(names) > 0 && !slices.Contains(names, k.name) || len(names) == 0 && k.name == "by" && o.By == "" {
				continue
			}
			f, why, err := k.draw(p, lines)
			if err != nil {
				return nil, nil, err
			}
			if why != "" {
				missing = append(missing, Missing{k.name, label, why})
				continue
			}
			f.Name = k.name
			drawn = append(drawn, NamedFigure{k.name, label, f})
		}
	}
	return drawn, missing, nil
}

type plotter struct {
	*builder
	o      FigureOptions
	runs   []*Run
	labels []string // of the requests
}

func newPlotter(runs []*Run, o FigureOptions) (*plotter, error) {
	o.Seeds, o.Against = false, ""
	b, err := newBuilder(o.Options, runs...)
	if err != nil {
		return nil, err
	}
	if err := b.read(runs); err != nil {
		return nil, err
	}
	if err := b.selectColumns(); err != nil {
		return nil, err
	}
	b.nameRuns(runs)
	p := &plotter{builder: b, o: o, runs: runs, labels: labelsOf(b.lines)}
	if by := b.By; by != "" && by != Category && !slices.Contains(p.labels, by) {
		return nil, errors.New(suggest.Unknown("label", by, append([]string{Category}, p.labels...)))
	}
	if o.X != "" && o.X != DollarColumn && !hasColumn(b.known, o.X) {
		have := append([]string{DollarColumn}, b.columnNames()...)
		return nil, errors.New(suggest.Unknown("column", o.X, have))
	}
	return p, nil
}

// column returns the first of some columns that a run is scored with.
func (p *plotter) column(names ...string) (metrics.Column, bool) {
	for _, name := range names {
		if c, ok := p.builder.column(name); ok {
			return c, true
		}
	}
	return metrics.Column{}, false
}

// quality returns the columns that the options name or else the first, of those
// that are not about usage.
func (p *plotter) quality() []metrics.Column {
	all := slices.DeleteFunc(slices.Clone(p.known), func(c metrics.Column) bool {
		return p.of[c.Name] == metrics.Usage || c.Neutral || len(p.Columns) > 0 && !slices.Contains(p.Columns, c.Name)
	})
	if len(p.Columns) == 0 && len(all) > 1 {
		all = all[:1]
	}
	return all
}

// chosen returns the columns that the options name, none where they name none.
func (p *plotter) chosen() []metrics.Column {
	if len(p.Columns) == 0 {
		return nil
	}
	return p.columns
}

// An errorBar says what the error bars of a figure are; all are of one kind.
type errorBar int

const (
	noBars errorBar = iota
	intervalBars
	deviationBars
)

// barsOf returns deviations over seeds where each line has several, else intervals.
func barsOf(lines []*line) errorBar {
	if slices.ContainsFunc(lines, func(l *line) bool { return len(l.seeds) == 0 }) {
		return intervalBars
	}
	return deviationBars
}

// point returns the mean of a column over some categories, with its error bar.
func (p *plotter) point(l *line, c metrics.Column, ids []string, x float64, bars errorBar) (figure.Point, bool) {
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
	if bars == deviationBars && v.SD != nil {
		v.Low, v.High = new(v.Y-*v.SD), new(v.Y+*v.SD)
	} else if bars == intervalBars {
		if i, ok := p.interval(l, c, ids, s); ok {
			i = i.Scale(c.Scale)
			v.Low, v.High = &i.Lo, &i.Hi
		}
	}
	return v, true
}

// start begins a figure of some lines with what has to be said of all of them.
func (p *plotter) start(lines []*line, what string, columns []metrics.Column, bars errorBar) *figure.Figure {
	f := p.layout(lines)
	fig := &figure.Figure{Title: lines[0].dataset.Label + ": " + what}
	if !f.model {
		fig.Title += ", " + lines[0].model.Label
	}
	var caption []string
	switch offline := slices.DeleteFunc(slices.Clone(lines), func(l *line) bool { return !l.model.Offline }); {
	case len(offline) == len(lines):
		caption = append(caption, "stand-in: no language model answered")
	case len(offline) > 0:
		caption = append(caption, "stand-in, with no language model: "+f.rows(lines, func(l *line) bool { return l.model.Offline }))
	}
	for _, l := range lines {
		if c := l.dataset.Caveat; c != "" && !slices.Contains(caption, c) {
			caption = append(caption, c)
		}
	}
	fig.Notes = slices.Clone(caption)
	how := errorBars(lines, columns, bars)
	if len(how) > 0 && strings.HasPrefix(how[0], barsAre) {
		kind, _, _ := strings.Cut(how[0], ",")
		caption = append(caption, kind)
	}
	fig.Caption = strings.Join(caption, "; ")
	for _, l := range lines {
		t := new(Table)
		f.cells(t, l)
		if note := l.bounds(columns, l.ids()); note != "" {
			t.Note(note)
		}
		for _, n := range t.Notes {
			if n != standInNote {
				fig.Notes = append(fig.Notes, f.name(l)+": "+n)
			}
		}
	}
	fig.Notes = append(fig.Notes, how...)
	fig.Notes = append(fig.Notes, f.settingsDiffer(lines)...)
	fig.Notes = append(fig.Notes, f.judgeNotes(lines, columns)...)
	fig.Notes = append(fig.Notes, f.ratingNotes(lines, columns)...)
	return fig
}

const barsAre = "error bars: "

// errorBars says what the error bars of a figure are: the kind up to a comma.
func errorBars(lines []*line, columns []metrics.Column, bars errorBar) []string {
	switch bars {
	case noBars:
		return nil
	case deviationBars:
		return []string{fmt.Sprintf(barsAre+"standard deviation over %d seeds", len(lines[0].bySeed()))}
	case intervalBars:
	}
	// intervalNotes speaks of the parentheses of a table.
	notes := intervalNotes(lines, columns)
	if len(notes) == 0 {
		return nil
	}
	if _, how, ok := strings.Cut(notes[0], "interval: "); ok {
		notes[0] = barsAre + "95 % interval, " + how
	}
	return notes
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

// compareNames orders names: numbers by their value, then anything else.
func compareNames(a, b string) int {
	x, xErr := finiteNumber(a)
	y, yErr := finiteNumber(b)
	switch {
	case xErr == nil && yErr == nil:
		return cmp.Compare(x, y)
	case xErr == nil:
		return -1
	case yErr == nil:
		return 1
	}
	return cmp.Compare(a, b)
}
