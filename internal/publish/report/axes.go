package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/figure"
)

// An optionAxis is an option that takes several values in the rows of one method.
type optionAxis struct {
	path   string
	levels []string // numbers in their order, before other values
}

// bySweep parts lines by method and model.
func bySweep(lines []*line) [][]*line {
	sweep := func(l *line) string { return l.cell.Use + "\x00" + l.cell.Model }
	return lists.Map(lists.Distinct(lines, sweep), func(name string) []*line {
		return lists.Filter(lines, func(l *line) bool { return sweep(l) == name })
	})
}

// axesOf returns the options in which lines differ, sorted by path.
func axesOf(lines []*line) []optionAxis {
	levels := make(map[string][]string)
	for _, l := range lines {
		for path, level := range flat(l.cell.Options) {
			levels[path] = lists.AddNew(levels[path], level)
		}
	}
	paths := lists.Filter(slices.Sorted(maps.Keys(levels)), func(path string) bool { return len(levels[path]) > 1 })
	return lists.Map(paths, func(path string) optionAxis {
		slices.SortStableFunc(levels[path], func(a, b string) int {
			_, aErr := finiteNumber(a)
			_, bErr := finiteNumber(b)
			if aErr != nil && bErr != nil {
				return 0 // as the rows have them
			}
			return compareNames(a, b)
		})
		return optionAxis{path, levels[path]}
	})
}

// sweepName names the method of a sweep in titles.
func (f layout) sweepName(l *line) string {
	name := l.cell.Use + " on " + l.dataset.Label
	if f.model {
		name += ", " + l.cell.Model
	}
	return name
}

// axisTables lays out, for each method with axes, a row for each level of an axis but the
// first, which it is compared with: over all pairs of rows that differ in the axis alone, a
// request counting by its mean.
func (b *builder) axisTables(all []*line) ([]*Table, error) {
	f := b.layout(all)
	var tables []*Table
	for _, lines := range bySweep(all) {
		axes := axesOf(lines)
		if len(axes) == 0 {
			continue
		}
		name := f.sweepName(lines[0])
		t := &Table{Name: name + " effects", Title: "effect of each axis: " + name, Columns: []Column{{Name: "axis", Repeats: true}, {Name: "level", Repeats: true}, {Name: "against", Repeats: true}}}
		var rows []named
		sides := 0 // a level and the first one, over all columns
		for _, x := range axes {
			for _, level := range x.levels[1:] {
				matched := matchedRows(lines, x, level)
				sides++
				for _, c := range b.columnsTested() {
					r := b.contrast(match{requests: pool(matched, true)}, c, sides)
					if len(matched) == 0 {
						r.Missing = "no two rows differ in this axis alone"
					}
					rows = append(rows, named{[]Cell{text(x.path), text(level), text(x.levels[0])}, r})
				}
			}
		}
		family := lists.Map(rows, func(r named) *Contrast { return r.Contrast })
		Decide(family, b.infer(lines[0].run.Header.Seed))
		t.NoteTitle("difference: the mean with the level less that with the first one, over all pairs of rows that are alike in the other axes; a request counts by its mean over these")
		t.addContrasts(rows, family, shownFields{interval: true}, ContrastOptions{Options: b.Options})
		t.noteStandIn(lines)
		tables = append(tables, t)
	}
	return tables, nil
}

// matchedRows returns pairs of lines, one with a level of an axis, the other with its
// first level. They are alike in all other options, run and seed.
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

// sweep draws, for each option of a sweep and each column, the means over its values: a
// line for each set of rows that are alike in the other options.
func (p *plotter) sweep(lines []*line) (*figure.Figure, string) {
	columns := p.chosen(p.quality)
	fig := p.start(lines, "means over swept options", columns, barsOf(lines))
	f := p.layout(lines)
	for _, of := range bySweep(lines) {
		axes := axesOf(of)
		for _, x := range axes {
			for _, c := range columns {
				panel := figure.Panel{Title: f.sweepName(of[0]), X: x.path, Y: axis(c)}
				if slices.ContainsFunc(x.levels, func(level string) bool { _, err := finiteNumber(level); return err != nil }) {
					panel.Places = x.levels
				}
				for _, l := range of {
					options := flat(l.cell.Options)
					others := lists.Map(lists.Filter(axes, func(o optionAxis) bool { return o.path != x.path }), func(o optionAxis) string { return o.path + "=" + options[o.path] })
					name := cmp.Or(strings.Join(others, ", "), l.cell.Use)
					at := slices.IndexFunc(panel.Series, func(s figure.Series) bool { return s.Name == name })
					if at < 0 {
						at = len(panel.Series)
						panel.Series = append(panel.Series, figure.Series{Name: name, Kind: figure.Lines, Look: figure.Nth(at)})
					}
					place, err := finiteNumber(options[x.path])
					if panel.Places != nil || err != nil {
						place = float64(slices.Index(x.levels, options[x.path]))
					}
					if v, ok := p.point(l, c, l.ids(), place, barsOf(lines)); ok && options[x.path] != "" {
						panel.Series[at].Points = append(panel.Series[at].Points, v)
					}
				}
				for i := range panel.Series {
					slices.SortFunc(panel.Series[i].Points, func(a, b figure.Point) int { return cmp.Compare(a.X, b.X) })
				}
				fig.Panels = append(fig.Panels, panel)
			}
		}
	}
	if len(fig.Panels) == 0 {
		return nil, "no method has rows that differ in an option"
	}
	return fig, ""
}
