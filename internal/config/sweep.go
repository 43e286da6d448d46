package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"recallbench/internal/files/strictyaml"
	"recallbench/internal/text/suggest"
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

// maxCells is the largest number of cells that a sweep may make.
const maxCells = 10_000

// An expansion makes the lists of a document from its matrix, include and
// exclude.
type expansion struct {
	root  strictyaml.Value
	axes  []*axis
	seeds *axis // nil where the matrix has none
	rows  []*row
	made  map[string][]made // by list
}

// An option is a place within an entry.
type option struct {
	list  string
	entry int   // its place in the list
	steps []any // from the entry
}

// overlaps reports whether one option lies within the other, or is the same.
func (o option) overlaps(p option) bool {
	n := min(len(o.steps), len(p.steps))
	return o.list == p.list && o.entry == p.entry && slices.Equal(o.steps[:n], p.steps[:n])
}

func (o option) is(p option) bool { return o.overlaps(p) && len(o.steps) == len(p.steps) }

// An axis is a list of values for an option of an entry, or of seeds.
type axis struct {
	option
	key      strictyaml.Value
	values   []strictyaml.Value
	replaced bool     // by values of the command line
	path     string   // as it is written, at once
	short    string   // its name in labels
	names    []string // those of the values
}

// A row is a further entry that include makes of an entry, such as an ablation.
type row struct {
	name    strictyaml.Value // the place of the label
	label   string
	changes []change
}

// A change is a value that a row gives an option.
type change struct {
	option
	key, value strictyaml.Value
}

// A made entry is an entry of the lists to be run.
type made struct {
	label string
	from  int           // place in the written list of what it is a copy of
	row   *row          // that changed it; nil for none
	on    map[*axis]int // places of its values
}

// expand carries out matrix, include and exclude. It reports whether lists were
// changed.
func expand(doc *strictyaml.Document) bool {
	x := &expansion{root: doc.Root(), made: make(map[string][]made)}
	if !x.root.IsMapping() {
		return false
	}
	matrix, include := x.root.At("matrix"), x.root.At("include")
	if matrix.Exists() && !matrix.IsMapping() {
		matrix.Faultf("found %s, want a mapping from paths such as methods.flat-rag.options.k to lists of values", matrix.Describe())
	}
	x.readAxes(matrix, nil)
	for _, a := range x.axes {
		a.name(x.axesOf(a.list, a.entry))
	}
	if include.Exists() && !include.IsList() {
		include.Faultf("found %s, want a list of rows such as {label: without reranking, methods.NAME.options.OPTION: false}", include.Describe())
	}
	for i := range include.Len() {
		x.readRow(include.At(i))
	}
	changes := len(x.axes)+len(x.rows) > 0 || x.seeds != nil
	if changes && !x.makeAll(doc) {
		return false
	}
	x.exclude(doc)
	return changes
}

// readAxes reads the axes of a mapping that lies at a path: a path may be
// written at once or as mappings within each other.
func (x *expansion) readAxes(at strictyaml.Value, before []any) {
	at.Keys(func(name string, key, values strictyaml.Value) {
		steps, err := strictyaml.Steps(name)
		steps = append(slices.Clip(before), steps...)
		switch {
		case err != nil:
			key.Faultf("%v", err)
		case values.IsMapping():
			x.readAxes(values, steps)
		case !values.IsList():
			values.Faultf("found %s, want a list of values", values.Describe())
		case values.Len() == 0:
			values.Faultf("want at least one value")
		default:
			if err := x.readAxis(&axis{key: key, values: each(values)}, steps); err != nil {
				key.Faultf("%v", err)
			}
		}
	})
}

// readAxis finds what the axis at a path is of, and adds it. What an assignment of the
// command line gives the option is then its only value.
func (x *expansion) readAxis(a *axis, steps []any) (err error) {
	for i, v := range a.values {
		if j := slices.IndexFunc(a.values[:i], v.Equal); j >= 0 {
			v.Faultf("%s is in the list already, at [%d]", v.Short(), j)
			return nil
		}
	}
	if len(steps) == 1 && (steps[0] == "seed" || steps[0] == "seeds") {
		for _, key := range []string{"seed", "seeds"} {
			if x.root.At(key).Exists() {
				return fmt.Errorf("%s is set too; want one of them", key)
			}
		}
		if x.seeds != nil {
			return fmt.Errorf("the axis %s gives the seeds already", x.seeds.key.Path())
		}
		x.seeds = a
		return nil
	}
	if a.option, err = x.option(steps); err != nil {
		return err
	}
	a.path = strictyaml.PathOf(steps...)
	a.replaced = a.key.Assigned() || a.values[0].Assigned()
	if v := x.root.At(a.list, a.entry).At(a.steps...); v.Assigned() && !a.values[0].Assigned() {
		a.values, a.replaced = []strictyaml.Value{v}, true
	}
	for i, b := range x.axes {
		switch {
		case !a.overlaps(b.option):
		case a.is(b.option) && a.key.Assigned() && !b.key.Assigned():
			x.axes[i] = a
			return nil
		default:
			return fmt.Errorf("sets what the axis %s sets too; want one of them", b.key.Path())
		}
	}
	x.axes = append(x.axes, a)
	return nil
}

