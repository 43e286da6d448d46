package figure

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgtex"

	"recallbench/internal/text/latex"
	"recallbench/internal/text/termsafe"
)

const (
	margin      = 3.0            // around the page
	gap         = 6.0            // between parts
	onePanel    = 1.75 * vg.Inch // heights of rows of panels
	rowPanels   = 1.35 * vg.Inch
	minPanel    = 40.0 // width and height of the least panel
	longest     = 130.0
	lineSpace   = 1.2
	iconWidth   = 17.0
	entryGap    = 9.0
	legendLines = 85 // at most, half of the highest page
)

// errNarrow is for what does not fit a page at all.
var errNarrow = errors.New("the figure does not fit: give it more --width, or fewer panels")

// A page is a figure with its size.
type page struct {
	*Figure
	w, h           vg.Length
	rows           int
	title, caption []string
	names          []string // of the legend
	entries        []marks
	columns        int // of the legend
}

// layOut finds the size of a figure and of its parts.
func (f *Figure) layOut(size Size) (*page, error) {
	p := &page{Figure: f, w: vg.Length(size.Width) * vg.Inch}
	if p.w == 0 {
		p.w = ColumnWidth * vg.Inch
	}
	p.rows = max(1, len(f.Panels))
	inner := p.w - 2*margin
	p.title, p.caption = wrap(f.Title, style(heading, black), inner, 4), wrap(f.Caption, style(small, black), inner, 8)
	p.legend(inner)
	row := onePanel
	if p.rows > 1 {
		row = rowPanels
	}
	p.h = min(2*margin+p.top()+p.bottom()+vg.Length(p.rows)*(row+gap), maxSide*vg.Inch)
	for i := range f.Panels {
		if !f.bare(i) {
			p.h += f.Panels[i].namesDepth(inner)
		}
	}
	if inner < minPanel || (p.h-2*margin-p.top()-p.bottom())/vg.Length(p.rows) < minPanel {
		return nil, errNarrow
	}
	return p, nil
}

// top and bottom are the heights of what stands above and below the panels.
func (p *page) top() vg.Length {
	return vg.Length(len(p.title))*heading*lineSpace + vg.Length(len(p.caption))*small*lineSpace + gap/2
}

func (p *page) bottom() vg.Length {
	return vg.Length((len(p.names)+p.columns-1)/p.columns)*plain*lineSpace + gap
}

// legend sets the series of all panels, each name and look once, in columns, as many as
// there is room for. What does not fit is counted.
func (p *page) legend(inner vg.Length) {
	sty := style(plain, black)
	widest := vg.Length(0)
	for _, panel := range p.Panels {
		for _, s := range panel.Series {
			name := fit(s.Name, sty, inner-iconWidth-entryGap)
			if len(s.Points) > 0 {
				s.Look.Grey = false
			}
			said := panel.bars() && len(panel.Series) == 1 && strings.Contains(panel.Y, s.Name) // by the axis
			if name == "" || said || slices.ContainsFunc(p.entries, func(e marks) bool { return e.Name == s.Name && e.Look == s.Look && e.Kind == s.Kind }) {
				continue
			}
			p.names, p.entries = append(p.names, name), append(p.entries, marks{Series: s})
			widest = max(widest, sty.Width(name))
		}
	}
	p.columns = max(1, int(inner/(iconWidth+widest+entryGap)))
	if most := legendLines * p.columns; len(p.names) > most {
		rest := fmt.Sprintf("and %d more, which the CSV names", len(p.names)-most)
		p.names, p.entries = append(p.names[:most], rest), append(p.entries[:most], marks{Series: Series{Kind: -1}})
	}
}

