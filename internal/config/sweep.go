package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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
	all  strictyaml.Value // with the lists to be run
	axes []*axis
	made map[string][]made // by list
}

// An option is a place within an entry.
type option struct {
	list  string
	entry int              // its place in the list
	steps []any            // from the entry
	key   strictyaml.Value // where its path is written
}

// overlaps reports whether one option lies within the other, or is the same.
func (o option) overlaps(p option) bool {
	n := min(len(o.steps), len(p.steps))
	return o.list == p.list && o.entry == p.entry && slices.Equal(o.steps[:n], p.steps[:n])
}

// An axis is a list of values for an option of an entry.
type axis struct {
	option
	values []strictyaml.Value
	short  string   // its name in labels
	names  []string // those of the values
}

// A made entry is an entry of the lists to be run.
type made struct {
	label   string
	written string // label of the entry that it is a copy of
}

// expand carries out the matrix.
func expand(root strictyaml.Value) *expansion {
	x := &expansion{root: root, all: root, made: make(map[string][]made)}
	matrix := root.At("matrix")
	if matrix.Exists() && !matrix.IsMapping() {
		matrix.Faultf("found %s, want a mapping from paths such as methods.flat-rag.options.k to lists of values", matrix.Describe())
	}
	x.readAxes(matrix, nil)
	for _, a := range x.axes {
		a.name(x.axesOf(a.list, a.entry))
	}
	cells := max(1, root.At("seeds").Len())
	for _, list := range entryLists {
		if cells *= min(max(1, x.makeList(list)), maxCells+1); cells > maxCells {
			matrix.Faultf("makes more than %d cells; want fewer combinations", maxCells)
			break
		}
	}
	return x
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
		case values.Len() == 0:
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
	o, err := x.option(steps, key)
	if err != nil {
		return err
	}
	if v := x.root.At(o.list, o.entry).At(o.steps...); v.Assigned() && !values[0].Assigned() {
		values = []strictyaml.Value{v}
	}
	a := &axis{option: o, values: values}
	i := slices.IndexFunc(x.axes, func(b *axis) bool { return o.overlaps(b.option) })
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

// option finds the entry, and the option in it, that a path leads to.
func (x *expansion) option(steps []any, key strictyaml.Value) (o option, err error) {
	list, _ := steps[0].(string)
	switch {
	case !slices.Contains(entryLists, list):
		return o, errors.New(suggest.Unknown("list", strictyaml.PathOf(steps[0]), entryLists))
	case len(steps) < 3 || steps[2] != "options":
		return o, fmt.Errorf("want the path of an option of an entry, such as %s.NAME.options.OPTION; entries themselves are in the list %s", list, list)
	}
	located, failed, err := x.root.Locate(steps, entryNames...)
	if err != nil {
		return o, fmt.Errorf("%s: %w", strictyaml.PathOf(steps[:failed]...), err)
	}
	entry, ok := located[1].(int)
	if have := x.root.At(list).Len(); !ok || entry >= have {
		return o, fmt.Errorf("no item [%v] in %s, which has %d", located[1], list, have)
	}
	return option{list, entry, located[2:], key}, nil
}

func (x *expansion) axesOf(list string, entry int) []*axis {
	return lists.Filter(x.axes, func(a *axis) bool { return a.list == list && a.entry == entry })
}

// maxValueName is the number of characters that the name of a value has in labels. A
// longer one is named by its place, as "#2", and so are those that are missing, not
// alone, not plain, or look like a place.
const maxValueName = 32

// name fills in what the axis and its values are called in labels. Siblings
// are the axes of the same entry.
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
			strings.TrimSpace(name) != name || strings.ContainsFunc(name, unicode.IsControl) {
			a.names[i] = fmt.Sprintf("#%d", i+1)
		}
	}
}

// makeList puts the made entries of a list in place of those that are written: of each its
// copies, of which the first axis is the last to change. It returns how many there are,
// which are not made where a sweep may not have as many.
func (x *expansion) makeList(list string) int {
	at := x.root.At(list)
	var entries []strictyaml.Value
	for i := range at.Len() {
		axes, entry, label := x.axesOf(list, i), at.At(i), labelOf(at.At(i))
		copies := 1
		for _, a := range axes {
			if copies *= len(a.values); copies > maxCells {
				return copies
			}
		}
		if len(entries)+copies > maxCells {
			return maxCells + 1
		}
		for n := range copies {
			m, copied, rest := made{label, label}, entry, copies
			for _, a := range axes {
				rest /= len(a.values)
				k := n / rest % len(a.values)
				copied = changed(copied, a.values[k], a.key, a.steps...)
				if len(a.values) > 1 {
					m.label += ", " + a.short + "=" + a.names[k]
				}
			}
			if m.label != label && label != "" { // else decoding finds the fault
				copied = changed(copied, entry.At("label").As(m.label), entry.At("label"), "label")
			}
			x.made[list], entries = append(x.made[list], m), append(entries, copied)
		}
	}
	if at.IsList() {
		if all, err := x.all.With(at.List(entries...), at, list); err == nil {
			x.all = all
		}
	}
	return len(entries)
}

// changed returns an entry with a value at a place. Where it has no such place, that is a
// fault of the key.
func changed(entry, value, key strictyaml.Value, steps ...any) strictyaml.Value {
	with, err := entry.With(value, key, steps...)
	if err != nil {
		key.Faultf("%v", err)
		return entry
	}
	return with
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
