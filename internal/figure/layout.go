package figure

import (
	"errors"
	"image/color"
	"math"
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
	slanted   = vg.Length(100) // width of a slanted name
)

// errNarrow is for what does not fit a page at all.
var errNarrow = errors.New("the figure does not fit: give it more --width or --height, or fewer panels")

// draw lays the figure out.
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
				plots[r][c] = p.plot(wide, high)
			}
		}
	}
	for r, row := range align(plots, area) {
		for c, canvas := range row {
			if p := plots[r][c]; p != nil {
				data := p.DataCanvas(canvas)
				p.Y.Label.Text = fit(f.Panels[r*across+c].Y.Label, p.Y.Label.TextStyle.Font, data.Max.Y-data.Min.Y)
				p.Draw(canvas)
			}
		}
	}
}

// sameX reports whether two panels have the same places, so that their names need
// to stand below the lower one alone.
func sameX(a, b Panel) bool {
	return a.Places != nil && slices.Equal(a.Places, b.Places) && a.X.Label == b.X.Label
}

// plot makes the axes of a panel of about a size.
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
	g.Y.Label.Text = fit(p.Y.Label, g.Y.Label.TextStyle.Font, high/3) // drawPanels knows how much fits
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

// whole reports whether all places are whole numbers, between which no mark means
// anything.
func (p *Panel) whole() bool {
	for _, s := range p.Series {
		for _, v := range s.Points {
			if v.X != math.Trunc(v.X) {
				return false
			}
		}
	}
	return true
}

// slant returns how much higher than a line slanted names of places make a figure.
func (f *Figure) slant(wide vg.Length) vg.Length {
	var most vg.Length
	for _, p := range f.Panels {
		for _, name := range p.Places {
			w := width(fit(name, regular, slanted), regular)
			if w > (wide-34)/vg.Length(len(p.Places))-3 {
				most = max(most, w/2)
			}
		}
	}
	return most
}

// places marks the places of a panel: level where the names fit, else slanted and
// cut, and where there are too many some of them.
func (p *Panel) places(g *plot.Plot, wide, high vg.Length) {
	g.X.Tick.Length = 0
	if p.bare {
		g.X.Label.Text = ""
		g.X.Tick.Marker = names(nil)
		return
	}
	slot := wide / vg.Length(len(p.Places))
	f := g.X.Tick.Label.Font
	shown := make([]string, len(p.Places))
	level := true
	for i, name := range p.Places {
		shown[i] = label(name)
		level = level && fit(shown[i], f, slot-3) == shown[i]
	}
	if !level {
		every := max(1, int(math.Ceil(float64((f.Size+1)/slot))))
		steep := slot < 16 // too near for slanted names
		most := min(high*0.7, slanted)
		if steep {
			most = min(high*0.4, slanted)
		}
		for i := range shown {
			room := most
			if !steep { // a slanted name must not reach over the left edge of the page
				room = min(most, (20+(vg.Length(i)+0.5)*slot)/vg.Length(math.Cos(math.Pi/6)))
			}
			if shown[i] = fitEnds(shown[i], f, room); i%every != 0 {
				shown[i] = ""
			}
		}
		g.X.Tick.Label.Rotation, g.X.Tick.Label.XAlign, g.X.Tick.Label.YAlign = math.Pi/6, draw.XRight, draw.YTop
		if steep {
			g.X.Tick.Label.Rotation, g.X.Tick.Label.YAlign = math.Pi/2, draw.YCenter
		}
	}
	g.X.Tick.Marker = names(shown)
}

// A span is a range of an axis.
type span struct{ lo, hi float64 }

// ranges returns what the axes of a panel go from and to: all values and error
// bars, with some air, and 0 where there are bars. Those of a logarithmic axis are
// exponents of ten, for gonum centres the label of its own in the wrong place.
func (p *Panel) ranges() (x, y span) {
	var xs, ys []float64
	for _, s := range p.Series {
		for _, v := range s.Points {
			xs, ys = append(xs, v.X), append(ys, v.Y)
			if v.Low != nil {
				ys = append(ys, *v.Low)
			}
			if v.High != nil {
				ys = append(ys, *v.High)
			}
		}
	}
	x, y = airy(xs, p.X.Log, 0.06), airy(ys, p.Y.Log, 0.08)
	if p.Places != nil {
		x = span{-0.5, float64(len(p.Places)) - 0.5}
	}
	if p.bars() {
		ys = append(ys, 0)
		y = span{slices.Min(ys), slices.Max(ys)}
		if y.lo == y.hi {
			y.hi = 1
		}
		air := 0.06 * (y.hi - y.lo)
		if y.hi > 0 {
			y.hi += air
		}
		if y.lo < 0 {
			y.lo -= air
		}
	}
	return x, y
}

// airy returns the range of numbers, or of their logarithms, with a share of it as
// air at both ends. Of equal numbers the range is about as wide as they are large.
func airy(of []float64, log bool, air float64) span {
	if len(of) == 0 {
		return span{1, 2}
	}
	lo, hi := slices.Min(of), slices.Max(of)
	if log {
		lo, hi = math.Log10(lo), math.Log10(hi)
	}
	pad := air * (hi - lo)
	if hi-lo < 1e-12*math.Abs(hi) || hi == lo {
		pad = max(0.1*math.Abs(hi), 1e-3)
		if log {
			pad = 0.3
		}
	}
	lo, hi = lo-pad, hi+pad
	if !log && lo < 0 && slices.Min(of) >= 0 {
		lo = 0 // what cannot be negative is not drawn as if
	}
	return span{lo, hi}
}
