package figure

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	markerRadius = vg.Length(2.1)
	lineWidth    = vg.Length(1)
	barWidth     = 0.82 // of the distance of places, for all bars of one
)

// grid draws level lines at the marks of the y-axis.
type grid struct{}

// Plot draws the lines.
func (grid) Plot(c draw.Canvas, p *plot.Plot) {
	_, y := p.Transforms(&c)
	style := draw.LineStyle{Color: rule, Width: 0.4}
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if at := y(t.Value); c.ContainsY(at) {
			c.StrokeLine2(style, c.Min.X, at, c.Max.X, at)
		}
	}
}

// marks draws the series of a panel.
type marks struct{ *Panel }

// Plot draws bars first, then lines and steps, and points above all.
func (m marks) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	at := func(x, y float64) vg.Point {
		if m.X.Log {
			x = math.Log10(x)
		}
		if m.Y.Log {
			y = math.Log10(y)
		}
		return vg.Point{X: tx(x), Y: ty(y)}
	}
	m.plotBars(c, at)
	for _, s := range m.Series {
		var line []vg.Point
		for i, v := range s.Points {
			if s.Kind == Steps && i > 0 {
				line = append(line, at(v.X, s.Points[i-1].Y))
			}
			line = append(line, at(v.X, v.Y))
		}
		if (s.Kind == Lines || s.Kind == Steps) && len(line) > 1 {
			drawLine(c, line, s.Look)
		}
	}
	for _, s := range m.Series {
		if s.Kind != Points && s.Kind != Lines {
			continue
		}
		for _, v := range s.Points {
			drawError(c, v, at, v.X, s.Look)
			drawMarker(c, at(v.X, v.Y), s.Look)
		}
	}
}

// plotBars draws the series of bars beside each other at each place.
func (m marks) plotBars(c draw.Canvas, at func(x, y float64) vg.Point) {
	of := slices.DeleteFunc(slices.Clone(m.Series), func(s Series) bool { return s.Kind != Bars })
	wide := barWidth / float64(len(of))
	if len(of) == 1 {
		wide = 0.6
	}
	for i, s := range of {
		for _, v := range s.Points {
			middle := v.X + (float64(i)-float64(len(of)-1)/2)*wide
			lo, hi := at(middle-wide*0.46, min(0, v.Y)), at(middle+wide*0.46, max(0, v.Y))
			drawBar(c, vg.Rectangle{Min: lo, Max: hi}, s.Look)
		}
		for _, v := range s.Points {
			middle := v.X + (float64(i)-float64(len(of)-1)/2)*wide
			drawError(c, v, at, middle, Look{Color: 6})
		}
	}
	if len(of) > 0 {
		c.StrokeLine2(draw.LineStyle{Color: black, Width: 0.5}, c.Min.X, at(0, 0).Y, c.Max.X, at(0, 0).Y)
	}
}

func drawError(c draw.Canvas, v Point, at func(x, y float64) vg.Point, x float64, l Look) {
	style := draw.LineStyle{Color: l.color(), Width: 0.6}
	for _, end := range []*float64{v.Low, v.High} {
		if end == nil {
			continue
		}
		from, to := at(x, v.Y), at(x, *end)
		c.StrokeLine2(style, from.X, from.Y, to.X, to.Y)
		c.StrokeLine2(style, to.X-1.5, to.Y, to.X+1.5, to.Y)
	}
}

func drawLine(c draw.Canvas, line []vg.Point, l Look) {
	c.StrokeLines(draw.LineStyle{Color: l.color(), Width: lineWidth, Dashes: l.dash()}, line)
}

// drawMarker draws the marker of a look: a solid one with a white edge that tells
// it from others below it, or a grey one with an edge of its colour; one that is
// not solid as lines.
func drawMarker(c draw.Canvas, at vg.Point, l Look) {
	path, solid := l.marker(at, markerRadius)
	edge := draw.LineStyle{Color: white, Width: 0.3}
	own := l
	own.Grey = false
	switch {
	case solid && l.Grey:
		edge = draw.LineStyle{Color: own.color(), Width: 0.7}
	case l.Grey:
		edge = draw.LineStyle{Color: own.color(), Width: 0.6}
	case !solid:
		edge = draw.LineStyle{Color: l.color(), Width: 1.2}
	}
	if solid {
		c.SetColor(l.color())
		c.Fill(path)
	}
	c.SetLineStyle(edge)
	c.Stroke(path)
}

func drawBar(c draw.Canvas, r vg.Rectangle, l Look) {
	c.SetColor(l.color())
	c.Fill(r.Path())
	style := draw.LineStyle{Color: white, Width: 0.5}
	for _, slope := range l.hatch() {
		for _, line := range hatch(r, slope) {
			c.StrokeLine2(style, line[0].X, line[0].Y, line[1].X, line[1].Y)
		}
	}
	c.SetLineStyle(draw.LineStyle{Color: l.color(), Width: 0.4})
	c.Stroke(r.Path())
}

// hatch returns lines of a slope of 0, 1 or -1 over a rectangle.
func hatch(r vg.Rectangle, slope float64) [][2]vg.Point {
	const apart = vg.Length(3)
	w, h := r.Max.X-r.Min.X, r.Max.Y-r.Min.Y
	var lines [][2]vg.Point
	if slope == 0 {
		for y := apart; y < h; y += apart {
			lines = append(lines, [2]vg.Point{{X: r.Min.X, Y: r.Min.Y + y}, {X: r.Max.X, Y: r.Min.Y + y}})
		}
		return lines
	}
	for at := apart; at < w+h; at += 1.4 * apart {
		// From the left or upper edge down to the lower or right one.
		from := vg.Point{X: max(0, at-h), Y: min(h, at)}
		to := vg.Point{X: min(w, at), Y: max(0, at-w)}
		if slope > 0 {
			from.X, to.X = w-from.X, w-to.X
		}
		lines = append(lines, [2]vg.Point{from.Add(r.Min), to.Add(r.Min)})
	}
	return lines
}
