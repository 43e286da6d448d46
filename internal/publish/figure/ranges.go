package figure

import (
	"math"
	"slices"
)

// A span is a range of an axis.
type span struct{ lo, hi float64 }

// place returns where a value of the axis lies between two places of the page.
func (s span) place(v, from, to float64) float64 { return from + (v-s.lo)/(s.hi-s.lo)*(to-from) }

// ranges returns what the axes of a panel go from and to: all values and error
// bars, with some air, and 0 where there are bars. Those of a logarithmic axis are
// exponents of ten.
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
