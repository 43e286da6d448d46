package figure

import (
	"io"
	"math"
	"time"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"codeberg.org/go-pdf/fpdf"
)

// pdf writes the drawing as a page of its size. Texts are texts in an embedded
// font, so that they can be found and copied; those with a character that it lacks
// are outlines.
func (d *drawing) pdf(w io.Writer, title string) error {
	p := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: float64(d.w), Ht: float64(d.h)}})
	// The date is that of no clock, so that the same figure is the same file.
	p.SetCreationDate(time.Unix(0, 0).UTC())
	p.SetModificationDate(time.Unix(0, 0).UTC())
	p.SetCatalogSort(true)
	p.SetTitle(label(title), true)
	p.SetAutoPageBreak(false, 0)
	p.SetMargins(0, 0, 0)
	p.AddPage()
	added := make(map[string]bool)
	for _, m := range d.marks {
		r, g, b := int(m.color.R), int(m.color.G), int(m.color.B)
		switch {
		case m.kind == stroke:
			p.SetDrawColor(r, g, b)
			p.SetLineWidth(m.width)
			p.SetDashPattern(m.dash, 0)
			d.pdfPath(p, m.path)
			p.DrawPath("D")
		case m.kind == letters && typeset(m.text, m.font):
			p.SetTextColor(r, g, b)
			style, ttf := "", liberationsansregular.TTF
			if m.bold() {
				style, ttf = "B", liberationsansbold.TTF
			}
			if !added[style] { // reading a font takes longer than anything else here
				p.AddUTF8FontFromBytes("liberation", style, ttf)
				added[style] = true
			}
			p.SetFont("liberation", style, float64(m.font.Size))
			s := visual(m.text)
			at := m.begin(p.GetStringWidth(s))
			x, y := float64(at.X), float64(d.h-at.Y)
			p.TransformBegin()
			p.TransformRotate(m.angle*180/math.Pi, x, y)
			p.Text(x, y, s)
			p.TransformEnd()
		default:
			path := m.path
			if m.kind == letters {
				path = m.outline()
			}
			if len(path) > 0 {
				p.SetFillColor(r, g, b)
				d.pdfPath(p, path)
				p.DrawPath("F")
			}
		}
	}
	return p.Output(w)
}

func (d *drawing) pdfPath(p *fpdf.Fpdf, path []segment) {
	for _, s := range path {
		var at [6]float64
		for i, to := range s.to {
			at[2*i], at[2*i+1] = float64(to.X), float64(d.h-to.Y)
		}
		switch s.op {
		case 'M':
			p.MoveTo(at[0], at[1])
		case 'L':
			p.LineTo(at[0], at[1])
		case 'C':
			p.CurveBezierCubicTo(at[0], at[1], at[2], at[3], at[4], at[5])
		case 'Z':
			p.ClosePath()
		}
	}
}
