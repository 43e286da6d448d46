package config

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/strictyaml"
	"recallbench/internal/text/suggest"
)

// A file is what a run file may hold: a config, and how it is made.
type file struct {
	Config `yaml:",inline"`
	Sweep  `yaml:",inline"`
}

// A Sweep generates the lists of a config. [Load] expands it: a [Config] has only
// the lists.
type Sweep struct {
	// Extends is a run file that this one extends: missing keys come from there,
	// mappings are merged, and everything else is replaced.
	Extends string `yaml:"extends,omitempty"`
	// Matrix has lists of values for options of entries, by paths such as
	// methods.flat-rag.options.k: the entry is replaced by copies, one for each
	// combination of its values.
	Matrix any `yaml:"matrix,omitempty"`
}

// entryLists are the keys of the lists of entries, which are crossed.
var entryLists = []string{"datasets", "methods", "models"}

// entryNames are the keys that an entry goes by in paths.
var entryNames = []string{"label", "use"}

// maxCells is the largest number of cells that a sweep may make.
const maxCells = 10_000

// An expansion makes the lists of a config from its matrix.
type expansion struct {
	root strictyaml.Value // as it is written
	axes []*axis
}

// An axis is a list of values for an option of an entry.
type axis struct {
	list   string
	entry  int              // its place in the list
	steps  []any            // from the entry to the option
	key    strictyaml.Value // where its path is written
	values []strictyaml.Value
	short  string   // its name in labels
	names  []string // those of the values
}

// overlaps reports whether the option of one axis lies within that of another, or is the same.
func (a *axis) overlaps(b *axis) bool {
	n := min(len(a.steps), len(b.steps))
	return a.list == b.list && a.entry == b.entry && slices.Equal(a.steps[:n], b.steps[:n])
}

// A made entry is an entry of the lists to be run.
type made struct {
	value   strictyaml.Value
	label   string
	written string // label of the entry that it is a copy of
}

// expand carries out the matrix. It returns the document with the lists to be run, and how
// their entries were made.
func expand(root strictyaml.Value) (all strictyaml.Value, entries map[string][]made) {
	x := &expansion{root: root}
	matrix := root.At("matrix")
	if matrix.Exists() && !matrix.IsMapping() {
		matrix.Faultf("found %s, want a mapping from paths such as methods.flat-rag.options.k to lists of values", matrix.Describe())
	}
	x.readAxes(matrix, nil)
	for _, a := range x.axes {
		a.name(x.axesOf(a.list, a.entry))
	}
	cells := max(1, len(root.At("seeds").Each()))
	for _, list := range entryLists {
		n := 0
		for i := range root.At(list).Each() {
			copies := 1
			for _, a := range x.axesOf(list, i) {
				copies = min(copies*len(a.values), maxCells+1)
			}
			n += copies
		}
		if cells *= min(max(1, n), maxCells+1); cells > maxCells {
			matrix.Faultf("makes more than %d cells; want fewer combinations", maxCells)
			return root, nil
		}
	}
	all, entries = root, make(map[string][]made)
	for _, list := range entryLists {
		at := root.At(list)
		for i, entry := range at.Each() {
			entries[list] = append(entries[list], x.copies(list, i, entry)...)
		}
		if at.IsList() {
			all = all.With(at.List(lists.Map(entries[list], func(m made) strictyaml.Value { return m.value })...), at, list)
		}
	}
	return all, entries
}

// readAxes reads the axes of a mapping that lies at a path: a path may be written at once
// or as mappings within each other.
func (x *expansion) readAxes(at strictyaml.Value, before []any) {
	at.Keys(func(name string, key, values strictyaml.Value) {
		steps, err := strictyaml.Steps(name)
		if len(before) == 1 { // the name of an entry, as a whole
			steps, err = []any{name}, nil
		}
		steps = append(slices.Clip(before), steps...)
		switch {
		case err != nil:
		case values.IsMapping():
			x.readAxes(values, steps)
		case !values.IsList():
			values.Faultf("found %s, want a list of values", values.Describe())
		case len(values.Each()) == 0:
			values.Faultf("want at least one value")
		default:
			err = x.addAxis(steps, key, values.Each())
		}
		if err != nil {
			key.Faultf("%v", err)
		}
	})
}

