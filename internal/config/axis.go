package config

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"recallbench/internal/files/strictyaml"
)

// An axis is a list of values for an option of an entry, or of seeds.
type axis struct {
	key    strictyaml.Value // the place of the path
	list   string           // the key of the list of entries; empty for seeds
	entry  int              // the place of the entry in it
	steps  []any            // from the entry to the option
	values []strictyaml.Value
	// written are the values of the file, where the command line gives another one
	// in their place.
	written []strictyaml.Value
	path    string   // as it is written, at once
	short   string   // its name in labels
	names   []string // those of the values
}

// maxValueName is the number of characters that the name of a value has in labels. A
// longer one is named by its place, as "#2", and so are those that are missing, not
// alone, not plain, or look like a place.
const maxValueName = 32

// name fills in what the axis and its values are called in labels. Siblings
// are the axes of the same entry.
func (a *axis) name(siblings []*axis) {
	for n := 1; n <= len(a.steps); n++ {
		a.short = a.tail(n)
		if !slices.ContainsFunc(siblings, func(b *axis) bool { return a != b && a.short == b.tail(n) }) {
			break
		}
	}
	taken := make(map[string]int)
	for _, v := range a.values {
		name := v.Short()
		if a.list == "datasets" {
			name = strings.Map(func(r rune) rune {
				if strings.ContainsRune(notInFiles, r) {
					return '-'
				}
				return r
			}, name)
		}
		a.names = append(a.names, name)
		taken[strings.ToLower(name)]++
	}
	for i, name := range a.names {
		if name == "" || strings.HasPrefix(name, "#") || taken[strings.ToLower(name)] > 1 || utf8.RuneCountInString(name) > maxValueName ||
			strings.TrimSpace(name) != name || strings.ContainsFunc(name, unicode.IsControl) || !utf8.ValidString(name) {
			a.names[i] = fmt.Sprintf("#%d", i+1)
		}
	}
}

// tail writes the last n steps of the axis.
func (a *axis) tail(n int) string {
	return strictyaml.PathOf(a.steps[max(0, len(a.steps)-n):]...)
}

// A choice is a value on an axis, by its place.
type choice struct {
	axis  *axis
	value int
}

// A point is a choice on each of some axes.
type point []choice

// points returns every combination of values, the last axis first to change;
// one of nothing without axes.
func points(axes []*axis) iter.Seq[point] {
	return func(yield func(point) bool) {
		p := make(point, len(axes))
		for i, a := range axes {
			p[i].axis = a
		}
		for {
			if !yield(slices.Clone(p)) {
				return
			}
			i := len(p) - 1
			for ; i >= 0; i-- {
				if p[i].value++; p[i].value < len(p[i].axis.values) {
					break
				}
				p[i].value = 0
			}
			if i < 0 {
				return
			}
		}
	}
}

// suffix is what a point adds to a label: what can be different.
func (p point) suffix() string {
	var b strings.Builder
	for _, c := range p {
		if len(c.axis.names) > 1 {
			b.WriteString(", " + c.axis.short + "=" + c.axis.names[c.value])
		}
	}
	return b.String()
}

// on returns the place of the point's value on an axis, or -1.
func (p point) on(a *axis) int {
	for _, c := range p {
		if c.axis == a {
			return c.value
		}
	}
	return -1
}

// overlap reports whether one path lies within the other, or is the same.
func overlap(a, b []any) bool {
	n := min(len(a), len(b))
	return slices.Equal(a[:n], b[:n])
}
