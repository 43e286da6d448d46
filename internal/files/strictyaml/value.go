package strictyaml

import (
	"fmt"

	"go.yaml.in/yaml/v4"
)

// A Value is a place in a document, whether something stands there or not.
type Value struct {
	doc  *Document
	node *yaml.Node // aliases followed; nil where the document has nothing
	path path
	// shown is the path in messages: another one where a copy stands for what was
	// written elsewhere.
	shown path
	near  *yaml.Node // for the position: node, or the nearest one around it
	// origin is what brought near in; empty for the document's own file.
	origin origin
}

// Root returns the whole document.
func (d *Document) Root() Value {
	return Value{doc: d}.enter(d.root)
}

// enter returns the same place with a node standing at it.
func (v Value) enter(n *yaml.Node) Value {
	for {
		if origin, ok := v.doc.origin[n]; ok {
			v.origin = origin
		}
		if place, ok := v.doc.places[n]; ok {
			v.shown = place
		}
		if n.Kind != yaml.AliasNode {
			break
		}
		n = n.Alias
	}
	v.node, v.near = n, n
	return v
}

// Exists tells whether the document has something there.
func (v Value) Exists() bool { return v.node != nil }

// IsMapping tells whether the document has a mapping there.
func (v Value) IsMapping() bool { return v.node != nil && v.node.Kind == yaml.MappingNode }

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

func (v Value) inner(step any) *yaml.Node {
	if v.node == nil {
		return nil
	}
	switch step := step.(type) {
	case int:
		if v.node.Kind == yaml.SequenceNode && step < len(v.node.Content) {
			return v.node.Content[step]
		}
	case string:
		return v.doc.value(v.node, step)
	}
	return nil
}

// value returns the value of a key of a mapping, or nil.
func (d *Document) value(n *yaml.Node, key string) *yaml.Node {
	values, ok := d.index[n]
	if !ok {
		values = make(map[string]*yaml.Node)
		for _, p := range pairs(n) {
			if k := follow(p.key); isText(k) && values[k.Value] == nil {
				values[k.Value] = p.value
			}
		}
		d.index[n] = values
	}
	return values[key]
}

// key returns the place for faults of a key rather than of its value.
func (v Value) key(n *yaml.Node) Value {
	v.near = n
	if origin, ok := v.doc.origin[n]; ok {
		v.origin = origin
	}
	return v
}

// Faultf records a fault of this place.
func (v Value) Faultf(format string, args ...any) {
	f := Fault{File: v.doc.name, Path: v.shown.String(), Msg: fmt.Sprintf(format, args...)}
	if v.origin.name != "" {
		f.File = v.origin.name
	}
	if v.near != nil && (v.origin.name == "" || v.origin.file) {
		f.Line, f.Col = v.near.Line, v.near.Column
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
