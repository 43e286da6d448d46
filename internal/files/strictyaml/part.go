package strictyaml

import (
	"slices"

	"go.yaml.in/yaml/v4"
)

// A Part is a copy of a value that can be changed and put into its document.
// What it holds keeps the file, the position and the path of where it was
// written.
type Part struct{ node *node }

// Copy returns a copy of a value that exists.
func (v Value) Copy() Part { return v.stamp(v.node.clone()) }

// Of returns a text that stands for what was written at the value.
func (v Value) Of(s string) Part {
	return v.stamp(&node{kind: yaml.ScalarNode, tag: "!!str", value: s, plain: true, line: v.near.line, col: v.near.col})
}

// Many returns a list that stands for what was written at the value.
func (v Value) Many(parts []Part) Part {
	n := &node{kind: yaml.SequenceNode, tag: "!!seq", line: v.near.line, col: v.near.col}
	for _, p := range parts {
		n.content = append(n.content, p.node)
	}
	return v.stamp(n)
}

// stamp notes for a new node where it comes from.
func (v Value) stamp(n *node) Part {
	n.from, n.copied, n.shown = v.near.from, true, v.shown
	return Part{n}
}

// Set puts another part at a place within; keys that are not there are added,
// as if they were written at the place at. Entries of lists go by names as in
// [Document.Set]. An error says why there is no such place.
func (p Part) Set(value Part, at Value, steps []any, names ...string) error {
	s := &setter{origin: at.near.from, names: names, line: at.near.line, col: at.near.col}
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

// Size is the number of values that the part holds, itself included.
func (p Part) Size() int { return p.node.size() }

// Remove takes a key of a mapping away.
func (p Part) Remove(key string) { p.node.remove(key) }

// Put gives a key of the whole document a value. Values that were looked up before see
// the document as it was.
func (d *Document) Put(key string, p Part) {
	root := *d.root
	root.keys, root.content, root.index = slices.Clone(root.keys), slices.Clone(root.content), nil
	*(&setter{}).key(&root, key) = p.node
	d.root = &root
}