// draw draws the page.
func (p *page) draw(on vg.CanvasSizer) {
	c := draw.New(on)
	c.FillPolygon(color.White, []vg.Point{{}, {X: p.w}, {X: p.w, Y: p.h}, {Y: p.h}})
	c = draw.Crop(c, margin, -margin, margin, -margin)
	y := c.Max.Y
	for i, s := range slices.Concat(p.title, p.caption) {
		sty := style(heading, black)
		if i >= len(p.title) {
			sty = style(small, subtle)
		}
		c.FillText(sty, vg.Point{X: c.Min.X, Y: y}, s)
		y -= sty.Font.Size * lineSpace
	}
	wide := (c.Max.X - c.Min.X) / vg.Length(p.columns)
	for column := range p.columns {
		l := plot.NewLegend()
		l.Left, l.Top, l.ThumbnailWidth, l.TextStyle, l.YPosition = true, true, iconWidth-4, style(plain, black), draw.PosCenter
		l.TextStyle.YAlign = draw.YBottom
		for i := column; i < len(p.names); i += p.columns {
			l.Add(p.names[i], p.entries[i])
		}
		l.Draw(draw.Crop(c, vg.Length(column)*wide, 0, 0, p.bottom()-gap-(c.Max.Y-c.Min.Y)))
	}
	if len(p.Panels) == 0 {
		return
	}
	area := draw.Crop(c, 0, 0, p.bottom(), -p.top())
	var plots [][]*plot.Plot
	size := vg.Point{X: area.Max.X - area.Min.X, Y: (area.Max.Y - area.Min.Y) / vg.Length(p.rows)}
	for i := range p.Panels {
		plots = append(plots, []*plot.Plot{p.Panels[i].plot(size, p.bare(i))})
	}
	for row, at := range plot.Align(plots, draw.Tiles{Rows: p.rows, Cols: 1, PadX: gap, PadY: gap}, area) {
		if at := at[0]; at.Max.X > at.Min.X && at.Max.Y > at.Min.Y {
			plots[row][0].Draw(at)
		}
	}
}

// bare reports whether the panel below another one has the same places, so that their
// names need to stand there alone.
func (f *Figure) bare(i int) bool {
	if i+1 >= len(f.Panels) {
		return false
	}
	a, b := f.Panels[i], f.Panels[i+1]
	return a.Places != nil && slices.Equal(a.Places, b.Places) && a.X == b.X
}

// turn returns the angle of the names of places: level where all fit, else upright.
func (p *Panel) turn(wide vg.Length) float64 {
	for _, name := range p.Places {
		if style(plain, black).Width(label(name)) > (wide-40)/vg.Length(len(p.Places))-3 {
			return math.Pi / 2
		}
	}
	return 0
}

// namesDepth is how much room the names of places take.
func (p *Panel) namesDepth(wide vg.Length) (deepest vg.Length) {
	if p.turn(wide) == 0 {
		return 0
	}
	for _, name := range p.Places {
		deepest = max(deepest, min(longest, style(plain, black).Width(label(name))))
	}
	return deepest
}

// plot lays out a panel. The names of places are left out where it is bare.
func (p *Panel) plot(size vg.Point, bare bool) *plot.Plot {
	g := plot.New()
	g.BackgroundColor = nil
	g.Title.TextStyle = style(plain, black)
	g.Title.TextStyle.XAlign, g.Title.Padding = draw.XCenter, 2
	g.Title.Text = strings.Join(wrap(p.Title, g.Title.TextStyle, size.X, 3), "\n")
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal = nil, draw.LineStyle{Color: rule, Width: 0.4}
	g.Add(grid)
	width, n := 0.6, 1
	if bars := slices.DeleteFunc(slices.Clone(p.Series), func(s Series) bool { return s.Kind != Bars }); len(bars) > 1 {
		n, width = len(bars), 0.82/float64(len(bars))
	}
	bar := 0
	for _, s := range p.Series {
		m := marks{Series: s, width: width}
		if s.Kind == Bars {
			m.shift = (float64(bar) - float64(n-1)/2) * width
			bar++
		}
		g.Add(m)
	}
	for axis, of := range map[*plot.Axis]string{&g.X: p.X, &g.Y: p.Y} {
		widen(axis)
		axis.Tick.Label.Font, axis.Tick.Length, axis.Padding = style(plain, black).Font, 2.5, 2
		axis.Label.TextStyle.Font, axis.Label.Padding = style(plain+0.5, black).Font, 1
		room := size.X
		if axis == &g.Y {
			room = 0.9 * size.Y
		}
		axis.Label.Text = fit(of, axis.Label.TextStyle, room)
	}
	g.Y.Tick.Marker = ticks(false)
	g.X.Tick.Marker = ticks(!slices.ContainsFunc(p.Series, func(s Series) bool {
		return slices.ContainsFunc(s.Points, func(v Point) bool { return v.X != math.Trunc(v.X) })
	}))
	if bare {
		g.X.Label.Text = ""
	}
	if p.Places != nil {
		p.setPlaces(g, size, bare)
	}
	return g
}

// widen gives an axis whose ends are nearly one number room for others between them: the
// search for round ones would not end there.
func widen(axis *plot.Axis) {
	least := 1e-6 * max(math.Abs(axis.Min), math.Abs(axis.Max))
	if axis.Min <= axis.Max && axis.Max-axis.Min < least && !math.IsInf(least, 0) {
		axis.Min, axis.Max = axis.Min-least, axis.Max+least
	}
}

