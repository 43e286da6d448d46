package config

import (
	"slices"

	"recallbench/internal/files/strictyaml"
)

// A row is a further entry that include makes of an entry, such as an ablation.
type row struct {
	name    strictyaml.Value // the place of the label
	label   string
	list    string
	entry   int
	changes []change
}

// A change is a value that a row gives an option.
type change struct {
	key, value strictyaml.Value
	steps      []any
}

func (x *expansion) readRows() {
	at := x.root.At("include")
	if at.Exists() && !at.IsList() {
		at.Faultf("found %s, want a list of rows such as {label: without reranking, methods.NAME.options.OPTION: false}", at.Describe())
	}
	for i := range at.Len() {
		x.readRow(at.At(i))
	}
}

func (x *expansion) readRow(at strictyaml.Value) {
	if !at.IsMapping() {
		at.Faultf("found %s, want a mapping of a label and of options that it changes", at.Describe())
		return
	}
	r := &row{name: at.At("label")}
	var ok bool
	if r.label, ok = r.name.Text(); !ok {
		r.name.Faultf("found %s, want the row's label, a text", r.name.Describe())
	}
	at.Keys(func(name string, key, value strictyaml.Value) {
		if name != "label" {
			ok = r.change(x, name, key, value) && ok
		}
	})
	switch {
	case !ok:
		return
	case len(r.changes) == 0:
		at.Faultf("no path of an option that it changes, such as methods.NAME.options.OPTION")
		return
	}
	base := x.root.At(r.list, r.entry)
	if of := base.At("variant_of"); of.Exists() {
		r.name.Faultf("%s is itself a variant of %s; make the row of that", labelOf(base), of.Short())
		return
	}
	x.rows = append(x.rows, r)
}

// change adds a change of a row and reports whether it is one.
func (r *row) change(x *expansion, name string, key, value strictyaml.Value) bool {
	steps, err := strictyaml.Steps(name)
	if err != nil {
		key.Faultf("%v", err)
		return false
	}
	list, entry, within, err := x.option(steps)
	if err != nil {
		key.Faultf("%v", err)
		return false
	}
	if len(r.changes) > 0 && (list != r.list || entry != r.entry) {
		key.Faultf("changes another entry than %s; want a row for each", r.changes[0].key.Path())
		return false
	}
	for _, c := range r.changes {
		if overlap(c.steps, within) {
			key.Faultf("changes what %s changes too; want one of them", c.key.Path())
			return false
		}
	}
	for _, a := range x.axesOf(list, entry) {
		if overlap(a.steps, within) && len(a.steps) != len(within) {
			key.Faultf("overlaps with the axis %s; want the same path or another one", a.key.Path())
			return false
		}
	}
	r.list, r.entry = list, entry
	r.changes = append(r.changes, change{key, value, within})
	return true
}

// rowsOf returns the rows that are made of an entry.
func (x *expansion) rowsOf(list string, entry int) []*row {
	var rows []*row
	for _, r := range x.rows {
		if r.list == list && r.entry == entry {
			rows = append(rows, r)
		}
	}
	return rows
}

// sets reports whether the row gives the option of an axis a value itself.
func (r *row) sets(a *axis) bool {
	return slices.ContainsFunc(r.changes, func(c change) bool { return slices.Equal(c.steps, a.steps) })
}

// free returns those of an entry's axes along which the row is copied: all whose
// option it does not set itself.
func (r *row) free(axes []*axis) []*axis {
	return slices.DeleteFunc(slices.Clone(axes), r.sets)
}

// pinned adds to a point on the free axes those values that the row sets itself
// and an axis has.
func (r *row) pinned(p point, axes []*axis) point {
	var all point
	for _, a := range axes {
		if i := p.on(a); i >= 0 {
			all = append(all, choice{a, i})
			continue
		}
		for _, c := range r.changes {
			if j := slices.IndexFunc(a.values, c.value.Equal); j >= 0 && slices.Equal(c.steps, a.steps) {
				all = append(all, choice{a, j})
			}
		}
	}
	return all
}

// variantOf returns the label of the method that the row at a point is a variant
// of: the copy that has the same values on all axes, if there is one.
func (r *row) variantOf(at point, axes []*axis, base string) (string, bool) {
	if r.list != "methods" || len(at) < len(axes) {
		return "", false
	}
	return base + at.suffix(), true
}
