package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/strictyaml"
	"recallbench/internal/text/suggest"
)

// conditions reads what a config excludes. In a condition a label as it is written stands
// for those of its copies, and an axis with a value for the labels of the copies with it.
type conditions struct {
	*Config
	*expansion
	// lenient leaves out conditions on what is not there: the command line may have
	// replaced it.
	lenient bool
}

func (c conditions) read() {
	list := c.root.At("exclude")
	if !list.Exists() {
		return
	}
	if !list.IsList() {
		list.Faultf("found %s, want a list of conditions such as {method: NAME, dataset: NAME}", list.Describe())
		return
	}
	for _, at := range list.Each() {
		if e, holds := c.condition(at); holds {
			c.Exclude = append(c.Exclude, e)
		}
	}
	if len(c.Exclude) == 0 || list.Faulty() {
		return
	}
	for range c.Cells() {
		return
	}
	list.Faultf("leaves no cell to run")
}

// condition reads one condition, and reports whether it can hold.
func (c conditions) condition(at strictyaml.Value) (e Exclusion, holds bool) {
	keys := 0
	labels := map[string]*[]string{"datasets": &e.Dataset, "methods": &e.Method, "models": &e.Model}
	at.Keys(func(name string, key, value strictyaml.Value) {
		keys++
		n := 0
		if name == "seed" {
			e.Seed = c.seedsOf(value)
			n = len(e.Seed)
		} else if list, found := c.labelsOf(name, key, value); list != "" {
			if before := *labels[list]; before != nil {
				found = lists.Filter(found, func(label string) bool { return slices.Contains(before, label) })
			}
			*labels[list], n = found, len(found)
		}
		if n == 0 && !c.lenient && !at.Faulty() {
			key.Faultf("no cell meets the condition")
		}
		holds = n > 0 && (holds || keys == 1)
	})
	if keys == 0 && !at.Faulty() {
		at.Faultf("no condition; want a mapping with at least one of dataset, method, model, seed or an axis of the matrix")
	}
	return e, holds
}

func (c conditions) seedsOf(value strictyaml.Value) (seeds []uint64) {
	for _, v := range value.Each() {
		seed, err := strconv.ParseUint(v.Short(), 10, 64)
		switch {
		case err == nil && slices.Contains(c.EachSeed(), seed):
			seeds = append(seeds, seed)
		case err != nil || !c.lenient:
			v.Faultf("%s is not a seed of the run; have %s", v.Short(), strings.Trim(fmt.Sprint(c.EachSeed()), "[]"))
		}
	}
	return seeds
}

// labelsOf returns the labels that a key of a condition names, and of which list; an empty
// one for a fault, which is recorded.
func (c conditions) labelsOf(name string, key, value strictyaml.Value) (list string, labels []string) {
	for _, list := range entryLists {
		if name != title(list) {
			continue
		}
		for _, v := range value.Each() {
			is := func(m made) bool { return v.Short() == m.label || v.Short() == m.written }
			found := lists.Map(lists.Filter(c.made[list], is), func(m made) string { return m.label })
			if len(found) == 0 && !c.lenient {
				have := lists.Map(c.made[list], func(m made) string { return m.label })
				v.Faultf("%s", suggest.Unknown(name+" label", v.Short(), have))
			}
			labels = lists.AddNew(labels, found...)
		}
		return list, labels
	}
	a := c.axisAt(name)
	if a == nil {
		have := append([]string{"dataset", "method", "model", "seed"}, lists.Map(c.axes, func(a *axis) string { return a.path })...)
		key.Faultf("%s", suggest.Unknown("key", name, have))
		return "", nil
	}
	values := value.Each()
	if place(a.values, value) >= 0 {
		values = []strictyaml.Value{value} // also one that is itself a list
	}
	for _, v := range values {
		i := place(a.values, v)
		if i < 0 && !c.lenient {
			v.Faultf("the axis does not have the value %s; have %s", v.Short(), strings.Join(lists.Map(a.values, strictyaml.Value.Short), ", "))
			return "", nil
		}
		for _, m := range c.made[a.list] {
			if j, on := m.on[a]; on && j == i {
				labels = lists.AddNew(labels, m.label)
			}
		}
	}
	return a.list, labels
}

// axisAt returns the axis that a path names; nil for none.
func (x *expansion) axisAt(path string) *axis {
	steps, err := strictyaml.Steps(path)
	if err != nil {
		return nil
	}
	o, err := x.option(steps)
	if i := slices.IndexFunc(x.axes, func(a *axis) bool { return a.is(o) }); err == nil && i >= 0 {
		return x.axes[i]
	}
	return nil
}
