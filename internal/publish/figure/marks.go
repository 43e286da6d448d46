package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// palette is that of Okabe and Ito (2008), which people with any of the common
// colour-blindnesses can tell apart, in an order whose neighbours differ in
// lightness too. Yellow, hard to see on white, is a darker one.
var palette = []color.NRGBA{
	{0x00, 0x72, 0xB2, 0xFF}, // blue
	{0xE6, 0x9F, 0x00, 0xFF}, // orange
	{0x00, 0x9E, 0x73, 0xFF}, // green
	{0xCC, 0x79, 0xA7, 0xFF}, // purple
	{0xD5, 0x5E, 0x00, 0xFF}, // vermilion
	{0x56, 0xB4, 0xE9, 0xFF}, // sky
	{0x22, 0x22, 0x22, 0xFF}, // black
	{0xB8, 0xA8, 0x10, 0xFF}, // yellow
}

var (
	grey   = color.NRGBA{0x9A, 0x9A, 0x9A, 0xFF}
	black  = color.NRGBA{0x00, 0x00, 0x00, 0xFF}
	rule   = color.NRGBA{0xDD, 0xDD, 0xDD, 0xFF}
	subtle = color.NRGBA{0x55, 0x55, 0x55, 0xFF}
)

// Colors is the number of colours that differ.
const Colors = 8

// Shapes is the number of markers, dashes and hatches that differ.
const Shapes = 8

// Nth returns the look of the i-th of several series: 64 differ.
func Nth(i int) Look { return Look{Color: i, Shape: i + i/Colors} }

func (l Look) color() color.NRGBA {
	if l.Grey {
		return grey
	}
	return palette[l.Color%len(palette)]
}

// dashes are the patterns of lines, in points.
var dashes = [Shapes][]vg.Length{nil, {4, 2}, {1, 1.5}, {6, 2, 1, 2}, {2, 1}, {8, 2}, {6, 1.5, 1, 1.5, 1, 1.5}, {3, 3}}

// hatches are the slopes of the lines over bars: 1 and -1 are diagonals, 0 is level.
var hatches = [Shapes][]float64{nil, {1}, {0}, {-1}, {1, -1}, nil, {0, 1}, {0, -1}}

var glyphs = [Shapes]draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.CrossGlyph{}, draw.SquareGlyph{}, draw.PlusGlyph{}, draw.TriangleGlyph{},
}

// marks draws a series.
type marks struct {
	Series
	shift, width float64 // of bars, in places
}

// Plot draws the series between axes.
func (m marks) Plot(c draw.Canvas, g *plot.Plot) {
	toX, toY := g.Transforms(&c)
	at := func(x, y float64) vg.Point { return vg.Point{X: toX(x), Y: toY(y)} }
	var line []vg.Point
	for i, v := range m.Points {
		if m.Kind == Steps && i > 0 {
			line = append(line, at(v.X, m.Points[i-1].Y))
		}
		line = append(line, at(v.X, v.Y))
		if m.Kind == Bars {
			middle := v.X + m.shift
			m.bar(&c, at(middle-0.46*m.width, min(0, v.Y)), at(middle+0.46*m.width, max(0, v.Y)))
		}
	}
	if m.Kind == Lines || m.Kind == Steps {
		c.StrokeLines(m.line(), line)
	}
	thin := draw.LineStyle{Color: m.Look.color(), Width: 0.6}
	if m.Kind == Bars {
		thin.Color = palette[6]
	}
	for _, v := range m.Points {
		for _, end := range []*float64{v.Low, v.High} {
			if end != nil {
				from, to := at(v.X+m.shift, v.Y), at(v.X+m.shift, *end)
				c.StrokeLine2(thin, from.X, from.Y, to.X, to.Y)
				c.StrokeLine2(thin, to.X-1.5, to.Y, to.X+1.5, to.Y)
			}
		}
		if m.Kind == Points || m.Kind == Lines {
			c.DrawGlyphNoClip(m.glyph(), at(v.X, v.Y))
		}
	}
	if m.Kind == Bars {
		c.StrokeLine2(draw.LineStyle{Color: black, Width: 0.5}, c.Min.X, toY(0), c.Max.X, toY(0))
	}
}

// DataRange returns what the axes have to reach.
func (m marks) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, ymin = math.Inf(1), math.Inf(1)
	xmax, ymax = math.Inf(-1), math.Inf(-1)
	reach := func(x, y float64) {
		xmin, xmax, ymin, ymax = min(xmin, x), max(xmax, x), min(ymin, y), max(ymax, y)
	}
	for _, v := range m.Points {
		reach(v.X, v.Y)
		for _, end := range []*float64{v.Low, v.High} {
			if end != nil {
				reach(v.X, *end)
			}
		}
		if m.Kind == Bars {
			reach(v.X, 0)
		}
	}
	return xmin, xmax, ymin, ymax
}

// Thumbnail draws what an entry of the legend stands for.
func (m marks) Thumbnail(c *draw.Canvas) {
	switch y := c.Center().Y; m.Kind {
	case Bars:
		m.bar(c, c.Min, c.Max)
	case Lines, Steps:
		c.StrokeLine2(m.line(), c.Min.X, y, c.Max.X, y)
	case Points:
	}
	if m.Kind == Points || m.Kind == Lines {
		c.DrawGlyphNoClip(m.glyph(), c.Center())
	}
}

func (m marks) line() draw.LineStyle {
	return draw.LineStyle{Color: m.Look.color(), Width: 1, Dashes: dashes[m.Look.Shape%Shapes]}
}

func (m marks) glyph() draw.GlyphStyle {
	return draw.GlyphStyle{Color: m.Look.color(), Radius: 2.2, Shape: glyphs[m.Look.Shape%Shapes]}
}

// bar draws a bar with its hatch.
func (m marks) bar(c *draw.Canvas, lo, hi vg.Point) {
	c.FillPolygon(m.Look.color(), []vg.Point{lo, {X: hi.X, Y: lo.Y}, hi, {X: lo.X, Y: hi.Y}})
	const apart = 3.0
	white := draw.LineStyle{Color: color.White, Width: 0.5}
	w, h := hi.X-lo.X, hi.Y-lo.Y
	for _, slope := range hatches[m.Look.Shape%Shapes] {
		if slope == 0 {
			for y := lo.Y + apart; y < hi.Y; y += apart {
				c.StrokeLine2(white, lo.X, y, hi.X, y)
			}
			continue
		}
		for at := vg.Length(apart); at < w+h; at += 1.4 * apart {
			// From the left or upper edge down to the lower or right one.
			from, to := vg.Point{X: max(0, at-h), Y: min(h, at)}, vg.Point{X: min(w, at), Y: max(0, at-w)}
			if slope > 0 {
				from.X, to.X = w-from.X, w-to.X
			}
			c.StrokeLine2(white, lo.X+from.X, lo.Y+from.Y, lo.X+to.X, lo.Y+to.Y)
		}
	}
}
