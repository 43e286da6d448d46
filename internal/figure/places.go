package figure

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

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
