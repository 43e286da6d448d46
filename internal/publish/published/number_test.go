package published

import (
	"math"
	"strconv"
)

// A number is a printed number, or what was computed from printed ones: its
// value taking the digits as they are, and the range that the value can have
// when each printed number was rounded to its last digit. The range is carried
// through every step (interval arithmetic), so a tolerance is never guessed.
type number struct {
	at, lo, hi float64
	from       place // the first cell that it was computed from
}

// A place is where a cell stands.
type place struct{ table, row, cell string }

// rounded returns the number that was printed as text.
func rounded(text string) number {
	at, err := strconv.ParseFloat(text, 64)
	if err != nil {
		at = math.NaN() // fails every comparison
	}
	h := half(text)
	return number{at: at, lo: at - h, hi: at + h}
}

// whole returns a number that is exact.
func whole(x float64) number { return number{at: x, lo: x, hi: x} }

func (a number) plus(b number) number {
	return number{a.at + b.at, a.lo + b.lo, a.hi + b.hi, a.from}
}

func (a number) times(factor float64) number {
	return number{a.at * factor, a.lo * factor, a.hi * factor, a.from}
}

// over returns a / b, for numbers that are not negative.
func (a number) over(b number) number {
	return number{a.at / b.at, a.lo / b.hi, a.hi / b.lo, a.from}
}

// tolerance returns how far a printed number may be from the computed one, on
// its side of it, before the two contradict each other.
func (a number) tolerance(printed number) float64 {
	if printed.at >= a.at {
		return a.hi - a.at + printed.at - printed.lo
	}
	return a.at - a.lo + printed.hi - printed.at
}

// agrees reports whether one value can be both a and b. The slack is for the
// floating-point error of sums of decimal fractions, far below a digit.
func (a number) agrees(b number) bool {
	const slack = 1e-9
	return a.lo <= b.hi+slack && b.lo <= a.hi+slack
}
