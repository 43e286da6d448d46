package strictyaml

import (
	"fmt"

	"go.yaml.in/yaml/v4"
)

// A Value is a place in a document, whether something stands there or not.
type Value struct {
	doc  *Document
	node *node // nil where the document has nothing
	path path
	// shown is the path in messages: another one where a copy stands for what was
	// written elsewhere.
	shown path
	near  *node // for the position: node, or the nearest one around it
}

// Root returns the whole document.
func (d *Document) Root() Value { return Value{doc: d}.enter(d.root) }

// enter returns the same place with a node standing at it.
func (v Value) enter(n *node) Value {
	if n.copied {
		v.shown = n.shown
	}
	v.node, v.near = n, n
	return v
}

// Exists tells whether the document has something there.
func (v Value) Exists() bool { return v.node != nil }

// IsMapping tells whether the document has a mapping there.
func (v Value) IsMapping() bool { return v.node != nil && v.node.kind == yaml.MappingNode }

// Faulty tells whether a fault was found here or below.
func (v Value) Faulty() bool { return v.doc.faulty[v.path.String()] }

// At returns a place within: each step is a key or a place in a list (int).
func (v Value) At(steps ...any) Value {
	for _, step := range steps {
		inner := v.inner(step)
		v.path, v.shown, v.node = v.path.child(step), v.shown.child(step), nil
		if inner != nil {
			v = v.enter(inner)
		}
	}
	return v
}

func (v Value) inner(step any) *node {
	if v.node == nil {
		return nil
	}
	switch step := step.(type) {
	case int:
		if v.node.kind == yaml.SequenceNode && step < len(v.node.content) {
			return v.node.content[step]
		}
	case string:
		if i := v.node.find(step); i >= 0 {
			return v.node.content[i]
		}
	}
	return nil
}

// key returns the place for faults of a key rather than of its value.
func (v Value) key(n *node) Value {
	v.near = n
	return v
}

// keys calls yield for each text key of a mapping with its node, the first
// where it is given twice, and records the faults of the others.
func (v Value) keys(yield func(key string, node *node)) {
	for i, key := range v.node.keys {
		switch first := v.node.find(key.value); {
		case key.tag == mergeTag:
			v.key(v.node.content[i]).Faultf("<< merges %s; want an alias of a mapping, such as *base, or a list of them", describe(v.node.content[i]))
		case !key.isText():
			v.key(key).Faultf("a key is %s; want text", describe(key))
		case first != i:
			before := v.node.keys[first]
			v.key(key).Faultf("key %q is given twice, first at %d:%d", shorten(key.value), before.line, before.col)
		default:
			yield(key.value, key)
		}
	}
}

// Faultf records a fault of this place.
func (v Value) Faultf(format string, args ...any) {
	f := Fault{File: v.near.from.name, Path: v.shown.String(), Msg: fmt.Sprintf(format, args...)}
	if v.near.from.file {
		f.Line, f.Col = v.near.line, v.near.col
	}
	v.doc.faults = append(v.doc.faults, f)
	v.blame()
}

// blame notes that a fault lies here.
func (v Value) blame() {
	for i := range len(v.path) + 1 {
		v.doc.faulty[v.path[:i].String()] = true
	}
}
