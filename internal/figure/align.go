package figure

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// edges are what a plot takes beside its data on each side.
type edges struct{ left, right, bottom, top vg.Length }

// align returns an area for each plot of a grid so that the data of all are of the
// same size and in line. gonum's own Align lets rows slip where tick labels reach
// beyond an axis.
func align(plots [][]*plot.Plot, area draw.Canvas) [][]draw.Canvas {
	rows, cols := len(plots), len(plots[0])
	wide, high := area.Max.X-area.Min.X, area.Max.Y-area.Min.Y
	lefts, rights := make([]vg.Length, cols), make([]vg.Length, cols)
	bottoms, tops := make([]vg.Length, rows), make([]vg.Length, rows)
	for r := range plots {
		for c, p := range plots[r] {
			if p == nil {
				continue
			}
			e := edgesOf(p, draw.Canvas{Canvas: area.Canvas, Rectangle: vg.Rectangle{
				Max: vg.Point{X: wide / vg.Length(cols), Y: high / vg.Length(rows)},
			}})
			lefts[c], rights[c] = max(lefts[c], e.left), max(rights[c], e.right)
			bottoms[r], tops[r] = max(bottoms[r], e.bottom), max(tops[r], e.top)
		}
	}
	free := func(whole vg.Length, a, b []vg.Length) vg.Length {
		for i := range a {
			whole -= a[i] + b[i]
		}
		return max((whole-gap*vg.Length(len(a)-1))/vg.Length(len(a)), 10)
	}
	w, h := free(wide, lefts, rights), free(high, bottoms, tops)
	areas := make([][]draw.Canvas, rows)
	y := area.Max.Y
	for r := range plots {
		areas[r] = make([]draw.Canvas, cols)
		x := area.Min.X
		for c, p := range plots[r] {
			x += lefts[c]
			data := vg.Rectangle{Min: vg.Point{X: x, Y: y - tops[r] - h}, Max: vg.Point{X: x + w, Y: y - tops[r]}}
			if p != nil {
				areas[r][c] = around(p, data, area.Canvas)
			}
			x += w + rights[c] + gap
		}
		y -= tops[r] + h + bottoms[r] + gap
	}
	return areas
}

func edgesOf(p *plot.Plot, in draw.Canvas) edges {
	data := p.DataCanvas(in)
	return edges{data.Min.X - in.Min.X, in.Max.X - data.Max.X, data.Min.Y - in.Min.Y, in.Max.Y - data.Max.Y}
}

// around returns the area in which a plot has its data in a rectangle. What tick
// labels take beyond an axis depends on the area a little, so it is found in steps.
func around(p *plot.Plot, data vg.Rectangle, c vg.Canvas) draw.Canvas {
	in := draw.Canvas{Canvas: c, Rectangle: data}
	for range 4 {
		e := edgesOf(p, in)
		in.Min = vg.Point{X: data.Min.X - e.left, Y: data.Min.Y - e.bottom}
		in.Max = vg.Point{X: data.Max.X + e.right, Y: data.Max.Y + e.top}
	}
	return in
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
		most := min(high*0.7*vg.Length(1+p.above), slanted)
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
