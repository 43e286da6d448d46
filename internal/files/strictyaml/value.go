package strictyaml

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"recallbench/internal/text/suggest"
)

// A Value is a place in a document, whether something stands there or not.
type Value struct {
	doc   *Document
	node  *node // nil where the document has nothing
	path  path
	shown path   // the path in messages
	near  origin // of the node, or of the nearest one around it
}

// Root returns the whole document.
func (d *Document) Root() Value { return Value{doc: d}.enter(d.root) }

// enter returns the same place with a node standing at it.
func (v Value) enter(n *node) Value {
	if n.shown != nil {
		v.shown = n.shown
	}
	v.node, v.near = n, n.origin
	return v
}

// Exists tells whether the document has something there.
func (v Value) Exists() bool { return v.node != nil }

// IsMapping tells whether the document has a mapping there.
func (v Value) IsMapping() bool { return v.node != nil && v.node.kind == yaml.MappingNode }

// IsList tells whether the document has a list there.
func (v Value) IsList() bool { return v.node != nil && v.node.kind == yaml.SequenceNode }

// Len returns the number of entries of a list, 0 for anything else.
func (v Value) Len() int {
	if !v.IsList() {
		return 0
	}
	return len(v.node.content)
}

// Text returns the text that the document has there, and whether it has one.
func (v Value) Text() (string, bool) {
	if v.node == nil || !v.node.isText() {
		return "", false
	}
	return v.node.value, true
}

// Describe says what the document has there, such as "a list" or "the number 5".
func (v Value) Describe() string {
	if v.node == nil {
		return "nothing"
	}
	return describe(v.node)
}

// Short writes a value on one line, as a name for it: a text as it is, a list as
// [1, 2], a mapping as {unit=turns, size=3}.
func (v Value) Short() string {
	var b strings.Builder
	if v.node != nil {
		v.node.write(&b)
	}
	return b.String()
}

// Equal reports whether two values are there and hold the same: 5 is 5.0, and not
// "5"; the keys of mappings may be in any order.
func (v Value) Equal(w Value) bool { return v.node != nil && w.node != nil && v.node.equal(w.node) }

// Path returns the path of the value as messages have it.
func (v Value) Path() string { return v.shown.String() }

// Assigned tells whether an assignment brought the value in.
func (v Value) Assigned() bool { return v.node != nil && v.node.assigned }

// Faulty tells whether a fault was found here or below.
func (v Value) Faulty() bool { return v.doc.faulty[v.path.String()] }

// At returns a place within: each step is a key or a place in a list (int).
func (v Value) At(steps ...any) Value {
	for _, step := range steps {
		v = v.inner(step, v.node.within(step))
	}
	return v
}

// inner returns the place within at which a node stands; nil for none.
func (v Value) inner(step any, n *node) Value {
	v.path, v.shown, v.node = v.path.child(step), v.shown.child(step), nil
	if n != nil {
		return v.enter(n)
	}
	return v
}

// within returns the node to which a step leads; nil for none.
func (n *node) within(step any) *node {
	if n == nil {
		return nil
	}
	i, numbered := step.(int)
	if key, ok := step.(string); ok {
		i = n.find(key)
	}
	if i < 0 || i >= len(n.content) || numbered != (n.kind == yaml.SequenceNode) {
		return nil
	}
	return n.content[i]
}

// Keys calls yield for each text key of a mapping, the first where it is given
// twice, with its place for faults and its value. It records the faults of the
// other keys.
func (v Value) Keys(yield func(name string, key, value Value)) {
	if !v.IsMapping() {
		return
	}
	first := make(map[string]*node)
	for i, k := range v.node.keys {
		at, value := v, v.node.content[i]
		at.near = k.origin
		switch before := first[k.value]; {
		case k.tag == mergeTag:
			at.Faultf("<< merges %s; want an alias of a mapping, such as *base, or a list of them", describe(value))
		case !k.isText():
			at.Faultf("a key is %s; want text", describe(k))
		case before != nil:
			at.Faultf("key %q is given twice, first at %d:%d", shorten(k.value), before.line, before.col)
		default:
			first[k.value] = k
			inner := v.inner(k.value, value)
			at.path, at.shown = inner.path, inner.shown
			yield(k.value, at, inner)
		}
	}
}

// Faultf records a fault of this place.
func (v Value) Faultf(format string, args ...any) {
	f := Fault{File: v.near.from, Path: v.shown.String(), Msg: fmt.Sprintf(format, args...)}
	if !v.near.assigned {
		f.Line, f.Col = v.near.line, v.near.col
	}
	v.adopt(f)
}

// adopt records a fault that lies here.
func (v Value) adopt(faults ...Fault) {
	v.doc.faults = append(v.doc.faults, faults...)
	for i := range len(v.path) + 1 {
		v.doc.faulty[v.path[:i].String()] = true
	}
}

// Adopt records the faults of a file that the value names.
func (v Value) Adopt(err *Error) { v.adopt(err.Faults...) }

// Entry finds the entry of a list that goes by a name, as [Document.Set] does.
func (v Value) Entry(name string, names ...string) (int, error) {
	if !v.IsList() {
		return 0, fmt.Errorf("found %s, which has no entry %q", v.Describe(), name)
	}
	return v.node.entry(name, names)
}

// entry finds the entry of a list that goes by a name: of that which the first of its
// keys in names holds or, where no entry has it, of that which any of them holds. A
// number that is no name is a place.
func (n *node) entry(name string, names []string) (int, error) {
	var have []string
	var named, mentions []int
	for i, c := range n.content {
		var values []string
		for _, key := range names {
			if v := c.within(key); v != nil && v.kind == yaml.ScalarNode {
				values = append(values, v.value)
			}
		}
		values = append(values, "["+strconv.Itoa(i)+"]")
		have = append(have, values[0])
		if values[0] == name {
			named = append(named, i)
		}
		if slices.Contains(values, name) {
			mentions = append(mentions, i)
		}
	}
	if len(named) == 0 {
		named = mentions
	}
	switch len(named) {
	case 1:
		return named[0], nil
	case 0:
		if i, err := strconv.Atoi(name); err == nil && 0 <= i && i < len(n.content) {
			return i, nil
		}
		return 0, errors.New(suggest.Unknown("entry", name, have))
	}
	var places []string
	for _, i := range named {
		places = append(places, fmt.Sprintf("[%d] %q", i, have[i]))
	}
	return 0, fmt.Errorf("%q may be any of %s; name one by its place or label", name, strings.Join(places, ", "))
}
