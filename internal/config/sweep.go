package config

import (
	"strings"

	"recallbench/internal/files/strictyaml"
)

// A file is what a run file may hold: a config, and how it is made.
type file struct {
	Config `yaml:",inline"`
	Sweep  `yaml:",inline"`
}

// A Sweep makes the lists of a config from what is written. [Load] carries it
// out: a [Config] has the lists alone.
type Sweep struct {
	// Extends is a run file, or a list of them, that this one is laid over: keys
	// that it does not have come from there, mappings are merged, lists and all
	// else replaced. Of several, a later one lies over an earlier one.
	Extends any `yaml:"extends,omitempty"`
	// Matrix has lists of values for options of entries, by paths such as
	// methods.flat-rag.options.k: the entry is replaced by copies, one for each
	// combination of its values. The axis seed gives seeds.
	Matrix any `yaml:"matrix,omitempty"`
	// Include has further entries: each has a label and what it changes of an
	// entry, such as methods.flat-rag.options.ranking. One of methods is a variant
	// of the method that it changes.
	Include any `yaml:"include,omitempty"`
}

// entryLists are the keys of the lists of entries, which are crossed.
var entryLists = []string{"datasets", "methods", "models"}

// An expansion makes the lists of a document from its matrix, include and
// exclude.
type expansion struct {
	doc   *strictyaml.Document
	root  strictyaml.Value
	axes  []*axis
	seeds *axis // nil where the matrix has none
	rows  []*row
	made  map[string][]made // by list
	size  int               // values of the entries made so far
	// labelled are the places of entries, by list and label as it is written.
	labelled map[string]map[string][]int
}

// A made entry is an entry of the lists to be run.
type made struct {
	label string
	// from is the place in the written list of what it is a copy of, and row the
	// row of include that changed it; nil for none.
	from int
	row  *row
	at   point
}

// expand carries out matrix, include and exclude. It reports whether lists were
// changed.
func expand(doc *strictyaml.Document) bool {
	x := &expansion{doc: doc, root: doc.Root(), made: make(map[string][]made), labelled: make(map[string]map[string][]int)}
	if !x.root.IsMapping() {
		return false
	}
	x.readMatrix()
	x.readRows()
	changes := len(x.axes)+len(x.rows) > 0 || x.seeds != nil
	if changes {
		if !x.fits() {
			return false
		}
		for _, key := range entryLists {
			if !x.make(key) {
				x.source().Faultf("makes entries of more than %d values in all; want fewer combinations", strictyaml.MaxValues)
				return false
			}
		}
		if x.seeds != nil {
			var seeds []strictyaml.Part
			for _, v := range x.seeds.values {
				seeds = append(seeds, v.Copy())
			}
			doc.Put("seeds", x.seeds.key.Many(seeds))
		}
	}
	x.exclude()
	return changes
}

// make puts the entries of a list in place of those that are written: of each
// its copies, and behind them those of its rows. It reports whether they are not too
// many to be held.
func (x *expansion) make(key string) bool {
	list := x.root.At(key)
	var parts []strictyaml.Part
	add := func(entry strictyaml.Value, m made) bool {
		part := x.part(entry, m)
		parts, x.made[key] = append(parts, part), append(x.made[key], m)
		x.size += part.Size()
		return x.size <= strictyaml.MaxValues
	}
	changed := false
	for i := range list.Len() {
		entry := list.At(i)
		name := labelOf(entry)
		axes := x.axesOf(key, i)
		for p := range points(axes) {
			if !add(entry, made{label: name + p.suffix(), from: i, at: p}) {
				return false
			}
		}
		rows := x.rowsOf(key, i)
		for _, r := range rows {
			for p := range points(r.free(axes)) {
				if !add(entry, made{label: r.label + p.suffix(), from: i, row: r, at: r.pinned(p, axes)}) {
					return false
				}
			}
		}
		changed = changed || len(axes)+len(rows) > 0
	}
	if changed {
		x.doc.Put(key, list.Many(parts))
	}
	return true
}

// part is what a made entry is written as.
func (x *expansion) part(entry strictyaml.Value, m made) strictyaml.Part {
	part := entry.Copy()
	set := func(value strictyaml.Part, at strictyaml.Value, steps ...any) {
		if err := part.Set(value, at, steps, entryNames...); err != nil {
			at.Faultf("%v", err)
		}
	}
	for _, c := range m.at {
		if m.row == nil || !m.row.sets(c.axis) {
			set(c.axis.values[c.value].Copy(), c.axis.key, c.axis.steps...)
		}
	}
	if m.row != nil {
		for _, c := range m.row.changes {
			set(c.value.Copy(), c.key, c.steps...)
		}
		set(m.row.name.Of(m.label), m.row.name, "label")
		if base, ok := m.row.variantOf(m.at, x.axesOf(m.row.list, m.from), labelOf(entry)); ok {
			set(m.row.name.Of(base), m.row.name, "variant_of")
		}
	} else if m.at.suffix() != "" && labelOf(entry) != "" { // else decoding finds the fault
		label := entry.At("label")
		set(label.Of(m.label), label, "label")
	}
	return part
}

// entryNames are the keys that an entry goes by in paths.
var entryNames = []string{"label", "use"}

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

// title returns a list's key as its entries are called: dataset of datasets.
func title(key string) string { return strings.TrimSuffix(key, "s") }
