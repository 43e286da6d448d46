package figure

import (
	"image"
	"image/color"
	"math"
	"slices"
	"strings"

	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A drawing is a page as a list of marks, in points from its lower left corner. It
// is what gonum's plot draws on, and what the writers of formats print. All
// transformations have been done.
type drawing struct {
	w, h  vg.Length
	marks []mark
	pen
	stack []pen
}

// A pen is the state of a drawing.
type pen struct {
	at    matrix
	color color.NRGBA
	width vg.Length
	dash  []vg.Length
}

// A mark is a stroke, a fill or a text.
type mark struct {
	kind  markKind
	path  []segment // of strokes and fills
	color color.NRGBA
	width float64   // of strokes
	dash  []float64 // of strokes

	text  string // in the order of reading
	font  font.Font
	at    vg.Point // where the baseline begins, or as align says
	align float64  // the share of the width that lies before at: 0, 0.5 or 1
	angle float64  // radians
}

type markKind int

const (
	stroke markKind = iota
	fill
	letters
)

// A segment is a part of a path: a move, a line, a cubic curve or a close.
type segment struct {
	op byte // 'M', 'L', 'C' or 'Z'
	to [3]vg.Point
}

// A matrix maps x to a·x + c·y + e and y to b·x + d·y + f.
type matrix struct{ a, b, c, d, e, f float64 }

func (m matrix) times(n matrix) matrix {
	return matrix{
		m.a*n.a + m.c*n.b, m.b*n.a + m.d*n.b,
		m.a*n.c + m.c*n.d, m.b*n.c + m.d*n.d,
		m.a*n.e + m.c*n.f + m.e, m.b*n.e + m.d*n.f + m.f,
	}
}

func (m matrix) apply(p vg.Point) vg.Point {
	x, y := float64(p.X), float64(p.Y)
	return vg.Point{X: vg.Length(m.a*x + m.c*y + m.e), Y: vg.Length(m.b*x + m.d*y + m.f)}
}

func newDrawing(w, h vg.Length) *drawing {
	return &drawing{w: w, h: h, pen: pen{at: matrix{a: 1, d: 1}, color: black, width: 1}}
}

// The methods of vg.Canvas.

func (d *drawing) Size() (x, y vg.Length)   { return d.w, d.h }
func (d *drawing) SetLineWidth(w vg.Length) { d.width = w }
func (d *drawing) Translate(p vg.Point)     { d.transform(matrix{1, 0, 0, 1, float64(p.X), float64(p.Y)}) }
func (d *drawing) Scale(x, y float64)       { d.transform(matrix{a: x, d: y}) }
func (d *drawing) Push()                    { d.stack = append(d.stack, d.pen) }
func (d *drawing) Stroke(p vg.Path)         { d.add(stroke, p) }
func (d *drawing) Fill(p vg.Path)           { d.add(fill, p) }
func (d *drawing) transform(m matrix)       { d.at = d.at.times(m) }

func (d *drawing) SetLineDash(dash []vg.Length, _ vg.Length) { d.dash = slices.Clone(dash) }

func (d *drawing) SetColor(c color.Color) {
	if c == nil {
		c = black
	}
	d.color = color.NRGBAModel.Convert(c).(color.NRGBA)
}

func (d *drawing) Rotate(rad float64) {
	sin, cos := math.Sincos(rad)
	d.transform(matrix{a: cos, b: sin, c: -sin, d: cos})
}

func (d *drawing) Pop() {
	d.pen = d.stack[len(d.stack)-1]
	d.stack = d.stack[:len(d.stack)-1]
}

// FillString draws a text that begins at a point.
func (d *drawing) FillString(f font.Face, at vg.Point, s string) { d.letters(f.Font, at, s, 0) }

// DrawImage draws nothing: no figure has an image.
func (d *drawing) DrawImage(vg.Rectangle, image.Image) {}

// letters draws a text of which a share of the width lies before a point.
func (d *drawing) letters(f font.Font, at vg.Point, s string, align float64) {
	if s = label(s); s == "" || f.Size <= 0 {
		return
	}
	d.marks = append(d.marks, mark{
		kind: letters, color: d.color, text: s, font: f, at: d.at.apply(at), align: align, angle: math.Atan2(d.at.b, d.at.a),
	})
}

func (d *drawing) add(kind markKind, p vg.Path) {
	if kind == stroke && d.width <= 0 || len(p) == 0 {
		return
	}
	m := mark{kind: kind, color: d.color, width: float64(d.width), path: d.segments(p)}
	for _, x := range d.dash {
		m.dash = append(m.dash, float64(x))
	}
	d.marks = append(d.marks, m)
}

// segments puts a path into page coordinates, arcs as curves.
func (d *drawing) segments(p vg.Path) []segment {
	var all []segment
	add := func(op byte, points ...vg.Point) {
		s := segment{op: op}
		for i, at := range points {
			s.to[i] = d.at.apply(at)
		}
		all = append(all, s)
	}
	var last vg.Point
	for _, c := range p {
		switch c.Type {
		case vg.MoveComp:
			add('M', c.Pos)
		case vg.LineComp:
			add('L', c.Pos)
		case vg.CurveComp:
			from, to := c.Control[0], c.Control[len(c.Control)-1]
			if len(c.Control) == 1 { // a quadratic curve
				q := c.Control[0]
				from = vg.Point{X: last.X + (q.X-last.X)*2/3, Y: last.Y + (q.Y-last.Y)*2/3}
				to = vg.Point{X: c.Pos.X + (q.X-c.Pos.X)*2/3, Y: c.Pos.Y + (q.Y-c.Pos.Y)*2/3}
			}
			add('C', from, to, c.Pos)
		case vg.ArcComp:
			last = arc(c, add)
			continue
		case vg.CloseComp:
			add('Z')
		}
		last = c.Pos
	}
	return all
}

// arc adds an arc as curves of at most a quarter of a circle, and returns its end.
func arc(c vg.PathComp, add func(op byte, points ...vg.Point)) vg.Point {
	on := func(angle, r float64) vg.Point {
		sin, cos := math.Sincos(angle)
		return vg.Point{X: c.Pos.X + vg.Length(r*cos), Y: c.Pos.Y + vg.Length(r*sin)}
	}
	r := float64(c.Radius)
	n := max(1, int(math.Ceil(math.Abs(c.Angle)/(math.Pi/2))))
	step := c.Angle / float64(n)
	k := 4.0 / 3 * math.Tan(step/4)
	add('L', on(c.Start, r))
	for i := range n {
		from := c.Start + float64(i)*step
		to := from + step
		a, b := on(from, r), on(to, r)
		sa, ca := math.Sincos(from)
		sb, cb := math.Sincos(to)
		add('C',
			vg.Point{X: a.X - vg.Length(k*r*sa), Y: a.Y + vg.Length(k*r*ca)},
			vg.Point{X: b.X + vg.Length(k*r*sb), Y: b.Y - vg.Length(k*r*cb)}, b)
	}
	return on(c.Start+c.Angle, r)
}

// A typesetter hands texts to a drawing with their alignment, which a writer needs
// whose font is another one than that they were measured with.
type typesetter struct{ text.Plain }

// Lines returns the one line that a text is.
func (typesetter) Lines(s string) []string { return []string{s} }

// Draw draws a text at a point.
func (t typesetter) Draw(c vg.Canvas, s string, style text.Style, at vg.Point) {
	d := under(c)
	d.Push()
	defer d.Pop()
	d.SetColor(style.Color)
	d.Translate(at)
	d.Rotate(style.Rotation)
	extents := t.Extents(style.Font)
	// gonum sets the baseline of the last line one size above the lower edge.
	y := (extents.Ascent+extents.Descent)*vg.Length(style.YAlign) - extents.Ascent + style.Font.Size
	d.letters(style.Font, vg.Point{Y: y}, s, 0-float64(style.XAlign))
}

// under returns the drawing that areas are parts of.
func under(c vg.Canvas) *drawing {
	for {
		switch area := c.(type) {
		case *draw.Canvas:
			c = area.Canvas
		case draw.Canvas:
			c = area.Canvas
		default:
			return c.(*drawing)
		}
	}
}

// begin returns where the baseline of a text begins, if it is as wide as said.
func (m mark) begin(width float64) vg.Point {
	sin, cos := math.Sincos(m.angle)
	back := m.align * width
	return vg.Point{X: m.at.X - vg.Length(back*cos), Y: m.at.Y - vg.Length(back*sin)}
}

// weight tells a text's font as formats name it.
func (m mark) bold() bool { return m.font.Weight == stdfont.WeightBold }

// hex returns a colour as six digits.
func hex(c color.NRGBA) string {
	const digits = "0123456789abcdef"
	var b strings.Builder
	for _, x := range []uint8{c.R, c.G, c.B} {
		b.WriteByte(digits[x>>4])
		b.WriteByte(digits[x&15])
	}
	return b.String()
}
