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
func (x *expansion) exclude(doc *strictyaml.Document) {
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
	doc.Put("exclude", list.Many(all))
}

// condition writes one condition in labels, and reports whether it can hold.
func (x *expansion) condition(at strictyaml.Value) (part strictyaml.Part, holds bool) {
	part, holds = at.Copy(), true
	found := make(map[string][]mention)
	at.Keys(func(name string, key, value strictyaml.Value) {
		part.Remove(name)
		name, mentions := x.mentions(name, key, value)
		if name == "" {
			return
		}
		holds = holds && (len(mentions) > 0 || value.IsList() && value.Len() == 0)
		if before, again := found[name]; again {
			mentions = lists.Filter(mentions, func(m mention) bool {
				return slices.ContainsFunc(before, func(b mention) bool { return b.text == m.text })
			})
			if len(mentions) == 0 && holds {
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

// mentions returns what a key of a condition names, and the key for labels or seeds that
// says the same; an empty one for a fault, which is recorded.
func (x *expansion) mentions(name string, key, value strictyaml.Value) (as string, all []mention) {
	if name == "seed" {
		return name, x.seedsOf(value)
	}
	for _, list := range entryLists {
		if name == title(list) {
			return name, x.labelsOf(list, value)
		}
	}
	a := x.axisAt(name)
	if a == nil {
		have := append([]string{"dataset", "method", "model", "seed"}, lists.Map(x.axes, func(a *axis) string { return a.path })...)
		key.Faultf("%s", suggest.Unknown("key", name, have))
		return "", nil
	}
	values := each(value)
	if slices.ContainsFunc(a.values, value.Equal) {
		values = []strictyaml.Value{value} // also one that is itself a list
	}
	for _, v := range values {
		i := slices.IndexFunc(a.values, v.Equal)
		if i < 0 && !a.replaced {
			v.Faultf("the axis has no value %s; have %s", v.Short(), strings.Join(lists.Map(a.values, strictyaml.Value.Short), ", "))
			return "", nil
		}
		for _, m := range x.made[a.list] {
			if j, on := m.on[a]; on && j == i {
				all = append(all, mention{m.label, v.Of(m.label)})
			}
		}
	}
	return title(a.list), all
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
	o, err := x.option(steps)
	if i := slices.IndexFunc(x.axes, func(a *axis) bool { return a.is(o) }); err == nil && i >= 0 {
		return x.axes[i]
	}
	return nil
}
