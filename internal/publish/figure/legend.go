package figure

import (
	"fmt"
	"strings"
)

const (
	entryHeight = 9.5
	iconWidth   = 17.0
	entryGap    = 9.0
)

// A legend is the entries of series, set in lines below the panels.
type legend struct {
	lines [][]entry
}

type entry struct {
	name  string   // as shown
	rest  []string // further lines of a long name
	kind  Kind
	look  Look
	width float64
	mute  bool // has no icon
}

// legend sets the series of all panels, each name and look once, into lines of a
// width, as many as there is room for. What does not fit is counted.
func (f *Figure) legend(wide, room float64) legend {
	type key struct {
		name string
		look Look
		kind Kind
	}
	seen := make(map[key]bool)
	var all []entry
	for _, p := range f.Panels {
		if p.bars() && len(p.Series) == 1 && strings.Contains(p.Y.Label, p.Series[0].Name) {
			continue // the axis says it
		}
		if p.heat() {
			continue
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
			if name := wrap(s.Name, regular, wide-iconWidth, 4); len(name) > 0 {
				all = append(all, entry{name: name[0], rest: name[1:], kind: s.Kind, look: s.Look, width: iconWidth + regular.width(name[0])})
			}
		}
	}
	most := max(1, int(room/entryHeight))
	var l legend
	var at float64
	for i, e := range all {
		if len(l.lines) == 0 || at+entryGap+e.width > wide {
			if len(l.lines) > 0 && len(l.lines)+len(e.rest) >= most-1 && i+1 < len(all) {
				rest := fmt.Sprintf("and %d more, which the CSV names", len(all)-i)
				l.lines = append(l.lines, []entry{{name: rest, mute: true}})
				return l
			}
			l.lines, at = append(l.lines, nil), -entryGap
		}
		last := len(l.lines) - 1
		l.lines[last] = append(l.lines[last], e)
		at += entryGap + e.width
		for _, name := range e.rest {
			l.lines, at = append(l.lines, []entry{{name: name, mute: true}}), wide
		}
	}
	return l
}

func (l legend) height() float64 { return float64(len(l.lines)) * entryHeight }

// draw draws the legend below and right of a point.
func (l legend) draw(d *drawing, at point) {
	y := at.y - entryHeight/2
	for _, line := range l.lines {
		x := at.x
		for _, e := range line {
			if !e.mute {
				e.icon(d, x, y)
			}
			d.letters(regular, black, point{x + iconWidth, y - regular.middle()}, e.name, 0, 0)
			x += e.width + entryGap
		}
		y -= entryHeight
	}
}

// icon draws what an entry stands for.
func (e entry) icon(d *drawing, x, y float64) {
	from, to := point{x, y}, point{x + iconWidth - 4, y}
	if e.kind == Bars {
		d.bar(e.look, box{point{from.x + 2, y - 3}, point{to.x - 1, y + 3}})
		return
	}
	if e.kind == Lines || e.kind == Steps {
		d.line(e.look, from, to)
	}
	if e.kind != Steps {
		d.marker(e.look, point{(from.x + to.x) / 2, y})
	}
}
