package figure

import (
	"image/color"
	"math"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/vg"
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
	white  = color.NRGBA{0xFF, 0xFF, 0xFF, 0xFF}
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
	c := palette[l.Color%len(palette)]
	if l.Pale {
		mix := func(x uint8) uint8 { return uint8((int(x) + 2*255) / 3) }
		c = color.NRGBA{mix(c.R), mix(c.G), mix(c.B), 0xFF}
	}
	return c
}

// dash returns the pattern of the look's lines, in points.
func (l Look) dash() []vg.Length {
	return [][]vg.Length{
		nil, {4, 2}, {1, 1.5}, {6, 2, 1, 2}, {2, 1}, {8, 2}, {6, 1.5, 1, 1.5, 1, 1.5}, {3, 3},
	}[l.Shape%Shapes]
}

// hatch returns the slopes of the lines over the look's bars: 1 and -1 are
// diagonals, 0 is level.
func (l Look) hatch() []float64 {
	return [][]float64{nil, {1}, {0}, {-1}, {1, -1}, nil, {0, 1}, {0, -1}}[l.Shape%Shapes]
}

// marker returns the outline of the look's marker around a point. A marker that
// is not solid is drawn as lines.
func (l Look) marker(at vg.Point, r vg.Length) (path vg.Path, solid bool) {
	polygon := func(n int, from, r vg.Length) vg.Path {
		var p vg.Path
		for i := range n {
			sin, cos := math.Sincos(float64(from) + 2*math.Pi*float64(i)/float64(n))
			to := vg.Point{X: at.X + r*vg.Length(cos), Y: at.Y + r*vg.Length(sin)}
			if i == 0 {
				p.Move(to)
			} else {
				p.Line(to)
			}
		}
		p.Close()
		return p
	}
	cross := func(d vg.Length, slope bool) vg.Path {
		var p vg.Path
		for _, to := range [][2]vg.Length{{1, 1}, {1, -1}} {
			x, y := d*to[0], d*to[1]
			if !slope {
				x, y = d*(to[0]+to[1])/2*1.4, d*(to[0]-to[1])/2*1.4
			}
			p.Move(vg.Point{X: at.X - x, Y: at.Y - y})
			p.Line(vg.Point{X: at.X + x, Y: at.Y + y})
		}
		return p
	}
	switch l.Shape % Shapes {
	case 0:
		var p vg.Path
		p.Move(vg.Point{X: at.X + r, Y: at.Y})
		p.Arc(at, r, 0, 2*math.Pi)
		p.Close()
		return p, true
	case 1:
		return polygon(4, math.Pi/4, 1.25*r), true
	case 2:
		return polygon(3, math.Pi/2, 1.35*r), true
	case 3:
		return polygon(4, 0, 1.35*r), true
	case 4:
		return cross(r, true), false
	case 5:
		return polygon(3, -math.Pi/2, 1.35*r), true
	case 6:
		return cross(r, false), false
	default:
		return polygon(6, 0, 1.2*r), true
	}
}

// outline returns a text as the outlines of its glyphs, in the order of drawing. A
// character that the font lacks is an empty box.
func (m mark) outline() []segment {
	s := visual(m.text)
	fc := face(m.font)
	em := fixed.Int26_6(fc.Face.UnitsPerEm())
	scale := float64(m.font.Size) / float64(em)
	from := m.begin(float64(fc.Width(s)))
	sin, cos := math.Sincos(m.angle)
	var buf sfnt.Buffer
	var all []segment
	var pen fixed.Int26_6
	var last sfnt.GlyphIndex
	for i, r := range s {
		glyph, err := fc.Face.GlyphIndex(&buf, r)
		if err != nil {
			continue
		}
		if i > 0 {
			if kern, err := fc.Face.Kern(&buf, last, glyph, em, 0); err == nil {
				pen += kern
			}
		}
		place := func(p fixed.Point26_6) vg.Point {
			x, y := scale*float64(pen+p.X), -scale*float64(p.Y)
			return vg.Point{X: from.X + vg.Length(x*cos-y*sin), Y: from.Y + vg.Length(x*sin+y*cos)}
		}
		if segments, err := fc.Face.LoadGlyph(&buf, glyph, em, nil); err == nil {
			all = append(all, glyphSegments(segments, place)...)
		}
		if advance, err := fc.Face.GlyphAdvance(&buf, glyph, em, 0); err == nil {
			pen += advance
		}
		last = glyph
	}
	return all
}

func glyphSegments(of sfnt.Segments, place func(fixed.Point26_6) vg.Point) []segment {
	var all []segment
	var last vg.Point
	for i, s := range of {
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if i > 0 {
				all = append(all, segment{op: 'Z'})
			}
			last = place(s.Args[0])
			all = append(all, segment{'M', [3]vg.Point{last}})
		case sfnt.SegmentOpLineTo:
			last = place(s.Args[0])
			all = append(all, segment{'L', [3]vg.Point{last}})
		case sfnt.SegmentOpQuadTo:
			q, to := place(s.Args[0]), place(s.Args[1])
			third := func(p vg.Point) vg.Point { return vg.Point{X: p.X + (q.X-p.X)*2/3, Y: p.Y + (q.Y-p.Y)*2/3} }
			all = append(all, segment{'C', [3]vg.Point{third(last), third(to), to}})
			last = to
		case sfnt.SegmentOpCubeTo:
			last = place(s.Args[2])
			all = append(all, segment{'C', [3]vg.Point{place(s.Args[0]), place(s.Args[1]), last}})
		}
	}
	if len(all) > 0 {
		all = append(all, segment{op: 'Z'})
	}
	return all
}
