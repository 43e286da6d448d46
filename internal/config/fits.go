package config

import (
	"math"
	"strconv"
	"strings"

	"recallbench/internal/files/strictyaml"
)

// maxCells is the largest number of cells that a matrix may make.
const maxCells = 10_000

// fits reports whether what the expansion makes stays within bounds, and records
// a fault where it does not.
func (x *expansion) fits() bool {
	at := x.root.At("matrix")
	if !at.Exists() {
		at = x.root.At("include")
	}
	cells, values := 1, 0
	var factors []string
	factor := func(n int, kind string) {
		cells = times(cells, n)
		if n == 1 {
			kind = title(kind)
		}
		factors = append(factors, number(n)+" "+kind)
	}
	for _, key := range entryLists {
		list := x.root.At(key)
		n := 0
		for i := range list.Len() {
			axes := x.axesOf(key, i)
			copies := volume(axes)
			for _, r := range x.rowsOf(key, i) {
				copies = plus(copies, volume(r.free(axes)))
			}
			n = plus(n, copies)
			values = plus(values, times(copies, list.At(i).Size()+x.added(key, i)))
		}
		if n > 0 { // an empty list is a fault of its own
			factor(n, key)
		}
	}
	if x.seeds != nil {
		factor(len(x.seeds.values), "seeds")
	} else if n := x.root.At("seeds").Len(); n > 0 {
		factor(n, "seeds")
	}
	switch {
	case cells > maxCells:
		at.Faultf("makes %s cells: %s; want at most %d", number(cells), strings.Join(factors, " x "), maxCells)
		return false
	case values > strictyaml.MaxValues:
		at.Faultf("makes entries of more than %d values in all; want fewer combinations", strictyaml.MaxValues)
		return false
	}
	return true
}

// added is the largest number of values that axes and a row add to an entry.
func (x *expansion) added(list string, entry int) int {
	n := 0
	for _, a := range x.axesOf(list, entry) {
		most := 0
		for _, v := range a.values {
			most = max(most, v.Size())
		}
		n += most
	}
	changed := 0
	for _, r := range x.rowsOf(list, entry) {
		own := 0
		for _, c := range r.changes {
			own += c.value.Size()
		}
		changed = max(changed, own)
	}
	return n + changed
}

// number writes a number; the largest stands for all beyond it.
func number(n int) string {
	if n == math.MaxInt {
		return "countless"
	}
	return strconv.Itoa(n)
}

// volume is the number of points of axes.
func volume(axes []*axis) int {
	n := 1
	for _, a := range axes {
		n = times(n, len(a.values))
	}
	return n
}

// times returns a product, and plus a sum, of numbers that are not negative; the
// largest number where they are larger.
func times(a, b int) int {
	if b > 0 && a > math.MaxInt/b {
		return math.MaxInt
	}
	return a * b
}

func plus(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}
