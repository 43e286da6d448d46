package figure

import (
	"math"
	"slices"
)

const (
	markerRadius = 2.1
	lineWidth    = 1.0
	barWidth     = 0.82 // of the distance of places, for all bars of one
)

// A placer returns where a value is on the page.
type placer func(x, y float64) point

// plot draws the series into a box: bars first, then lines and steps, and points
// above all.
func (a *axes) plot(d *drawing, data box) {
	at := func(x, y float64) point {
		if a.X.Log {
			x = math.Log10(x)
		}
		if a.Y.Log {
			y = math.Log10(y)
		}
		return point{a.x.place(x, data.min.x, data.max.x), a.y.place(y, data.min.y, data.max.y)}
	}
	if a.heat() {
		a.plotHeat(d, at)
		return
	}
	if a.bars() {
		a.plotBars(d, at)
		y := at(0, 0).y
		d.stroke(hairline, lines(point{data.min.x, y}, point{data.max.x, y}))
	}
	for _, s := range a.Series {
		var line []point
		for i, v := range s.Points {
			if s.Kind == Steps && i > 0 {
				line = append(line, at(v.X, s.Points[i-1].Y))
			}
			line = append(line, at(v.X, v.Y))
		}
		if (s.Kind == Lines || s.Kind == Steps) && len(line) > 1 {
			d.line(s.Look, line...)
		}
	}
	for _, s := range a.Series {
		if s.Kind != Points && s.Kind != Lines {
			continue
		}
		for _, v := range s.Points {
			d.errorBar(v, at, v.X, s.Look)
			d.marker(s.Look, at(v.X, v.Y))
		}
	}
}

// plotBars draws the series of bars beside each other at each place.
func (a *axes) plotBars(d *drawing, at placer) {
	of := slices.DeleteFunc(slices.Clone(a.Series), func(s Series) bool { return s.Kind != Bars })
	wide := barWidth / float64(len(of))
	if len(of) == 1 {
		wide = 0.6
	}
	for i, s := range of {
		for _, v := range s.Points {
			middle := v.X + (float64(i)-float64(len(of)-1)/2)*wide
			d.bar(s.Look, box{at(middle-wide*0.46, min(0, v.Y)), at(middle+wide*0.46, max(0, v.Y))})
		}
		for _, v := range s.Points {
			middle := v.X + (float64(i)-float64(len(of)-1)/2)*wide
			d.errorBar(v, at, middle, Look{Color: 6})
		}
	}
}

// errorBar draws the error bar of a point at x.
func (d *drawing) errorBar(v Point, at placer, x float64, l Look) {
	thin := pen{color: l.color(), width: 0.6}
	for _, end := range []*float64{v.Low, v.High} {
		if end != nil {
			to := at(x, *end)
			d.stroke(thin, lines(at(x, v.Y), to))
			d.stroke(thin, lines(point{to.x - 1.5, to.y}, point{to.x + 1.5, to.y}))
		}
	}
}

func (d *drawing) line(l Look, points ...point) {
	d.stroke(pen{l.color(), lineWidth, l.dash()}, lines(points...))
}

// marker draws the marker of a look: a solid one with a white edge that tells it
// from others below it, or a grey one with an edge of its colour; one that is not
// solid as lines.
func (d *drawing) marker(l Look, at point) {
	path, solid := l.marker(at, markerRadius)
	edge := pen{color: white, width: 0.3}
	own := l
	own.Grey = false
	switch {
	case solid && l.Grey:
		edge = pen{color: own.color(), width: 0.7}
	case l.Grey:
		edge = pen{color: own.color(), width: 0.6}
	case !solid:
		edge = pen{color: l.color(), width: 1.2}
	}
	if solid {
		d.fill(l.color(), path)
	}
	d.stroke(edge, path)
}

// bar draws a bar with the hatch of its look.
func (d *drawing) bar(l Look, b box) {
	d.fill(l.color(), b.path())
	for _, slope := range l.hatch() {
		for _, line := range hatch(b, slope) {
			d.stroke(pen{color: white, width: 0.5}, lines(line[0], line[1]))
		}
	}
	d.stroke(pen{color: l.color(), width: 0.4}, b.path())
}

// hatch returns lines of a slope of 0, 1 or -1 over a box.
func hatch(b box, slope float64) [][2]point {
	const apart = 3.0
	w, h := b.width(), b.height()
	var all [][2]point
	if slope == 0 {
		for y := apart; y < h; y += apart {
			all = append(all, [2]point{{b.min.x, b.min.y + y}, {b.max.x, b.min.y + y}})
		}
		return all
	}
	for at := apart; at < w+h; at += 1.4 * apart {
		// From the left or upper edge down to the lower or right one.
		from, to := point{max(0, at-h), min(h, at)}, point{min(w, at), max(0, at-w)}
		if slope > 0 {
			from.x, to.x = w-from.x, w-to.x
		}
		all = append(all, [2]point{{b.min.x + from.x, b.min.y + from.y}, {b.min.x + to.x, b.min.y + to.y}})
	}
	return all
}
