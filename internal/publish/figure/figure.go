// Package figure draws figures: points with intervals, lines, steps, bars and heat maps, in
// panels that share a legend, whatever the numbers come from.
//
// A [Figure] is data. [Figure.Write] lays it out as a list of strokes, fills and texts
// in page coordinates, and a writer for each format prints that list: SVG, and TeX
// (PGF, texts in the font of the document). [Figure.CSV] writes the numbers in full.
// The same figure gives the same bytes.
//
// Series are told apart by colour, by marker and by dash or hatch, so that a figure
// reads without colours: docs/figures.md.
package figure

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"recallbench/internal/text/suggest"
)

// A Figure is what is drawn.
type Figure struct {
	// Name tells the figures of a run apart in files, such as "pareto".
	Name  string
	Title string
	// Caption is printed small below the title: what nobody may overlook who sees
	// the picture alone, such as that no model answered.
	Caption string
	Panels  []Panel
	// Across is how many panels stand beside each other; 0 is 1.
	Across int
	// Notes are what is to be said of the numbers. They are not in the picture,
	// but in the CSV.
	Notes []string
}

// A Panel is a pair of axes with what is drawn between them.
type Panel struct {
	Title string
	X, Y  Axis
	// Places are the names of the places 0, 1, 2, ... of the x-axis; nil for an
	// axis of numbers.
	Places []string
	Series []Series

	bare  bool // the panel below has the names of the places
	above int  // panels whose names of places this one has
}

// An Axis says how an axis is drawn.
type Axis struct {
	Label string // with the unit
	// Log asks for a logarithmic axis. It is not heeded where bars are drawn, which
	// begin at 0, nor for places.
	Log bool
}

// A Series is what shares a look and an entry in the legend.
type Series struct {
	Name   string
	Kind   Kind
	Look   Look
	Points []Point
}

// A Kind says how the points of a series are drawn.
type Kind int

// The kinds of series.
const (
	Points Kind = iota
	Lines       // points with lines between them, in their order
	Steps       // from each point across, then up or down to the next; no marker
	Bars        // of panels with places
	// Heat is a row of a heat map, of panels with places: the name of the series is
	// that of the row, and Y the value that the shade stands for.
	Heat
)

// A Look tells series apart. Any two numbers of 0 or more are allowed; colours
// repeat after [Colors], markers with dashes and hatches after [Shapes].
type Look struct {
	Color, Shape int
	// Grey fills markers with grey and leaves the colour to their edge, for what
	// others outdo. The legend shows them in colour, unless the series has no points:
	// such a series is there to explain the grey.
	Grey bool
}

// A Point is a value at a place.
type Point struct {
	X, Y float64
	// Low and High are the ends of the error bar; nil for none.
	Low, High *float64
	// SD is the standard deviation over seeds; nil where there is one seed.
	SD   *float64
	N    int    // values behind Y; 0 where that is not known
	Note string // about this value, in the CSV
}

// A Size is width and height in inches. A width of 0 is [ColumnWidth], a height
// of 0 what the figure needs.
type Size struct{ Width, Height float64 }

// ColumnWidth is the width of a column of the usual two-column papers, in inches.
const ColumnWidth = 3.3

// The limits of sizes, in inches.
const (
	minSide = 1.5
	maxSide = 20
)

// Check reports a size that is no size of a figure.
func (s Size) Check() error {
	var faults []error
	for name, side := range map[string]float64{"width": s.Width, "height": s.Height} {
		if side != 0 && !(side >= minSide && side <= maxSide) {
			faults = append(faults, fmt.Errorf("%s is %g inches, want %g to %d", name, side, minSide, maxSide))
		}
	}
	slices.SortFunc(faults, func(a, b error) int { return len(a.Error()) - len(b.Error()) })
	return errors.Join(faults...)
}

// Formats are the names of the formats that [Figure.Write] knows. They are also
// the extensions of files.
func Formats() []string { return []string{"svg", "tex", "csv"} }

// Write writes the figure in a format by name. The format "csv" is [Figure.CSV]. A
// point with a number that is not finite, or out of ±1e100, is left out, as is one at
// or below 0 on a logarithmic axis. [Figure.Checked] says how many. A page with less
// than half an inch for a panel is an error.
func (f *Figure) Write(w io.Writer, format string, size Size) error {
	if err := size.Check(); err != nil {
		return err
	}
	if !slices.Contains(Formats(), format) {
		return errors.New(suggest.Unknown("format", format, Formats()))
	}
	if format == "csv" {
		return f.CSV(w)
	}
	d, err := f.draw(size)
	if err != nil {
		return err
	}
	if format == "svg" {
		return d.svg(w, f.Title, f.Caption)
	}
	return d.pgf(w)
}

// Checked returns the figure without what cannot be drawn, with notes that say
// what that is.
func (f *Figure) Checked() *Figure {
	checked := *f
	checked.Notes = slices.Clone(f.Notes)
	checked.Panels = slices.Clone(f.Panels)
	note := func(s string) {
		if !slices.Contains(checked.Notes, s) {
			checked.Notes = append(checked.Notes, s)
		}
	}
	absent, low := 0, 0
	for i := range checked.Panels {
		p := &checked.Panels[i]
		p.Series = slices.Clone(p.Series)
		if p.bars() && p.Y.Log {
			p.Y.Log = false
			note("bars begin at 0, so their axis is not logarithmic")
		}
		if p.Places != nil {
			p.X.Log = false
		}
		if p.heat() {
			p.Y.Log = false
		}
		for k := range p.Series {
			s := &p.Series[k]
			s.Points = slices.DeleteFunc(slices.Clone(s.Points), func(v Point) bool {
				switch {
				case !finite(v.X) || !finite(v.Y) || p.Places != nil && (v.X < 0 || v.X > float64(len(p.Places)-1)):
					absent++
				case p.X.Log && v.X <= 0 || p.Y.Log && v.Y <= 0:
					low++
				default:
					return false
				}
				return true
			})
			for n := range s.Points {
				s.Points[n] = s.Points[n].bounded(p.Y.Log)
			}
		}
	}
	if absent > 0 {
		note(fmt.Sprintf("without a value, so not drawn: %d", absent))
	}
	if low > 0 {
		note(fmt.Sprintf("at or below 0, which a logarithmic axis does not have, so not drawn: %d", low))
	}
	return &checked
}

// bounded returns the point without ends of an error bar that cannot be drawn.
func (v Point) bounded(log bool) Point {
	if v.Low != nil && (!finite(*v.Low) || log && *v.Low <= 0) {
		v.Low = nil
	}
	if v.High != nil && (!finite(*v.High) || log && *v.High <= 0) {
		v.High = nil
	}
	return v
}

func (p *Panel) heat() bool {
	return slices.ContainsFunc(p.Series, func(s Series) bool { return s.Kind == Heat })
}

func (p *Panel) bars() bool {
	return slices.ContainsFunc(p.Series, func(s Series) bool { return s.Kind == Bars })
}

// finite reports whether a number can be drawn. Beyond the bound even the length of
// an axis could overflow.
func finite(x float64) bool { return math.Abs(x) <= 1e100 }