// option finds the entry, and the option in it, that a path leads to.
func (x *expansion) option(steps []any) (o option, err error) {
	list, _ := steps[0].(string)
	switch {
	case !slices.Contains(entryLists, list):
		return o, errors.New(suggest.Unknown("list", strictyaml.PathOf(steps[0]), slices.Concat(entryLists, []string{"seed"})))
	case len(steps) < 3 || steps[2] != "options":
		return o, fmt.Errorf("want the path of an option of an entry, such as %s.NAME.options.OPTION; entries themselves are in the list %s", list, list)
	}
	entries := x.root.At(list)
	entry, numbered := steps[1].(int)
	if numbered && entry >= entries.Len() {
		return o, fmt.Errorf("no place [%d] in %s, which has %d", entry, list, entries.Len())
	}
	if name, ok := steps[1].(string); ok {
		if entry, err = entries.Entry(name, entryNames...); err != nil {
			return o, fmt.Errorf("%s: %w", list, err)
		}
	}
	return option{list, entry, steps[2:]}, nil
}

func (x *expansion) axesOf(list string, entry int) (axes []*axis) {
	for _, a := range x.axes {
		if a.list == list && a.entry == entry {
			axes = append(axes, a)
		}
	}
	return axes
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
			strings.TrimSpace(name) != name || strings.ContainsFunc(name, unicode.IsControl) || !utf8.ValidString(name) {
			a.names[i] = fmt.Sprintf("#%d", i+1)
		}
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
		if name == "label" {
			return
		}
		if err := x.addChange(r, name, key, value); err != nil {
			key.Faultf("%v", err)
			ok = false
		}
	})
	switch {
	case !ok:
	case len(r.changes) == 0:
		at.Faultf("no path of an option that it changes, such as methods.NAME.options.OPTION")
	default:
		base := x.root.At(r.changes[0].list, r.changes[0].entry)
		if of := base.At("variant_of"); of.Exists() {
			r.name.Faultf("%s is itself a variant of %s; make the row of that", labelOf(base), of.Short())
			return
		}
		x.rows = append(x.rows, r)
	}
}

// addChange adds what a key of a row changes.
func (x *expansion) addChange(r *row, name string, key, value strictyaml.Value) error {
	steps, err := strictyaml.Steps(name)
	if err != nil {
		return err
	}
	o, err := x.option(steps)
	if err != nil {
		return err
	}
	for _, c := range r.changes {
		switch {
		case o.list != c.list || o.entry != c.entry:
			return fmt.Errorf("changes another entry than %s; want a row for each", c.key.Path())
		case o.overlaps(c.option):
			return fmt.Errorf("changes what %s changes too; want one of them", c.key.Path())
		}
	}
	for _, a := range x.axes {
		if a.overlaps(o) && !a.is(o) {
			return fmt.Errorf("overlaps with the axis %s; want the same path or another one", a.key.Path())
		}
	}
	r.changes = append(r.changes, change{o, key, value})
	return nil
}

// rowsOf returns the rows that are made of an entry.
func (x *expansion) rowsOf(list string, entry int) (rows []*row) {
	for _, r := range x.rows {
		if r.changes[0].list == list && r.changes[0].entry == entry {
			rows = append(rows, r)
		}
	}
	return rows
}

// sets returns what the row itself gives the option of an axis; ok is false for nothing.
func (r *row) sets(a *axis) (value strictyaml.Value, ok bool) {
	i := slices.IndexFunc(r.changes, func(c change) bool { return c.is(a.option) })
	if i < 0 {
		return value, false
	}
	return r.changes[i].value, true
}

// free returns those of an entry's axes along which the row is copied: all whose
// option it does not set itself.
func (r *row) free(axes []*axis) []*axis {
	return slices.DeleteFunc(slices.Clone(axes), func(a *axis) bool {
		_, sets := r.sets(a)
		return sets
	})
}

// points returns every combination of values, the last axis first to change.
func points(axes []*axis) []map[*axis]int {
	all := []map[*axis]int{{}}
	for _, a := range axes {
		var longer []map[*axis]int
		for _, p := range all {
			for i := range a.values {
				q := maps.Clone(p)
				q[a] = i
				longer = append(longer, q)
			}
		}
		all = longer
	}
	return all
}

