package strictyaml

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"recallbench/internal/calc/lists"
	"recallbench/internal/text/suggest"
)

// A Value is a place in a document, whether it has a value or not.
type Value struct {
	doc  *Document
	node *node  // nil if the document has nothing
	at   origin // of the node, or of the nearest one around it with the path from there
}

// Root returns the whole document.
func (d *Document) Root() Value { return Value{d, d.root, d.root.origin} }

// Exists reports whether the document has a value there.
func (v Value) Exists() bool { return v.node != nil }

// IsMapping reports whether the document has a mapping there.
func (v Value) IsMapping() bool { return v.node != nil && v.node.kind == yaml.MappingNode }

// IsList reports whether the document has a list there.
func (v Value) IsList() bool { return v.node != nil && v.node.kind == yaml.SequenceNode }

// Each returns the values of a list, none of anything else.
func (v Value) Each() []Value {
	if !v.IsList() {
		return nil
	}
	return lists.Map(v.node.content, v.of)
}

// of returns the value of another node.
func (v Value) of(n *node) Value { return Value{v.doc, n, n.origin} }

// Text returns the text that the document has there, and whether it has one.
func (v Value) Text() (string, bool) {
	if v.node == nil || !v.node.isText() {
		return "", false
	}
	return v.node.value, true
}

// Describe describes the value in the document, such as "a list" or "the number 5".
func (v Value) Describe() string { return describe(v.node) }

// Short writes a value on one line, as a name for it: a text unchanged, a list
// as [1, 2], a mapping as {unit=turns, size=3}.
func (v Value) Short() string {
	if v.node == nil {
		return ""
	}
	return v.node.String()
}

// Path returns the path at which the value was written.
func (v Value) Path() string { return v.at.path.String() }

// Assigned reports whether the value comes from an assignment.
func (v Value) Assigned() bool { return v.node != nil && v.node.assigned }

// Faulty reports whether a fault was found here or below.
func (v Value) Faulty() bool { return v.doc.faulty[v.Path()] }

// At returns a place inside: each step is a key or an index in a list (int).
func (v Value) At(steps ...any) Value {
	for _, step := range steps {
		if v.node = v.node.within(step); v.node != nil {
			v.at = v.node.origin
		} else {
			v.at.path = v.at.path.child(step)
		}
	}
	return v
}

// Keys calls yield for each text key of a mapping, the first of duplicates,
// with its place for faults and its value. It records faults for all other
// keys.
func (v Value) Keys(yield func(name string, key, value Value)) {
	if !v.IsMapping() {
		return
	}
	first := make(map[string]*node)
	for i, k := range v.node.keys {
		key, value := v.of(k), v.of(v.node.content[i])
		key.at.path = v.at.path
		switch before := first[k.value]; {
		case k.tag == mergeTag:
			key.Faultf("<< merges %s; want an alias of a mapping, such as *base, or a list of them", value.Describe())
		case !k.isText():
			key.Faultf("a key is %s; want text", describe(k))
		case before != nil:
			key.Faultf("key %q is given twice, first at %d:%d", shorten(k.value), before.line, before.col)
		default:
			first[k.value] = k
			key.at.path = k.path
			yield(k.value, key, value)
		}
	}
}

// Faultf records a fault of this place.
func (v Value) Faultf(format string, args ...any) {
	f := Fault{File: v.at.file, Path: v.Path(), Msg: fmt.Sprintf(format, args...)}
	if !v.at.assigned {
		f.Line, f.Col = v.at.line, v.at.col
	}
	v.adopt(f)
}

// adopt records faults that lie here.
func (v Value) adopt(faults ...Fault) {
	v.doc.faults = append(v.doc.faults, faults...)
	for i := range len(v.at.path) + 1 {
		v.doc.faulty[v.at.path[:i].String()] = true
	}
}

// Adopt records the error of a file that the value names: its faults, or itself.
func (v Value) Adopt(err error) {
	if e, ok := errors.AsType[*Error](err); ok {
		v.adopt(e.Faults...)
		return
	}
	v.Faultf("%v", err)
}

// Locate replaces names of entries in a path by their indexes, as far as the path leads.
// An entry of a list of mappings is identified by the first of its keys in names or, if
// no entry has that name, by any of them.
func (v Value) Locate(steps []any, names ...string) (located []any, err error) {
	for _, step := range steps {
		if name, ok := step.(string); ok && v.IsList() {
			if step, err = v.node.entry(name, names); err != nil {
				return nil, err
			}
		}
		located, v = append(located, step), v.At(step)
	}
	return located, nil
}

// entry finds the entry of a list that goes by a name. A number that is not a name is a place.
func (n *node) entry(name string, names []string) (int, error) {
	var have []string // their first names
	var named, mentions []int
	for i, c := range n.content {
		var values []string
		for _, key := range names {
			if v := c.within(key); v != nil && v.kind == yaml.ScalarNode {
				values = append(values, v.value)
			}
		}
		have = append(have, append(values, path{i}.String())[0])
		if have[i] == name {
			named = append(named, i)
		}
		if have[i] == name || slices.Contains(values, name) {
			mentions = append(mentions, i)
		}
	}
	if len(named) == 0 {
		named = mentions
	}
	i, err := strconv.Atoi(name)
	switch {
	case len(named) == 1:
		return named[0], nil
	case len(named) > 1:
		places := lists.Map(named, func(i int) string { return fmt.Sprintf("[%d] %q", i, have[i]) })
		return 0, n.path.fault("%q may be any of %s; use the index or label of one", name, strings.Join(places, ", "))
	case err == nil && 0 <= i && i < len(have):
		return i, nil
	}
	return 0, n.path.fault("%s", suggest.Unknown("entry", name, have))
}

// With returns the value with another one at a place inside, which keeps its own
// position and path in faults. Missing keys are added as if they were written at key. Where
// there is no such place, that is a fault of the key.
func (v Value) With(value, key Value, steps ...any) Value {
	changed := newNode(v.at, yaml.MappingNode, "!!map", "")
	if v.node != nil {
		changed = v.node.clone()
	}
	if err := changed.set(value.node, steps, key.at); err != nil {
		key.Faultf("%v", err)
		return v
	}
	v.node = changed
	return v
}