// setPlaces marks the places of a panel. Where there are too many, some have no name.
func (p *Panel) setPlaces(g *plot.Plot, size vg.Point, bare bool) {
	g.X.Min, g.X.Max, g.X.Padding = -0.5, float64(len(p.Places))-0.5, 0
	g.X.Tick.Length = 0
	if p.bars() {
		g.Y.Padding = 0
	}
	sty, every := &g.X.Tick.Label, 1
	most := size.X
	if sty.Rotation = p.turn(size.X); sty.Rotation != 0 {
		sty.XAlign, sty.YAlign = draw.XRight, draw.YCenter
		most = min(longest, 0.45*size.Y+20)
		every = max(1, int(math.Ceil(float64((plain+1)*vg.Length(len(p.Places))/max(1, size.X-40)))))
	}
	var ticks plot.ConstantTicks
	for i, name := range p.Places {
		if name = fit(name, *sty, most); name != "" && i%every == 0 && !bare {
			ticks = append(ticks, plot.Tick{Value: float64(i), Label: name + " "})
		}
	}
	g.X.Tick.Marker = ticks
}

// ticks marks an axis by numbers in full. Where all values are whole, so are the marks, as
// none between them means anything.
func ticks(whole bool) plot.TickerFunc {
	return func(lo, hi float64) []plot.Tick {
		var all []plot.Tick
		for _, t := range (plot.DefaultTicks{}).Ticks(lo, hi) {
			if whole && t.Value != math.Trunc(t.Value) {
				continue
			}
			if t.Label != "" {
				t.Label = strings.ReplaceAll(strconv.FormatFloat(t.Value, 'g', 6, 64), "-", "−")
			}
			all = append(all, t)
		}
		return all
	}
}

// The sizes of texts, in points.
const (
	plain   = 7.0
	small   = 6.0
	heading = 8.0
)

// style returns how texts of a size look.
func style(size vg.Length, c color.Color) text.Style {
	return text.Style{Color: c, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size), YAlign: draw.YTop, Handler: plot.DefaultTextHandler}
}

const (
	maxLabel = 300 // characters of a text
	ellipsis = "…"
)

// label makes a text safe to draw: one line, no control characters, no marks of
// direction, no blanks at its ends or beside each other.
func label(s string) string {
	s = strings.Join(strings.Fields(termsafe.Text(s[:min(len(s), 4*maxLabel)])), " ")
	s = strings.NewReplacer("\ufffe", "", "\uffff", "").Replace(s) // which XML has not
	if r := []rune(s); len(r) > maxLabel {
		return string(r[:maxLabel]) + ellipsis
	}
	return s
}

// fit cuts a label that is too wide in the middle, as names often differ at their end.
func fit(s string, sty text.Style, most vg.Length) string {
	s = label(s)
	r := []rune(s)
	for keep := len(r) - 1; keep > 0 && sty.Width(s) > most; keep-- {
		s = string(r[:(keep+1)/2]) + ellipsis + string(r[len(r)-keep/2:])
	}
	return s
}

// wrap breaks a text into at most some lines, between words; what does not fit is cut.
func wrap(s string, sty text.Style, most vg.Length, lines int) []string {
	var all []string
	for word := range strings.FieldsSeq(label(s)) {
		last := len(all) - 1
		switch {
		case last >= 0 && sty.Width(all[last]+" "+word) <= most:
			all[last] += " " + word
		case len(all) == lines:
			all[last] = fit(all[last]+" "+ellipsis, sty, most)
			return all
		default:
			all = append(all, fit(word, sty, most))
		}
	}
	return all
}

// A texCanvas escapes texts for LaTeX.
type texCanvas struct{ *vgtex.Canvas }

// FillString draws a text.
func (c texCanvas) FillString(f font.Face, at vg.Point, s string) {
	escaped := latex.Escape(s)
	at.X += (f.Width(s) - f.Width(escaped)) / 2 // it sets the middle by what it is given
	c.Canvas.FillString(f, at, escaped)
}

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

// dashes are the patterns of lines, in points.
var dashes = [Shapes][]vg.Length{nil, {4, 2}, {1, 1.5}, {6, 2, 1, 2}, {2, 1}, {8, 2}, {6, 1.5, 1, 1.5, 1, 1.5}, {3, 3}}

// hatches are the slopes of the lines over bars: 1 and -1 are diagonals, 0 is level.
var hatches = [Shapes][]float64{nil, {1}, {0}, {-1}, {1, -1}, nil, {0, 1}, {0, -1}}

var glyphs = [Shapes]draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.CrossGlyph{}, draw.SquareGlyph{}, draw.PlusGlyph{}, draw.TriangleGlyph{},
}

