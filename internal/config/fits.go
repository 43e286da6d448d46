package config

import (
	"math"
	"strconv"
	"strings"

	"recallbench/internal/files/strictyaml"
)

// maxCells is the largest number of cells that a matrix may make.
const maxCells = 10_000

// source is where faults of what the expansion makes lie.
func (x *expansion) source() strictyaml.Value {
	if at := x.root.At("matrix"); at.Exists() {
		return at
	}
	return x.root.At("include")
}

// fits reports whether the expansion makes no more than maxCells, and records a
// fault where it does.
func (x *expansion) fits() bool {
	cells := 1.0
	var factors []string
	factor := func(n float64, kind string) {
		if n == 0 { // an empty list is a fault of its own
			return
		}
		cells *= n
		if n == 1 {
			kind = title(kind)
		}
		factors = append(factors, number(n)+" "+kind)
	}
	for _, key := range entryLists {
		n := 0.0
		for i := range x.root.At(key).Len() {
			axes := x.axesOf(key, i)
			n += volume(axes)
			for _, r := range x.rowsOf(key, i) {
				n += volume(r.free(axes))
			}
		}
		factor(n, key)
	}
	if x.seeds != nil {
		factor(float64(len(x.seeds.values)), "seeds")
	} else {
		factor(float64(x.root.At("seeds").Len()), "seeds")
	}
	if cells > maxCells {
		x.source().Faultf("makes %s cells: %s; want at most %d", number(cells), strings.Join(factors, " x "), maxCells)
		return false
	}
	return true
}

// number writes a number that may be very large.
func number(n float64) string {
	if n >= math.MaxInt {
		return "countless"
	}
	return strconv.FormatFloat(n, 'f', 0, 64)
}

// volume is the number of points of axes.
func volume(axes []*axis) float64 {
	n := 1.0
	for _, a := range axes {
		n *= float64(len(a.values))
	}
	return n
}
