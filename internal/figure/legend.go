package figure

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	entryHeight = vg.Length(9.5)
	iconWidth   = vg.Length(17)
	entryGap    = vg.Length(9)
)

// A legend is the entries of series, set in lines below the panels.
type legend struct {
	lines [][]entry
}

type entry struct {
	name  string // as shown
	kind  Kind
	look  Look
	width vg.Length
	mute  bool // has no icon
}

// legend sets the series of all panels, each name and look once, into lines of a
// width, as many as there is room for. What does not fit is counted.
func (f *Figure) legend(wide, room vg.Length) legend {
	type key struct {
		name string
		look Look
		kind Kind
	}
	seen := make(map[key]bool)
	var all []entry
	small := font.From(regular, 7)
	for _, p := range f.Panels {
		if p.bars() && len(p.Series) == 1 && strings.Contains(p.Y.Label, p.Series[0].Name) {
			continue // the axis says it
		}
		for _, s := range p.Series {
			if len(s.Points) > 0 {
				s.Look.Grey = false
			}
			k := key{s.Name, s.Look, s.Kind}
			if s.Name == "" || seen[k] {
				continue
			}
			seen[k] = true
			name := fit(s.Name, small, wide-iconWidth)
			all = append(all, entry{name: name, kind: s.Kind, look: s.Look, width: iconWidth + width(name, small)})
		}
	}
	most := max(1, int(room/entryHeight))
	var l legend
	var at vg.Length
	for i, e := range all {
		if len(l.lines) == 0 || at+entryGap+e.width > wide {
			if len(l.lines) == most-1 && i+1 < len(all) {
				rest := fmt.Sprintf("and %d more, which the CSV names", len(all)-i)
				l.lines = append(l.lines, []entry{{name: rest, mute: true}})
				return l
			}
			l.lines, at = append(l.lines, nil), -entryGap
		}
		last := len(l.lines) - 1
		l.lines[last] = append(l.lines[last], e)
		at += entryGap + e.width
	}
	return l
}

func (l legend) height() vg.Length { return vg.Length(len(l.lines)) * entryHeight }

func (l legend) draw(area draw.Canvas) {
	style := text.Style{Color: black, Font: font.From(regular, 7), XAlign: draw.XLeft, YAlign: draw.YCenter, Handler: handler}
	y := area.Max.Y - entryHeight/2
	for _, line := range l.lines {
		x := area.Min.X
		for _, e := range line {
			if !e.mute {
				e.icon(area, x, y)
			}
			area.FillText(style, vg.Point{X: x + iconWidth, Y: y + 0.7}, e.name)
			x += e.width + entryGap
		}
		y -= entryHeight
	}
}

func (e entry) icon(c draw.Canvas, x, y vg.Length) {
	from, to := vg.Point{X: x, Y: y}, vg.Point{X: x + iconWidth - 4, Y: y}
	if e.kind == Bars {
		drawBar(c, vg.Rectangle{Min: vg.Point{X: from.X + 2, Y: y - 3}, Max: vg.Point{X: to.X - 1, Y: y + 3}}, e.look)
		return
	}
	if e.kind == Lines || e.kind == Steps {
		drawLine(c, []vg.Point{from, to}, e.look)
	}
	if e.kind != Steps {
		drawMarker(c, vg.Point{X: (from.X + to.X) / 2, Y: y}, e.look)
	}
}
