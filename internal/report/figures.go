package report

import (
	"errors"
	"slices"

	"recallbench/internal/figure"
	"recallbench/internal/near"
	"recallbench/internal/record"
)

// FigureOptions say what figures show.
type FigureOptions struct {
	// Options are as for tables: Columns names the columns of the y-axes instead of
	// those that a figure has by itself, and By what the figure "by" splits by.
	Options
	// X is the column of the x-axis of the figure "pareto", or [DollarColumn]; empty
	// for tokens.
	X string
	// LogX and LogY ask for logarithmic axes, where there are no bars.
	LogX, LogY bool
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
		{"turns", "tokens by turn of the dialogue", (*plotter).turns},
		{"distance", "recall by the sessions between fact and question", (*plotter).distance},
		{"hits", "shares of blocks by how much of the answer they hold, by category", (*plotter).hits},
		{"ablation", "scores of methods and variants, with tokens", (*plotter).ablation},
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

// Figures draws all figures that can be drawn of some runs, with default axes, and
// says why the others cannot.
func Figures(runs []*Run, o Options) ([]NamedFigure, []Missing, error) {
	return DrawFigures(runs, FigureOptions{Options: o})
}

// DrawFigures draws the figures of some names, or all that can be drawn where none
// is given: one for each dataset. What cannot be drawn is among the missing.
func DrawFigures(runs []*Run, o FigureOptions, names ...string) ([]NamedFigure, []Missing, error) {
	known, _ := FigureNames()
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, nil, errors.New(near.Unknown("figure", name, known))
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
