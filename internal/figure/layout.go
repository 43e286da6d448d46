package figure

import (
	"errors"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	lineGap   = 1.2                  // of the size of a font
	margin    = vg.Length(3)         // around the page
	gap       = vg.Length(6)         // between parts
	onePanel  = vg.Length(1.75 * 72) // heights of rows of panels
	rowPanels = vg.Length(1.35 * 72)
	slanted   = vg.Length(150) // width of a slanted name
)

// errNarrow is for what does not fit a page at all.
var errNarrow = errors.New("the figure does not fit: give it more --width or --height, or fewer panels")

func (f *Figure) draw(size Size) (*drawing, error) {
	f = f.Checked()
	across := min(max(f.Across, 1), max(len(f.Panels), 1))
	rows := max(1, (len(f.Panels)+across-1)/across)
	w := vg.Length(size.Width) * vg.Inch
	if w == 0 {
		w = ColumnWidth * vg.Inch
	}
	inner := w - 2*margin
	small := font.From(regular, 6)
	lines := 4 // of the caption, and one less of the title
	if size.Height > 0 {
		lines = 2
	}
	title := wrap(f.Title, bold, inner, lines-1)
	caption := wrap(f.Caption, small, inner, lines)
	top := vg.Length(len(title))*bold.Size*lineGap + vg.Length(len(caption))*small.Size*lineGap
	h := vg.Length(size.Height) * vg.Inch
	room := h / 3 // for the legend
	if h == 0 {
		room = 14 * entryHeight
	}
	key := f.legend(inner, room)
	if h == 0 {
		row := onePanel
		if rows > 1 {
			row = rowPanels
		}
		h = min(2*margin+top+vg.Length(rows)*(row+gap)+f.slant(inner/vg.Length(across))+key.height()+gap, maxSide*vg.Inch)
	}
	d := newDrawing(w, h)
	dc := draw.NewCanvas(d, w, h)
	dc.SetColor(white)
	dc.Fill(dc.Path())
	area := draw.Crop(dc, margin, -margin, margin, -margin)
	for _, line := range title {
		area = line1(area, line, bold, black)
	}
	for _, line := range caption {
		area = line1(area, line, small, subtle)
	}
	area = draw.Crop(area, 0, 0, 0, -gap/2)
	key.draw(draw.Crop(area, 0, 0, 0, key.height()-(area.Max.Y-area.Min.Y)))
	area = draw.Crop(area, 0, 0, key.height()+gap/2, 0)
	if (area.Max.X-area.Min.X)/vg.Length(across) < 40 || (area.Max.Y-area.Min.Y)/vg.Length(rows) < 40 {
		return nil, errNarrow
	}
	f.drawPanels(area, rows, across)
	return d, nil
}

// line1 draws a line of text at the upper edge of an area and returns the rest.
func line1(area draw.Canvas, s string, f font.Font, c color.Color) draw.Canvas {
	style := text.Style{Color: c, Font: f, XAlign: draw.XLeft, YAlign: draw.YTop, Handler: handler}
	area.FillText(style, vg.Point{X: area.Min.X, Y: area.Max.Y}, s)
	return draw.Crop(area, 0, 0, 0, -f.Size*lineGap)
}

// drawPanels draws the panels into rows and columns.
func (f *Figure) drawPanels(area draw.Canvas, rows, across int) {
	if len(f.Panels) == 0 {
		return
	}
	wide := (area.Max.X - area.Min.X) / vg.Length(across)
	high := (area.Max.Y - area.Min.Y) / vg.Length(rows)
	plots := make([][]*plot.Plot, rows)
	for r := range plots {
		plots[r] = make([]*plot.Plot, across)
		for c := range plots[r] {
			if i := r*across + c; i < len(f.Panels) {
				p := f.Panels[i]
				if below := i + across; below < len(f.Panels) && sameX(p, f.Panels[below]) {
					p.bare = true
				}
				for above := i - across; above >= 0 && sameX(f.Panels[above], p); above -= across {
					p.above++
				}
				plots[r][c] = p.plot(wide, high)
			}
		}
	}
	for r, row := range align(plots, area) {
		for c, canvas := range row {
			if p := plots[r][c]; p != nil {
				data := p.DataCanvas(canvas)
				fitBeside(p, f.Panels[r*across+c].Y.Label, data.Max.Y-data.Min.Y)
				p.Draw(canvas)
			}
		}
	}
}

// fitBeside sets the label of the y-axis in the size in which it fits beside the
// data; what does not fit in the smallest is cut. Blank takes the place of what the
// label becomes narrower, so that the data stay where they are.
func fitBeside(g *plot.Plot, s string, most vg.Length) {
	l := &g.Y.Label
	f := &l.TextStyle.Font
	wide := func() vg.Length {
		return l.TextStyle.Height(l.Text) + l.TextStyle.FontExtents().Descent + l.TextStyle.Width(" ")
	}
	before := wide()
	for f.Size > 6 && fit(s, *f, most) != label(s) {
		f.Size -= 0.5
	}
	l.Text = fit(s, *f, most)
	l.Padding += before - wide()
}

// sameX reports whether two panels have the same places, so that their names need
// to stand below the lower one alone.
func sameX(a, b Panel) bool {
	return a.Places != nil && slices.Equal(a.Places, b.Places) && a.X.Label == b.X.Label
}

func (p *Panel) plot(wide, high vg.Length) *plot.Plot {
	g := plot.New()
	g.BackgroundColor = nil
	g.TextHandler = handler
	g.Title.Text = fit(p.Title, bold, wide-10)
	g.Title.TextStyle.Font, g.Title.TextStyle.Handler = font.From(bold, 7.5), handler
	g.Title.Padding = 2
	for _, a := range []*plot.Axis{&g.X, &g.Y} {
		a.Label.TextStyle.Font, a.Label.TextStyle.Handler = font.From(regular, 7.5), handler
		a.Tick.Label.Font, a.Tick.Label.Handler = regular, handler
		a.Width, a.Tick.Width = 0.5, 0.5
		a.Tick.Length, a.Padding, a.Label.Padding = 2.5, 2, 1
	}
	g.X.Label.Text = fit(p.X.Label, g.X.Label.TextStyle.Font, wide-20)
	g.Y.Label.Text = fit(p.Y.Label, g.Y.Label.TextStyle.Font, high/3) // fitBeside knows how much fits
	x, y := p.ranges()
	g.X.Min, g.X.Max = x.lo, x.hi
	g.Y.Min, g.Y.Max = y.lo, y.hi
	g.Y.Tick.Marker = numbers{most: max(2, min(6, int(high/16))), log: p.Y.Log}
	if p.Places == nil {
		g.X.Tick.Marker = numbers{most: max(2, min(6, int(wide/34))), log: p.X.Log, whole: p.whole()}
	} else {
		p.places(g, wide-34, high)
	}
	if p.bars() {
		g.X.Width, g.X.Padding, g.Y.Padding = 0, 0, 0
	}
	g.Add(grid{}, marks{p})
	return g
}
