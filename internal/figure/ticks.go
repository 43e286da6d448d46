package figure

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// numbers marks an axis of numbers at round ones, at most some of them. A
// logarithmic one goes from an exponent of ten to another.
type numbers struct {
	most  int
	log   bool
	whole bool // at whole numbers alone
}

// Ticks returns the marks between two numbers.
func (n numbers) Ticks(lo, hi float64) []plot.Tick {
	if n.log {
		ticks := n.decades(lo, hi)
		if len(ticks) < 2 {
			ticks = n.level(math.Pow(10, lo), math.Pow(10, hi))
		}
		for i := range ticks {
			ticks[i].Value = math.Log10(ticks[i].Value)
		}
		return slices.DeleteFunc(ticks, func(t plot.Tick) bool { return !finite(t.Value) })
	}
	return n.level(lo, hi)
}

// level returns the marks at equal distances.
func (n numbers) level(lo, hi float64) []plot.Tick {
	step := round((hi - lo) / float64(n.most))
	if n.whole {
		step = max(step, 1)
	}
	var at []float64
	for k := math.Ceil(lo/step - 1e-9); k*step <= hi+step*1e-9; k++ {
		at = append(at, k*step)
	}
	return labelled(at, step)
}

// round returns the smallest of 1, 2 and 5 times a power of ten that is at least x.
func round(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 0) {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= x*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// decades marks a logarithmic axis from an exponent of ten to another, at 1, 2 and
// 5 times powers of ten, or where these are too many at the powers alone, or at
// some of them.
func (n numbers) decades(lo, hi float64) []plot.Tick {
	for _, of := range [][]float64{{1, 2, 5}, {1}} {
		var at []float64
		for e := math.Floor(lo); e <= math.Ceil(hi); e++ {
			for _, m := range of {
				x := m * math.Pow(10, e)
				if log := math.Log10(x); log >= lo-1e-9 && log <= hi+1e-9 { // not where x is 0
					at = append(at, x)
				}
			}
		}
		if len(of) == 1 {
			every := 1 + len(at)/n.most
			var some []float64
			for i := 0; i < len(at); i += every {
				some = append(some, at[i])
			}
			at = some
		}
		if len(at) <= n.most+1 {
			return labelled(at, 0)
		}
	}
	return nil
}

// labelled makes marks of numbers: with as many decimals as the step between them
// needs, with k, M and G for thousands, millions and milliards where the numbers
// are as large, and as powers of ten where they are out of any of these.
func labelled(at []float64, step float64) []plot.Tick {
	var most, least float64
	for _, x := range at {
		x = math.Abs(x)
		most = max(most, x)
		if x > 0 && (least == 0 || x < least) {
			least = x
		}
	}
	unit, suffix := unitOf(most)
	each := step == 0 && unit > 1 // on a logarithmic axis each has its own unit
	ticks := make([]plot.Tick, len(at))
	for i, x := range at {
		if each {
			unit, suffix = 1, ""
			if x >= 1e3 {
				unit, suffix = unitOf(5 * x)
			}
		}
		var s string
		switch {
		case x == 0:
			s = "0"
		case most >= 1e12 || least < 1e-4:
			s = strconv.FormatFloat(clean(x), 'g', 3, 64)
		default:
			decimals := -1 // as many as it takes
			if step > 0 {
				decimals = max(0, -int(math.Floor(math.Log10(step/unit)+1e-9)))
			}
			s = strconv.FormatFloat(clean(x/unit), 'f', decimals, 64) + suffix
		}
		if x < 0 {
			s = "−" + strings.TrimPrefix(s, "-")
		}
		ticks[i] = plot.Tick{Value: x, Label: s}
	}
	return ticks
}

// unitOf returns what numbers are counted in of which the largest is x.
func unitOf(x float64) (unit float64, suffix string) {
	switch {
	case x >= 5e9:
		return 1e9, "G"
	case x >= 5e6:
		return 1e6, "M"
	case x >= 5e3:
		return 1e3, "k"
	}
	return 1, ""
}

// clean takes the rounding error from a number that has few digits.
func clean(x float64) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 12, 64), 64)
	if err != nil {
		return x
	}
	return y
}

// names marks an axis of places by their names.
type names []string

// Ticks returns a mark for each place, without a label where it has none.
func (n names) Ticks(_, _ float64) []plot.Tick {
	ticks := make([]plot.Tick, len(n))
	for i, name := range n {
		ticks[i] = plot.Tick{Value: float64(i), Label: name}
	}
	return slices.DeleteFunc(ticks, func(t plot.Tick) bool { return t.Label == "" })
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
