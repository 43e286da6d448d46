package config

import (
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/strictyaml"
	"recallbench/internal/text/suggest"
)

// A mention is something that a condition names, a label or a seed, and what it
// is written as.
type mention struct {
	text string
	part strictyaml.Part
}

// exclude writes the conditions of the document in labels: a single value
// becomes a list of one, a label as it is written those of its copies, and an
// axis with a value the labels of the copies with it. A condition on what the
// command line has replaced is left out.
func (x *expansion) exclude() {
	list := x.root.At("exclude")
	if !list.IsList() {
		return // decoding says so
	}
	var all []strictyaml.Part
	for _, at := range each(list) {
		if !at.IsMapping() {
			all = append(all, at.Copy())
		} else if part, holds := x.condition(at); holds {
			all = append(all, part)
		}
	}
	x.doc.Put("exclude", list.Many(all))
}

// condition writes one condition in labels, and reports whether it can hold.
func (x *expansion) condition(at strictyaml.Value) (part strictyaml.Part, holds bool) {
	part, holds = at.Copy(), true
	found := make(map[string][]mention)
	at.Keys(func(name string, key, value strictyaml.Value) {
		part.Remove(name)
		mentions, ok := x.mentions(&name, key, value)
		if !ok {
			return
		}
		holds = holds && (len(mentions) > 0 || value.IsList() && value.Len() == 0)
		if before, again := found[name]; again {
			if mentions = common(before, mentions); len(mentions) == 0 && holds {
				key.Faultf("no %s has all that the condition says", name)
			}
		}
		found[name] = mentions
		parts := lists.Map(mentions, func(m mention) strictyaml.Part { return m.part })
		if err := part.Set(key.Many(parts), key, []any{name}); err != nil {
			key.Faultf("%v", err)
		}
	})
	return part, holds
}

// mentions returns what a key of a condition names; ok is false for a fault,
// which is recorded. The name of a path becomes that of the key for its list.
func (x *expansion) mentions(name *string, key, value strictyaml.Value) (all []mention, ok bool) {
	if *name == "seed" {
		return x.seedsOf(value), true
	}
	for _, list := range entryLists {
		if *name == title(list) {
			return x.labelsOf(list, value), true
		}
	}
	a := x.axisAt(*name)
	if a == nil {
		have := []string{"dataset", "method", "model", "seed"}
		for _, b := range x.axes {
			have = append(have, b.path)
		}
		key.Faultf("%s", suggest.Unknown("key", *name, have))
		return nil, false
	}
	*name = title(a.list)
	values := each(value)
	if slices.ContainsFunc(slices.Concat(a.values, a.written), value.Equal) {
		values = []strictyaml.Value{value} // also one that is itself a list
	}
	for _, v := range values {
		i := slices.IndexFunc(a.values, v.Equal)
		if i < 0 && !slices.ContainsFunc(a.written, v.Equal) {
			v.Faultf("the axis has no value %s; have %s", v.Short(), strings.Join(shorts(a.values), ", "))
			return nil, false
		}
		for _, m := range x.made[a.list] {
			if i >= 0 && m.from == a.entry && m.at.on(a) == i {
				all = append(all, mention{m.label, v.Of(m.label)})
			}
		}
	}
	return all, true
}

func (x *expansion) seedsOf(value strictyaml.Value) (all []mention) {
	replaced := x.root.At("seed").Assigned() || x.root.At("seeds").Assigned() || x.seeds != nil && x.seeds.key.Assigned()
	have := append(each(x.root.At("seeds")), x.root.At("seed"))
	if x.seeds != nil {
		have = x.seeds.values
	}
	for _, v := range each(value) {
		if !replaced || slices.ContainsFunc(have, v.Equal) {
			all = append(all, mention{v.Short(), v.Copy()})
		}
	}
	return all
}

// labelsOf returns the labels of a list that a condition names. One that an entry
// or a row has as it is written stands for those of all its copies.
func (x *expansion) labelsOf(list string, value strictyaml.Value) (all []mention) {
	entries := x.root.At(list)
	add := func(m mention) {
		if !slices.ContainsFunc(all, func(n mention) bool { return n.text == m.text }) {
			all = append(all, m)
		}
	}
	for _, v := range each(value) {
		label, isText := v.Text()
		known := false
		for _, m := range x.made[list] {
			written := labelOf(entries.At(m.from))
			if m.row != nil {
				written = m.row.label
			}
			if isText && (label == written || label == m.label) {
				known = true
				add(mention{m.label, v.Of(m.label)})
			}
		}
		is := func(e strictyaml.Value) bool { return labelOf(e) == label }
		if !known && (!isText || !entries.Assigned() || slices.ContainsFunc(each(entries), is)) {
			add(mention{v.Short(), v.Copy()})
		}
	}
	return all
}

// axisAt returns the axis that a path names; nil for none.
func (x *expansion) axisAt(path string) *axis {
	steps, err := strictyaml.Steps(path)
	if err != nil {
		return nil
	}
	list, entry, within, err := x.option(steps)
	if err != nil {
		return nil
	}
	for _, a := range x.axesOf(list, entry) {
		if slices.Equal(a.steps, within) {
			return a
		}
	}
	return nil
}

// each returns the values of a list, or the one value that is no list.
func each(value strictyaml.Value) []strictyaml.Value {
	if !value.IsList() {
		return []strictyaml.Value{value}
	}
	var all []strictyaml.Value
	for i := range value.Len() {
		all = append(all, value.At(i))
	}
	return all
}

// common returns those of b that a mentions too.
func common(a, b []mention) []mention {
	return slices.DeleteFunc(b, func(m mention) bool {
		return !slices.ContainsFunc(a, func(n mention) bool { return n.text == m.text })
	})
}

// shorts writes values as faults do.
func shorts(values []strictyaml.Value) []string {
	return lists.Map(values, strictyaml.Value.Short)
}
