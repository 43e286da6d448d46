package figure

import (
	"image/png"
	"io"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// dpi is the resolution of PNGs.
const dpi = 300

func (d *drawing) png(w io.Writer) error {
	c := vgimg.NewWith(vgimg.UseWH(d.w, d.h), vgimg.UseDPI(dpi))
	for _, m := range d.marks {
		c.SetColor(m.color)
		path := m.path
		if m.kind == letters {
			path = m.outline()
		}
		var p vg.Path
		for _, s := range path {
			switch s.op {
			case 'M':
				p.Move(s.to[0])
			case 'L':
				p.Line(s.to[0])
			case 'C':
				p.CubeTo(s.to[0], s.to[1], s.to[2])
			case 'Z':
				p.Close()
			}
		}
		if m.kind != stroke {
			c.Fill(p)
			continue
		}
		dash := make([]vg.Length, len(m.dash))
		for i, x := range m.dash {
			dash[i] = vg.Length(x)
		}
		c.SetLineWidth(vg.Length(m.width))
		c.SetLineDash(dash, 0)
		c.Stroke(p)
	}
	return png.Encode(w, c.Image())
}
