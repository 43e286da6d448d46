package config

import (
	"errors"
	"fmt"
	"slices"

	"recallbench/internal/files/strictyaml"
	"recallbench/internal/text/suggest"
)

// readMatrix reads the axes and records their faults. What an assignment of the
// command line gives an option is then the only value of its axis.
func (x *expansion) readMatrix() {
	at := x.root.At("matrix")
	if at.Exists() && !at.IsMapping() {
		at.Faultf("found %s, want a mapping from paths such as methods.flat-rag.options.k to lists of values", at.Describe())
	}
	x.readAxes(at, nil)
	for _, a := range x.axes {
		a.name(x.axesOf(a.list, a.entry))
	}
}

// readAxes reads the axes of a mapping that lies at a path: a path may be
// written at once or as mappings within each other.
func (x *expansion) readAxes(at strictyaml.Value, before []any) {
	at.Keys(func(name string, key, values strictyaml.Value) {
		steps, err := strictyaml.Steps(name)
		if err != nil {
			key.Faultf("%v", err)
			return
		}
		steps = append(slices.Clip(before), steps...)
		switch {
		case values.IsMapping():
			x.readAxes(values, steps)
		case !values.IsList():
			values.Faultf("found %s, want a list of values", values.Describe())
		case values.Len() == 0:
			values.Faultf("want at least one value")
		default:
			x.readAxis(&axis{key: key, values: each(values)}, steps)
		}
	})
}

// readAxis finds what the axis at a path is of, and adds it.
func (x *expansion) readAxis(a *axis, steps []any) {
	first := make(map[string]int)
	for i, v := range a.values {
		value := v.Canonical()
		if j, again := first[value]; again {
			v.Faultf("%s is in the list already, at [%d]", v.Short(), j)
			return
		}
		first[value] = i
	}
	if len(steps) == 1 && (steps[0] == "seed" || steps[0] == "seeds") {
		x.readSeeds(a)
		return
	}
	a.path = strictyaml.PathOf(steps...)
	var err error
	if a.list, a.entry, a.steps, err = x.option(steps); err != nil {
		a.key.Faultf("%v", err)
		return
	}
	if v := x.root.At(a.list, a.entry).At(a.steps...); v.Assigned() && !a.values[0].Assigned() {
		a.values, a.written = []strictyaml.Value{v}, a.values
	}
	for i, b := range x.axes {
		switch {
		case b.list != a.list || b.entry != a.entry || !overlap(a.steps, b.steps):
			continue
		case len(a.steps) == len(b.steps) && a.key.Assigned() && !b.key.Assigned():
			a.written = b.values
			x.axes[i] = a
			return
		}
		a.key.Faultf("sets what the axis %s sets too; want one of them", b.key.Path())
		return
	}
	x.axes = append(x.axes, a)
}

func (x *expansion) readSeeds(a *axis) {
	for _, key := range []string{"seed", "seeds"} {
		if at := x.root.At(key); at.Exists() {
			a.key.Faultf("%s is set too; want one of them", key)
			return
		}
	}
	if x.seeds != nil {
		a.key.Faultf("the axis %s gives the seeds already", x.seeds.key.Path())
		return
	}
	x.seeds = a
}

// option finds the entry, and the option in it, that a path leads to.
func (x *expansion) option(steps []any) (list string, entry int, within []any, err error) {
	list, _ = steps[0].(string)
	switch {
	case !slices.Contains(entryLists, list):
		return "", 0, nil, errors.New(suggest.Unknown("list", strictyaml.PathOf(steps[0]), slices.Concat(entryLists, []string{"seed"})))
	case len(steps) < 3 || steps[2] != "options":
		return "", 0, nil, fmt.Errorf("want the path of an option of an entry, such as %s.NAME.options.OPTION; entries themselves are in the list %s", list, list)
	}
	entries := x.root.At(list)
	switch step := steps[1].(type) {
	case int:
		if entry = step; entry >= entries.Len() {
			return "", 0, nil, fmt.Errorf("no place [%d] in %s, which has %d", entry, list, entries.Len())
		}
	case string:
		if entry, err = x.entryOf(list, step); err != nil {
			return "", 0, nil, fmt.Errorf("%s: %w", list, err)
		}
	}
	return list, entry, steps[2:], nil
}

// entryOf finds the entry of a list that goes by a name.
func (x *expansion) entryOf(list, name string) (int, error) {
	entries := x.root.At(list)
	if x.labelled[list] == nil {
		x.labelled[list] = make(map[string][]int)
		for i, e := range each(entries) {
			x.labelled[list][labelOf(e)] = append(x.labelled[list][labelOf(e)], i)
		}
	}
	if i := x.labelled[list][name]; len(i) == 1 && entries.IsList() {
		return i[0], nil
	}
	return entries.Entry(name, entryNames...)
}

func (x *expansion) axesOf(list string, entry int) []*axis {
	var axes []*axis
	for _, a := range x.axes {
		if a.list == list && a.entry == entry {
			axes = append(axes, a)
		}
	}
	return axes
}
