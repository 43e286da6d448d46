package figure

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// A tick is a mark of an axis.
type tick struct {
	value float64
	label string
}

// numbers marks an axis of numbers at round ones, at most some of them. A
// logarithmic one goes from an exponent of ten to another.
type numbers struct {
	most  int
	log   bool
	whole bool // at whole numbers alone
}

// ticks returns the marks between two numbers.
func (n numbers) ticks(lo, hi float64) []tick {
	if n.log {
		ticks := n.decades(lo, hi)
		if len(ticks) < 2 {
			ticks = n.level(math.Pow(10, lo), math.Pow(10, hi))
		}
		for i := range ticks {
			ticks[i].value = math.Log10(ticks[i].value)
		}
		return slices.DeleteFunc(ticks, func(t tick) bool { return !finite(t.value) })
	}
	return n.level(lo, hi)
}

// level returns the marks at equal distances.
func (n numbers) level(lo, hi float64) []tick {
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

// decades marks a logarithmic axis from an exponent of ten to another, at 1, 2 and 5
// times powers of ten. Where these are too many, it marks the powers alone, or some
// of them.
func (n numbers) decades(lo, hi float64) []tick {
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
// needs. Large numbers have k, M and G, and those beyond are powers of ten.
func labelled(at []float64, step float64) []tick {
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
	ticks := make([]tick, len(at))
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
		ticks[i] = tick{x, s}
	}
	return ticks
}

// unitOf returns the unit of numbers up to x.
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