// marks draws a series.
type marks struct {
	Series
	shift, width float64 // of bars, in places
}

// Plot draws the series between axes.
func (m marks) Plot(c draw.Canvas, g *plot.Plot) {
	toX, toY := g.Transforms(&c)
	at := func(x, y float64) vg.Point { return vg.Point{X: toX(x), Y: toY(y)} }
	var line []vg.Point
	for i, v := range m.Points {
		if m.Kind == Steps && i > 0 {
			line = append(line, at(v.X, m.Points[i-1].Y))
		}
		line = append(line, at(v.X, v.Y))
		if m.Kind == Bars {
			middle := v.X + m.shift
			m.bar(&c, at(middle-0.46*m.width, min(0, v.Y)), at(middle+0.46*m.width, max(0, v.Y)))
		}
	}
	if m.Kind == Lines || m.Kind == Steps {
		c.StrokeLines(m.line(), line)
	}
	thin := draw.LineStyle{Color: m.Look.color(), Width: 0.6}
	if m.Kind == Bars {
		thin.Color = palette[6]
	}
	for _, v := range m.Points {
		for _, end := range []*float64{v.Low, v.High} {
			if end != nil {
				from, to := at(v.X+m.shift, v.Y), at(v.X+m.shift, *end)
				c.StrokeLine2(thin, from.X, from.Y, to.X, to.Y)
				c.StrokeLine2(thin, to.X-1.5, to.Y, to.X+1.5, to.Y)
			}
		}
		if m.Kind == Points || m.Kind == Lines {
			c.DrawGlyphNoClip(m.glyph(), at(v.X, v.Y))
		}
	}
	if m.Kind == Bars {
		c.StrokeLine2(draw.LineStyle{Color: black, Width: 0.5}, c.Min.X, toY(0), c.Max.X, toY(0))
	}
}

// DataRange returns what the axes have to reach.
func (m marks) DataRange() (xmin, xmax, ymin, ymax float64) {
	var all plotter.XYs
	for _, v := range m.Points {
		all = append(all, plotter.XY{X: v.X, Y: v.Y})
		for _, end := range []*float64{v.Low, v.High} {
			if end != nil {
				all = append(all, plotter.XY{X: v.X, Y: *end})
			}
		}
		if m.Kind == Bars {
			all = append(all, plotter.XY{X: v.X})
		}
	}
	return plotter.XYRange(all)
}

// Thumbnail draws what an entry of the legend stands for.
func (m marks) Thumbnail(c *draw.Canvas) {
	switch y := c.Center().Y; m.Kind {
	case Bars:
		m.bar(c, c.Min, c.Max)
	case Lines, Steps:
		c.StrokeLine2(m.line(), c.Min.X, y, c.Max.X, y)
	case Points:
	}
	if m.Kind == Points || m.Kind == Lines {
		c.DrawGlyphNoClip(m.glyph(), c.Center())
	}
}

func (m marks) line() draw.LineStyle {
	return draw.LineStyle{Color: m.Look.color(), Width: 1, Dashes: dashes[m.Look.Shape%Shapes]}
}

func (m marks) glyph() draw.GlyphStyle {
	return draw.GlyphStyle{Color: m.Look.color(), Radius: 2.2, Shape: glyphs[m.Look.Shape%Shapes]}
}

// bar draws a bar with its hatch.
func (m marks) bar(c *draw.Canvas, lo, hi vg.Point) {
	c.FillPolygon(m.Look.color(), []vg.Point{lo, {X: hi.X, Y: lo.Y}, hi, {X: lo.X, Y: hi.Y}})
	const apart = 3.0
	white := draw.LineStyle{Color: color.White, Width: 0.5}
	w, h := hi.X-lo.X, hi.Y-lo.Y
	for _, slope := range hatches[m.Look.Shape%Shapes] {
		if slope == 0 {
			for y := lo.Y + apart; y < hi.Y; y += apart {
				c.StrokeLine2(white, lo.X, y, hi.X, y)
			}
			continue
		}
		for at := vg.Length(apart); at < w+h; at += 1.4 * apart {
			// From the left or upper edge down to the lower or right one.
			from, to := vg.Point{X: max(0, at-h), Y: min(h, at)}, vg.Point{X: min(w, at), Y: max(0, at-w)}
			if slope > 0 {
				from.X, to.X = w-from.X, w-to.X
			}
			c.StrokeLine2(white, lo.X+from.X, lo.Y+from.Y, lo.X+to.X, lo.Y+to.Y)
		}
	}
}
