// Package figure draws figures: points with intervals, lines, steps and bars, in panels
// that share a legend, whatever the numbers represent.
//
// A [Figure] is data. [Figure.Write] draws it as SVG, PDF, PNG or TeX, and [Figure.CSV]
// writes the numbers in full. The same figure gives the same bytes.
//
// Series are distinguished by colour, by marker and by dash or hatch, so that a
// figure reads without colours: docs/tables.md.
package figure

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
	"gonum.org/v1/plot/vg/vgtex"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/spreadsheet"
	"recallbench/internal/text/suggest"
)

// A Figure is the content of a figure, whose panels stand below each other.
type Figure struct {
	// Name distinguishes the figures of a run in file names, such as "pareto".
	Name  string
	Title string // empty for none
	// Caption is printed small below the title: what a viewer of the picture
	// alone must know, such as that no model answered.
	Caption string
	Panels  []Panel
	// Notes are remarks about the numbers. They are in the CSV but not in the
	// picture.
	Notes []string
}

// A Panel is a pair of axes with what is drawn between them.
type Panel struct {
	Title string
	X, Y  string // the labels of the axes, with the unit
	// Places are the names of the places 0, 1, 2, ... of the x-axis; nil for an
	// axis of numbers.
	Places []string
	Series []Series
}

// A Series shares a look and an entry in the legend.
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
)

// A Look distinguishes series. Any two numbers of 0 or more are allowed;
// colours repeat after [Colors], markers with dashes and hatches after
// [Shapes].
type Look struct {
	Color, Shape int
	// Grey draws points in grey, for those that others beat. The legend shows them
	// in colour, unless the series has no points: such a series is there to explain
	// the grey.
	Grey bool
}

// A Point is a value at a place.
type Point struct {
	X, Y float64
	// Low and High are the ends of the error bar; nil for none.
	Low, High *float64
	// SD is the standard deviation over seeds; nil for one seed.
	SD   *float64
	N    int    // values behind Y; 0 if that is not known
	Note string // about this value, in the CSV
}

// A Size is the width in inches, 0 for [ColumnWidth]. A figure is as high as it needs to be.
type Size struct{ Width float64 }

// ColumnWidth is the width of a column of the usual two-column papers, in inches.
const ColumnWidth = 3.3

// The limits of sizes, in inches.
const (
	minSide = 1.5
	maxSide = 20
)

// Check reports an invalid size.
func (s Size) Check() error {
	if s.Width != 0 && !(s.Width >= minSide && s.Width <= maxSide) {
		return fmt.Errorf("width is %g inches, want %g to %d", s.Width, minSide, maxSide)
	}
	return nil
}

// Formats are the names of the formats that [Figure.Write] knows. They are also
// the extensions of files.
func Formats() []string { return []string{"svg", "pdf", "png", "tex", "csv"} }

// dpi is the resolution of PNG.
const dpi = 300

// Write writes the figure in a format by name. The format "csv" is [Figure.CSV]. A
// point with a number that is not finite, or out of ±1e100, is left out;
// [Figure.Checked] says how many. A page with less than half an inch for a panel is an
// error.
func (f *Figure) Write(w io.Writer, format string, size Size) error {
	if err := size.Check(); err != nil {
		return err
	}
	if format == "csv" {
		return f.CSV(w)
	}
	p, err := f.Checked().layOut(size)
	if err != nil {
		return err
	}
	var c vg.CanvasWriterTo
	switch format {
	case "svg":
		c = vgsvg.New(p.w, p.h)
	case "pdf":
		fpdf.SetDefaultCreationDate(time.Unix(0, 0))
		fpdf.SetDefaultModificationDate(time.Unix(0, 0))
		fpdf.SetDefaultCatalogSort(true)
		c = vgpdf.New(p.w, p.h)
	case "png":
		c = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(p.w, p.h), vgimg.UseDPI(dpi))}
	case "tex":
		c = texCanvas{vgtex.New(p.w, p.h)}
	default:
		return errors.New(suggest.Unknown("format", format, Formats()))
	}
	p.draw(c)
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return err
	}
	data := b.Bytes()
	if format == "svg" { // where the font is not installed, those of its widths stand in
		data = bytes.ReplaceAll(data, []byte("font-family:Liberation Sans;"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;"))
	}
	_, err = w.Write(data)
	return err
}

// Checked returns the figure without what cannot be drawn, with a note about it.
func (f *Figure) Checked() *Figure {
	checked := *f
	checked.Panels = slices.Clone(f.Panels)
	absent := 0
	for i := range checked.Panels {
		p := &checked.Panels[i]
		p.Series = lists.Map(p.Series, func(s Series) Series {
			drawn := lists.Filter(s.Points, func(v Point) bool {
				return finite(v.X) && finite(v.Y) && (p.Places == nil || v.X >= 0 && v.X <= float64(len(p.Places)-1))
			})
			absent += len(s.Points) - len(drawn)
			s.Points = lists.Map(drawn, func(v Point) Point {
				for _, end := range []**float64{&v.Low, &v.High} {
					if *end != nil && !finite(**end) {
						*end = nil
					}
				}
				return v
			})
			return s
		})
	}
	if absent > 0 {
		checked.Notes = append(slices.Clone(f.Notes), fmt.Sprintf("without a value, so not drawn: %d", absent))
	}
	return &checked
}

func (p *Panel) bars() bool {
	return slices.ContainsFunc(p.Series, func(s Series) bool { return s.Kind == Bars })
}

// finite reports whether a number can be drawn. Beyond the bound even the length of
// an axis could overflow.
func finite(x float64) bool { return math.Abs(x) <= 1e100 }

// CSV writes a line for each point, drawn or not, as RFC 4180 but with line feeds: the panel,
// the series, the name of the place, x and y in full, the ends of the error bar, the standard
// deviation over seeds, the number of values behind y, and notes, in the first line about the
// figure too. What is not known is empty.
func (f *Figure) CSV(w io.Writer) error {
	out := spreadsheet.NewWriter(w)
	if err := out.Write([]string{"panel", "series", "place", "x", "y", "y low", "y high", "y sd", "n", "notes"}); err != nil {
		return err
	}
	about := f.Checked().Notes
	for _, p := range f.Panels {
		for _, s := range p.Series {
			for _, v := range s.Points {
				notes := slices.DeleteFunc(append([]string{v.Note}, about...), func(n string) bool { return n == "" })
				about = nil
				record := []string{
					cmp.Or(p.Title, p.Y), s.Name, p.place(v.X), full(&v.X), full(&v.Y), full(v.Low), full(v.High), full(v.SD), "", strings.Join(notes, "; "),
				}
				if v.N > 0 {
					record[8] = strconv.Itoa(v.N)
				}
				if err := out.Write(record); err != nil {
					return err
				}
			}
		}
	}
	return out.Flush()
}

// place returns the name of the place at x, empty if places have no names.
func (p *Panel) place(x float64) string {
	if i := int(x); finite(x) && i >= 0 && i < len(p.Places) {
		return p.Places[i]
	}
	return ""
}

func full(x *float64) string {
	if x == nil || math.IsNaN(*x) || math.IsInf(*x, 0) {
		return ""
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}
