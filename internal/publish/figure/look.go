package figure

import (
	"fmt"
	"image/color"
	"math"
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
	return palette[l.Color%len(palette)]
}

// dash returns the pattern of the look's lines, in points.
func (l Look) dash() []float64 {
	return [][]float64{
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
func (l Look) marker(at point, r float64) (p path, solid bool) {
	regular := func(n int, from, r float64) path {
		var corners []point
		for i := range n {
			sin, cos := math.Sincos(from + 2*math.Pi*float64(i)/float64(n))
			corners = append(corners, point{at.x + r*cos, at.y + r*sin})
		}
		return polygon(corners...)
	}
	across := func(x, y float64) path { return lines(point{at.x - x, at.y - y}, point{at.x + x, at.y + y}) }
	switch l.Shape % Shapes {
	case 0:
		return circle(at, r), true
	case 1:
		return regular(4, math.Pi/4, 1.25*r), true
	case 2:
		return regular(3, math.Pi/2, 1.35*r), true
	case 3:
		return regular(4, 0, 1.35*r), true
	case 4:
		return append(across(r, r), across(r, -r)...), false
	case 5:
		return regular(3, -math.Pi/2, 1.35*r), true
	case 6:
		return append(across(1.4*r, 0), across(0, 1.4*r)...), false
	default:
		return regular(6, 0, 1.2*r), true
	}
}

// hex returns a colour as six digits.
func hex(c color.NRGBA) string { return fmt.Sprintf("%02x%02x%02x", c.R, c.G, c.B) }
