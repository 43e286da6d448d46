package figure

import (
	"image/color"
	"math"
)

// A drawing is a page as a list of marks, in points from its lower left corner. The
// writers of formats print it.
type drawing struct {
	w, h  float64
	marks []mark
}

// A mark is a stroke, a fill or a text.
type mark struct {
	kind markKind
	pen       // of fills and texts the colour alone
	path path // of strokes and fills

	text  string // in the order of reading
	font  font
	at    point   // on the baseline
	align float64 // the share of the text's width that lies before at: 0, 0.5 or 1
	angle float64 // in degrees
}

type markKind int

const (
	stroke markKind = iota
	fill
	letters
)

// A pen is how lines are drawn.
type pen struct {
	color color.NRGBA
	width float64
	dash  []float64
}

type point struct{ x, y float64 }

// A box is a rectangle by its lower left and its upper right corner.
type box struct{ min, max point }

func (b box) width() float64  { return b.max.x - b.min.x }
func (b box) height() float64 { return b.max.y - b.min.y }

func (b box) path() path {
	return polygon(b.min, point{b.max.x, b.min.y}, b.max, point{b.min.x, b.max.y})
}

// A path is parts of outlines.
type path []segment

// A segment is a part of a path: a move, a line, a cubic curve or a close.
type segment struct {
	op byte // 'M', 'L', 'C' or 'Z'
	to [3]point
}

// lines joins points.
func lines(points ...point) path {
	var p path
	for i, to := range points {
		op := byte('L')
		if i == 0 {
			op = 'M'
		}
		p = append(p, segment{op, [3]point{to}})
	}
	return p
}

// polygon joins points, and the last with the first.
func polygon(points ...point) path { return append(lines(points...), segment{op: 'Z'}) }

// circle is four curves.
func circle(at point, r float64) path {
	const k = 0.5523 // the usual distance of control points, as a share of the radius
	p := lines(point{at.x + r, at.y})
	for i := range 4 {
		sin, cos := math.Sincos(float64(i) * math.Pi / 2)
		on := func(along, across float64) point {
			return point{at.x + r*(along*cos-across*sin), at.y + r*(along*sin+across*cos)}
		}
		p = append(p, segment{'C', [3]point{on(1, k), on(k, 1), on(0, 1)}})
	}
	return append(p, segment{op: 'Z'})
}

func (d *drawing) fill(c color.NRGBA, p path) {
	d.marks = append(d.marks, mark{kind: fill, pen: pen{color: c}, path: p})
}

func (d *drawing) stroke(with pen, p path) {
	d.marks = append(d.marks, mark{kind: stroke, pen: with, path: p})
}

// letters draws a text in a line, with a share of its width before a point.
func (d *drawing) letters(f font, c color.NRGBA, at point, s string, align, angle float64) {
	if s = label(s); s != "" {
		d.marks = append(d.marks, mark{kind: letters, pen: pen{color: c}, text: s, font: f, at: at, align: align, angle: angle})
	}
}
