package figure

import (
	"image/color"
	"math"
	"strconv"
)

// heatRow is the least height of a row of a heat map.
const heatRow = 13.0

// levels returns the height that the rows of heat maps need.
func (f *Figure) levels() float64 {
	most := 0
	for _, p := range f.Panels {
		if p.heat() {
			most = max(most, len(p.Series))
		}
	}
	return float64(most)*heatRow + 40
}

// setLevels names the rows of a heat map, the first at the top.
func (a *axes) setLevels(wide float64) {
	n := len(a.Series)
	a.y, a.yTicks = span{-0.5, float64(n) - 0.5}, nil
	for i, s := range a.Series {
		a.yTicks = append(a.yTicks, tick{float64(n - 1 - i), fitEnds(s.Name, a.font, wide*0.45)})
	}
}

// plotHeat fills a cell for each value, with the number in it: the greater, the darker.
func (a *axes) plotHeat(d *drawing, at placer) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, s := range a.Series {
		for _, v := range s.Points {
			lo, hi = min(lo, v.Y), max(hi, v.Y)
		}
	}
	digits := 3
	if most := max(math.Abs(lo), math.Abs(hi)); most >= 1 {
		digits = max(0, 2-int(math.Log10(most)))
	}
	for i, s := range a.Series {
		y := float64(len(a.Series) - 1 - i)
		for _, v := range s.Points {
			cell, share := box{at(v.X-0.48, y-0.48), at(v.X+0.48, y+0.48)}, 0.0
			if hi > lo {
				share = (v.Y - lo) / (hi - lo)
			}
			d.fill(shade(share), cell.path())
			ink, f, number := black, regular, strconv.FormatFloat(v.Y, 'f', digits, 64)
			if share > 0.55 {
				ink = white
			}
			for f.size > 4 && f.width(number) > cell.width()-1 {
				f.size -= 0.5
			}
			if f.width(number) <= cell.width() && f.size <= cell.height() {
				d.letters(f, ink, point{(cell.min.x + cell.max.x) / 2, (cell.min.y+cell.max.y)/2 - f.middle()}, number, 0.5, 0)
			}
		}
	}
}

// shade mixes white and the first colour, by a share from 0 to 1.
func shade(share float64) color.NRGBA {
	mix := func(full uint8) uint8 { return uint8(math.Round(255 - (0.06+0.94*share)*float64(255-full))) }
	return color.NRGBA{mix(palette[0].R), mix(palette[0].G), mix(palette[0].B), 0xFF}
}
