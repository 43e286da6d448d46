package figure

import (
	"math"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/vg"
)

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
