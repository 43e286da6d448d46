package strictyaml

import (
	"slices"

	"go.yaml.in/yaml/v4"
)

// A Part is a copy of a value that can be changed and put into its document.
// What it holds keeps the file, the position and the path of where it was
// written.
type Part struct {
	doc  *Document
	node *yaml.Node
}

// Copy returns a copy of a value that exists.
func (v Value) Copy() Part { return v.stamp(clone(v.node, v.doc)) }

// Of returns a text that stands for what was written at the value.
func (v Value) Of(s string) Part {
	n := text(s)
	if v.near != nil {
		n.Line, n.Column = v.near.Line, v.near.Column
	}
	return v.stamp(n)
}

// Many returns a list that stands for what was written at the value.
func (v Value) Many(parts []Part) Part {
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	if v.near != nil {
		n.Line, n.Column = v.near.Line, v.near.Column
	}
	for _, p := range parts {
		n.Content = append(n.Content, p.node)
	}
	return v.stamp(n)
}

// stamp notes for a new node where it comes from.
func (v Value) stamp(n *yaml.Node) Part {
	v.doc.origin[n] = v.source()
	v.doc.places[n] = v.shown
	return Part{v.doc, n}
}

// source is what brought the value in, the document's own file included.
func (v Value) source() origin {
	if v.origin.name == "" {
		return origin{name: v.doc.name, file: true}
	}
	return v.origin
}

// Set puts another part at a place within; keys that are not there are added,
// as if they were written at the place at. Entries of lists go by names as in
// [Document.Set]. An error says why there is no such place.
func (p Part) Set(value Part, at Value, steps []any, names ...string) error {
	s := &setter{doc: p.doc, origin: at.source(), names: names}
	if at.near != nil {
		s.line, s.col = at.near.Line, at.near.Column
	}
	slot := &p.node
	for _, step := range steps {
		var err error
		if slot, err = s.step(slot, step); err != nil {
			return err
		}
	}
	*slot = value.node
	return nil
}

// Size is the number of values that the part holds, itself and what aliases stand for
// included.
func (p Part) Size() int { return sizeOf(p.node) }

// Remove takes a key of a mapping away, unless it is only merged from another
// mapping.
func (p Part) Remove(key string) {
	if i := own(p.node, key); i >= 0 {
		p.node.Content = slices.Delete(p.node.Content, i, i+2)
	}
}

// Put gives a key of the whole document a value.
func (d *Document) Put(key string, p Part) { d.put(key, p.node) }
