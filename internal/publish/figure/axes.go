package figure

import "math"

const (
	axisGap    = 2.0 // between the data and an axis of numbers
	tickLength = 2.5
	tickGap    = 2.0 // between a tick and its label
)

// An axes is a panel with what stands around its data.
type axes struct {
	*Panel
	x, y           span
	xTicks, yTicks []tick
	title          []string
	font           font    // of the names of places and of numbers
	angle          float64 // of the names of places, in degrees
	xGap, yGap     float64 // between the data and the axes
}

// axes sets the ticks of a panel that has about a size.
func (p *Panel) axes(wide, high float64) *axes {
	a := &axes{Panel: p, font: regular, title: wrap(p.Title, panelTitle, wide-10, 3), xGap: axisGap, yGap: axisGap}
	a.x, a.y = p.ranges()
	a.yTicks = numbers{most: max(2, min(6, int(high/16))), log: p.Y.Log}.ticks(a.y.lo, a.y.hi)
	if p.Places == nil {
		a.xTicks = numbers{most: max(2, min(6, int(wide/34))), log: p.X.Log, whole: p.whole()}.ticks(a.x.lo, a.x.hi)
	} else {
		a.setPlaces(wide-34, high)
	}
	if p.heat() {
		a.setLevels(wide)
	}
	if p.bars() || p.heat() {
		a.xGap, a.yGap = 0, 0
	}
	return a
}

// edges are what axes take beside their data on each side.
type edges struct{ left, right, bottom, top float64 }

// edges returns what the axes take in an area of a width.
func (a *axes) edges(wide float64) edges {
	e := edges{left: a.yGap + tickLength + tickGap, top: 0.6 * a.font.size}
	for _, t := range a.yTicks {
		e.left = max(e.left, a.yGap+tickLength+tickGap+a.font.width(t.label))
	}
	if label(a.Y.Label) != "" {
		e.left += axis.line() + 1
	}
	e.top += float64(len(a.title)) * panelTitle.line()
	e.bottom = a.xGap
	if a.Places == nil {
		e.bottom += tickLength
	}
	sin, cos := math.Sincos(a.angle * math.Pi / 180)
	deepest := 0.0
	for _, t := range a.xTicks {
		w := a.font.width(t.label)
		deepest = max(deepest, w*sin+a.font.line()*cos)
		if a.angle == 0 { // the last label may reach beyond the axis
			share := (t.value - a.x.lo) / (a.x.hi - a.x.lo)
			e.right = max(e.right, w/2-(1-share)*0.7*wide)
		}
	}
	e.bottom += deepest
	if a.xLabel() != "" {
		e.bottom += axis.line()
	}
	return e
}

// xLabel returns the label of the x-axis, unless the panel below has it.
func (a *axes) xLabel() string {
	if a.bare {
		return ""
	}
	return a.X.Label
}

// draw draws the panel with its data in a box; what it has on its left begins at x.
func (a *axes) draw(d *drawing, data box, x float64) {
	for i, s := range a.title {
		y := data.max.y + 0.6*a.font.size + 2 + float64(len(a.title)-1-i)*panelTitle.line()
		d.letters(panelTitle, black, point{(x + data.max.x) / 2, y}, s, 0.5, 0)
	}
	a.drawX(d, data)
	a.drawY(d, data, x)
	a.plot(d, data)
}

// hairline draws axes.
var hairline = pen{color: black, width: 0.5}

func (a *axes) drawX(d *drawing, data box) {
	y := data.min.y - a.xGap
	if !a.bars() {
		d.stroke(hairline, lines(point{data.min.x, y}, point{data.max.x, y}))
	}
	deepest := 0.0
	sin, cos := math.Sincos(a.angle * math.Pi / 180)
	for _, t := range a.xTicks {
		at := point{a.x.place(t.value, data.min.x, data.max.x), y}
		if a.Places == nil {
			d.stroke(hairline, lines(at, point{at.x, y - tickLength}))
			at.y -= tickLength
		}
		deepest = max(deepest, y-at.y+a.font.width(t.label)*sin+a.font.line()*cos)
		switch a.angle {
		case 0:
			d.letters(a.font, black, point{at.x, at.y - a.font.size}, t.label, 0.5, 0)
		case 90:
			d.letters(a.font, black, point{at.x + a.font.middle(), at.y - 2}, t.label, 1, a.angle)
		default: // the end of the name stands below its place
			d.letters(a.font, black, point{at.x + a.font.size*sin, at.y - a.font.size*cos}, t.label, 1, a.angle)
		}
	}
	if s := a.xLabel(); s != "" {
		f := smaller(s, data.width())
		d.letters(f, black, point{(data.min.x + data.max.x) / 2, y - deepest - axis.size}, fit(s, f, data.width()), 0.5, 0)
	}
}

func (a *axes) drawY(d *drawing, data box, left float64) {
	x := data.min.x - a.yGap
	for _, t := range a.yTicks {
		y := a.y.place(t.value, data.min.y, data.max.y)
		d.stroke(pen{color: rule, width: 0.4}, lines(point{data.min.x, y}, point{data.max.x, y}))
		d.stroke(hairline, lines(point{x - tickLength, y}, point{x, y}))
		d.letters(a.font, black, point{x - tickLength - tickGap, y - a.font.middle()}, t.label, 1, 0)
	}
	d.stroke(hairline, lines(point{x, data.min.y}, point{x, data.max.y}))
	f := smaller(a.Y.Label, data.height())
	d.letters(f, black, point{left + f.size, (data.min.y + data.max.y) / 2}, fit(a.Y.Label, f, data.height()), 0.5, 90)
}

// smaller returns the font of the label of an axis: one that does not fit beside the
// data is set smaller before it is cut.
func smaller(s string, most float64) font {
	f := axis
	for f.size > 6 && fit(s, f, most) != label(s) {
		f.size -= 0.5
	}
	return f
}