// addAxis adds an axis of the option at a path. An assignment of the command line replaces
// it, and what it gives the option itself is then the only value.
func (x *expansion) addAxis(steps []any, key strictyaml.Value, values []strictyaml.Value) error {
	for i, v := range values {
		if j := slices.IndexFunc(values[:i], func(w strictyaml.Value) bool { return w.Short() == v.Short() }); j >= 0 {
			v.Faultf("%s is already in the list, at [%d]", v.Short(), j)
			return nil
		}
	}
	list, _ := steps[0].(string)
	switch {
	case !slices.Contains(entryLists, list):
		return errors.New(suggest.Unknown("list", strictyaml.PathOf(steps[0]), entryLists))
	case len(steps) < 3 || steps[2] != "options":
		return fmt.Errorf("want the path of an option of an entry, such as %s.NAME.options.OPTION; entries themselves are in the list %s", list, list)
	}
	located, err := x.root.Locate(steps, entryNames...)
	if err != nil {
		return err
	}
	entry, ok := located[1].(int)
	if have := len(x.root.At(list).Each()); !ok || entry >= have {
		return fmt.Errorf("no item [%v] in %s, which has %d", located[1], list, have)
	}
	a := &axis{list: list, entry: entry, steps: located[2:], key: key, values: values}
	if v := x.root.At(located...); v.Assigned() && !values[0].Assigned() {
		a.values = []strictyaml.Value{v}
	}
	i := slices.IndexFunc(x.axes, a.overlaps)
	switch {
	case i < 0:
		x.axes = append(x.axes, a)
	case key.Assigned() && !x.axes[i].key.Assigned():
		x.axes[i] = a
	default:
		return fmt.Errorf("sets the same option as the axis %s; want one of them", x.axes[i].key.Path())
	}
	return nil
}

func (x *expansion) axesOf(list string, entry int) []*axis {
	return lists.Filter(x.axes, func(a *axis) bool { return a.list == list && a.entry == entry })
}

// plainName matches the names of values that labels have. Any other is named by its place, as
// "#2", and so are those that are not alone.
var plainName = regexp.MustCompile(`^[^\s#\pC]([^\pC]{0,30}[^\s\pC])?$`)

// name fills in what the axis and its values are called in labels: by the last steps of
// the path that no sibling, an axis of the same entry, has.
func (a *axis) name(siblings []*axis) {
	tail := func(b *axis, n int) string { return strictyaml.PathOf(b.steps[max(0, len(b.steps)-n):]...) }
	for n := 1; n <= len(a.steps); n++ {
		a.short = tail(a, n)
		if !slices.ContainsFunc(siblings, func(b *axis) bool { return a != b && a.short == tail(b, n) }) {
			break
		}
	}
	taken := make(map[string]int)
	for _, v := range a.values {
		a.names = append(a.names, v.Short())
		taken[strings.ToLower(v.Short())]++
	}
	for i, name := range a.names {
		if taken[strings.ToLower(name)] > 1 || !plainName.MatchString(name) || a.list == "datasets" && strings.ContainsAny(name, notInFiles) {
			a.names[i] = fmt.Sprintf("#%d", i+1)
		}
	}
}

// copies returns the copies of an entry, one for each combination of the values of its
// axes, of which the first is the last to change.
func (x *expansion) copies(list string, i int, entry strictyaml.Value) []made {
	label := labelOf(entry)
	copies := []made{{entry, label, label}}
	for _, a := range x.axesOf(list, i) {
		var next []made
		for _, c := range copies {
			for k, value := range a.values {
				m := made{c.value.With(value, a.key, a.steps...), c.label, label}
				if len(a.values) > 1 {
					m.label += ", " + a.short + "=" + a.names[k]
				}
				next = append(next, m)
			}
		}
		copies = next
	}
	for j, m := range copies {
		if m.label != label && label != "" { // else decoding finds the fault
			copies[j].value = m.value.With(entry.At("label").As(m.label), entry.At("label"), "label")
		}
	}
	return copies
}

// labelOf returns the label of an entry as it is written; empty where it has
// none that is a text.
func labelOf(entry strictyaml.Value) string {
	for _, key := range entryNames {
		if v := entry.At(key); v.Exists() {
			label, _ := v.Text()
			return label
		}
	}
	return ""
}
