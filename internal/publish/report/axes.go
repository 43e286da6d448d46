package report

import (
	"maps"
	"math"
	"slices"
	"strconv"

	"recallbench/internal/calc/lists"
)

// An optionAxis is an option that takes several values in the rows of one method.
type optionAxis struct {
	path   string
	levels []string // numbers in order, before other values
}

// bySweep groups lines by method and model.
func bySweep(lines []*line) [][]*line {
	return groupBy(lines, func(l *line) string { return l.cell.Use + "\x00" + l.cell.Model })
}

// sweepName returns the name of a sweep's method in titles.
func (f layout) sweepName(l *line) string {
	name := l.cell.Use + " on " + l.dataset.Label
	if f.model {
		name += ", " + l.cell.Model
	}
	return name
}

// axesOf returns the options in which lines differ, sorted by path.
func axesOf(lines []*line) []optionAxis {
	levels := make(map[string][]string) // by path
	for _, l := range lines {
		for path, level := range flat(l.cell.Options) {
			levels[path] = lists.AddNew(levels[path], level)
		}
	}
	var axes []optionAxis
	for _, path := range slices.Sorted(maps.Keys(levels)) {
		of := levels[path]
		slices.SortStableFunc(of, func(a, b string) int {
			_, aErr := strconv.ParseFloat(a, 64)
			_, bErr := strconv.ParseFloat(b, 64)
			if aErr != nil && bErr != nil {
				return 0 // in the order of the rows
			}
			return compareNames(a, b)
		})
		if len(of) > 1 {
			axes = append(axes, optionAxis{path, of})
		}
	}
	return axes
}

// axisTables lays out, for each method with axes, a row for each level of an axis but the
// first, with which the others are compared over all pairs of rows that differ only in the
// axis; each request counts by its mean.
func (b *builder) axisTables(all []*line) []*Table {
	f := b.layout(all)
	var tables []*Table
	for _, lines := range bySweep(all) {
		names := make(map[*Contrast][3]string)
		var family []*Contrast
		sides := 0 // a level and the first one, over all columns
		for _, x := range axesOf(lines) {
			for _, level := range x.levels[1:] {
				matched := matchedRows(lines, x, level)
				sides++
				for _, c := range b.columnsTested() {
					r := b.contrast(match{requests: pool(matched)}, c, sides)
					if len(matched) == 0 {
						r.Missing = "no two rows differ only in this axis"
					}
					family, names[r] = append(family, r), [3]string{x.path, level, x.levels[0]}
				}
			}
		}
		if len(family) == 0 {
			continue
		}
		Decide(family, b.infer(lines[0].run.Header.Seed))
		name := f.sweepName(lines[0])
		t := &Table{Name: name + " effects", Title: "effect of each axis: " + name}
		t.NoteTitle("difference: the mean with this level minus that with the first, over all pairs of rows with the same values on the other axes; each question counts by its mean over these pairs")
		named := func(name string, i int) tableColumn[*Contrast] {
			return textColumn(name, func(r *Contrast) string { return names[r][i] })
		}
		b.fillFamily(t, family, shownFields{names: repeating(named("axis", 0), named("level", 1), named("against", 2)), interval: true})
		t.NoteTitle(f.each(lines, standIn)...)
		tables = append(tables, t)
	}
	return tables
}

// matchedRows returns pairs of lines, one with a level of an axis, the other with its
// first level, with the same other options, run and seed.
func matchedRows(lines []*line, x optionAxis, level string) []match {
	var matched []match
	for _, l := range lines {
		own := flat(l.cell.Options)
		if own[x.path] != level {
			continue
		}
		own[x.path] = x.levels[0]
		for _, base := range lines {
			if base.run == l.run && base.seed() == l.seed() && maps.Equal(own, flat(base.cell.Options)) {
				matched = append(matched, newMatch(base, l))
			}
		}
	}
	return matched
}

// pool combines the requests of several matches; a request in several of them gets the mean
// of its values, over those in which both sides have one.
func pool(matches []match) joined {
	of := make(map[request][]joint)
	for _, m := range matches {
		for _, j := range m.requests {
			if j.common() {
				of[j.request] = append(of[j.request], j)
			}
		}
	}
	pooled := make(joined, 0, len(of))
	for key, joints := range of {
		mean := joint{request: key}
		for side := range mean.items {
			mean.items[side] = &item{category: joints[0].category(), values: make([]float64, len(joints[0].items[0].values))}
		}
		for at := range mean.items[0].values {
			var sum [2]float64
			n := 0.0
			for _, j := range joints {
				if values := j.values(at); !math.IsNaN(values[0] + values[1]) {
					sum[0], sum[1], n = sum[0]+values[0], sum[1]+values[1], n+1
				}
			}
			mean.items[0].values[at], mean.items[1].values[at] = sum[0]/n, sum[1]/n // NaN for none
		}
		pooled = append(pooled, mean)
	}
	slices.SortFunc(pooled, func(a, b joint) int { return compareRequests(a.request, b.request) })
	return pooled
}