// suffix is what a combination adds to a label: what can be different.
func suffix(axes []*axis, on map[*axis]int) string {
	var b strings.Builder
	for _, a := range axes {
		if i, ok := on[a]; ok && len(a.names) > 1 {
			b.WriteString(", " + a.short + "=" + a.names[i])
		}
	}
	return b.String()
}

// makeAll puts the made entries in place of those that are written: of each its copies,
// and behind them those of its rows. It reports whether they are not too many.
func (x *expansion) makeAll(doc *strictyaml.Document) bool {
	source := x.root.At("matrix")
	if !source.Exists() {
		source = x.root.At("include")
	}
	if n := x.cells(); n > maxCells {
		source.Faultf("makes %s cells; want at most %d", number(n), maxCells)
		return false
	}
	size := 0
	for _, key := range entryLists {
		list, changed := x.root.At(key), false
		var parts []strictyaml.Part
		for i := range list.Len() {
			axes, rows := x.axesOf(key, i), x.rowsOf(key, i)
			changed = changed || len(axes)+len(rows) > 0
			for _, m := range copies(i, labelOf(list.At(i)), axes, rows) {
				part := m.part(list.At(i), axes)
				parts, x.made[key] = append(parts, part), append(x.made[key], m)
				if size += part.Size(); size > strictyaml.MaxValues {
					source.Faultf("makes entries of more than %d values in all; want fewer combinations", strictyaml.MaxValues)
					return false
				}
			}
		}
		if changed {
			doc.Put(key, list.Many(parts))
		}
	}
	if x.seeds != nil {
		var seeds []strictyaml.Part
		for _, v := range x.seeds.values {
			seeds = append(seeds, v.Copy())
		}
		doc.Put("seeds", x.seeds.key.Many(seeds))
	}
	return true
}

// cells is how many cells the sweep makes, none excluded.
func (x *expansion) cells() float64 {
	volume := func(axes []*axis) float64 {
		n := 1.0
		for _, a := range axes {
			n *= float64(len(a.values))
		}
		return n
	}
	all := max(1, float64(x.root.At("seeds").Len()))
	if x.seeds != nil {
		all = float64(len(x.seeds.values))
	}
	for _, key := range entryLists {
		n := 0.0
		for i := range x.root.At(key).Len() {
			axes := x.axesOf(key, i)
			n += volume(axes)
			for _, r := range x.rowsOf(key, i) {
				n += volume(r.free(axes))
			}
		}
		all *= max(1, n) // an empty list is a fault of its own
	}
	return all
}

// number writes a number that may be very large.
func number(n float64) string {
	if n > 1e15 {
		return "countless"
	}
	return fmt.Sprintf("%.0f", n)
}

// copies returns what is made of an entry: its copies along its axes, and those of its
// rows.
func copies(entry int, label string, axes []*axis, rows []*row) (all []made) {
	for _, p := range points(axes) {
		all = append(all, made{label + suffix(axes, p), entry, nil, p})
	}
	for _, r := range rows {
		for _, p := range points(r.free(axes)) {
			name := r.label + suffix(axes, p)
			for _, a := range axes { // a value that the row sets itself may be on its axis
				if v, sets := r.sets(a); sets {
					if i := slices.IndexFunc(a.values, v.Equal); i >= 0 {
						p[a] = i
					}
				}
			}
			all = append(all, made{name, entry, r, p})
		}
	}
	return all
}

// part is what a made entry is written as. A row of a method is a variant of the copy
// that has the same values on all axes, if there is one.
func (m made) part(entry strictyaml.Value, axes []*axis) strictyaml.Part {
	part := entry.Copy()
	set := func(value strictyaml.Part, at strictyaml.Value, steps ...any) {
		if err := part.Set(value, at, steps, entryNames...); err != nil {
			at.Faultf("%v", err)
		}
	}
	for _, a := range axes {
		i, has := m.on[a]
		if m.row != nil {
			_, sets := m.row.sets(a)
			has = has && !sets
		}
		if has {
			set(a.values[i].Copy(), a.key, a.steps...)
		}
	}
	if m.row == nil {
		if label := entry.At("label"); m.label != labelOf(entry) && labelOf(entry) != "" { // else decoding finds the fault
			set(label.Of(m.label), label, "label")
		}
		return part
	}
	for _, c := range m.row.changes {
		set(c.value.Copy(), c.key, c.steps...)
	}
	set(m.row.name.Of(m.label), m.row.name, "label")
	if m.row.changes[0].list == "methods" && len(m.on) == len(axes) {
		set(m.row.name.Of(labelOf(entry)+suffix(axes, m.on)), m.row.name, "variant_of")
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
