package figure

import (
	"errors"
	"image/color"
	"slices"
)

const (
	inch      = 72.0
	margin    = 3.0         // around the page
	gap       = 6.0         // between parts
	onePanel  = 1.75 * inch // heights of rows of panels
	rowPanels = 1.35 * inch
	slanted   = 150.0 // width of a slanted name
	minPanel  = 40.0  // width and height of the least panel
)

// errNarrow is for what does not fit a page at all.
var errNarrow = errors.New("the figure does not fit: give it more --width or --height, or fewer panels")

// draw lays the figure out.
func (f *Figure) draw(size Size) (*drawing, error) {
	f = f.Checked()
	across := min(max(f.Across, 1), max(len(f.Panels), 1))
	rows := max(1, (len(f.Panels)+across-1)/across)
	w := size.Width * inch
	if w == 0 {
		w = ColumnWidth * inch
	}
	inner := w - 2*margin
	most := 8 // lines of the caption
	if size.Height > 0 {
		most = 3
	}
	title := wrap(f.Title, heading, inner, most/2)
	caption := wrap(f.Caption, small, inner, most)
	top := float64(len(title))*heading.line() + float64(len(caption))*small.line() + gap/2
	h := size.Height * inch
	room := h / 3 // for the legend
	if h == 0 {
		room = 60 * entryHeight
	}
	key := f.legend(inner, room)
	if h == 0 {
		row := onePanel
		if rows > 1 {
			row = rowPanels
		}
		row = max(row, f.levels())
		h = min(2*margin+top+float64(rows)*(row+gap)+f.slant(inner/float64(across), across)+key.height()+gap/2, maxSide*inch)
	}
	area := box{point{margin, margin + key.height() + gap/2}, point{w - margin, h - margin - top}}
	if area.width()/float64(across) < minPanel || area.height()/float64(rows) < minPanel {
		return nil, errNarrow
	}
	d := &drawing{w: w, h: h}
	d.fill(white, box{max: point{w, h}}.path())
	y := h - margin
	draw := func(lines []string, f font, c color.NRGBA) {
		for _, s := range lines {
			d.letters(f, c, point{margin, y - f.size}, s, 0, 0)
			y -= f.line()
		}
	}
	draw(title, heading, black)
	draw(caption, small, subtle)
	key.draw(d, point{margin, margin + key.height()})
	f.drawPanels(d, area, rows, across)
	return d, nil
}

// drawPanels draws the panels into rows and columns, so that the data of all are of
// the same size and in line.
func (f *Figure) drawPanels(d *drawing, area box, rows, across int) {
	wide, high := area.width()/float64(across), area.height()/float64(rows)
	all := make([]*axes, len(f.Panels))
	lefts, rights := make([]float64, across), make([]float64, across)
	bottoms, tops := make([]float64, rows), make([]float64, rows)
	for i, p := range f.Panels {
		r, c := i/across, i%across
		if below := i + across; below < len(f.Panels) && sameX(p, f.Panels[below]) {
			p.bare = true
		}
		for above := i - across; above >= 0 && sameX(f.Panels[above], p); above -= across {
			p.above++
		}
		all[i] = p.axes(wide, high)
		e := all[i].edges(wide)
		lefts[c], rights[c] = max(lefts[c], e.left), max(rights[c], e.right)
		bottoms[r], tops[r] = max(bottoms[r], e.bottom), max(tops[r], e.top)
	}
	free := func(whole float64, a, b []float64) float64 {
		for i := range a {
			whole -= a[i] + b[i]
		}
		return max((whole-gap*float64(len(a)-1))/float64(len(a)), 10)
	}
	w, h := free(area.width(), lefts, rights), free(area.height(), bottoms, tops)
	y := area.max.y
	for r := range rows {
		x := area.min.x
		for c := range across {
			if i := r*across + c; i < len(all) {
				all[i].draw(d, box{point{x + lefts[c], y - tops[r] - h}, point{x + lefts[c] + w, y - tops[r]}}, x)
			}
			x += lefts[c] + w + rights[c] + gap
		}
		y -= tops[r] + h + bottoms[r] + gap
	}
}

// sameX reports whether two panels have the same places, so that their names need
// to stand below the lower one alone.
func sameX(a, b Panel) bool {
	return a.Places != nil && slices.Equal(a.Places, b.Places) && a.X.Label == b.X.Label
}
