// Package tree holds structured memories: rooted trees of typed nodes with
// textual fields, their schema, and the versions that edits make.
//
// A [Tree] is one state and never changes: an edit gives a new Tree that
// shares every subtree that it leaves alone. A [History] is a task's memory:
// its versions, each with the request that caused it. The model is that of the
// Semantic XPath paper, section 3.1.
package tree

import "iter"

// A Node is a unit of a memory. Nodes of a Tree are shared between versions
// and between goroutines: do not change them.
type Node struct {
	// Type is what the node is, such as "Day".
	Type string
	// ID is unique in a tree and stays with the node through all versions.
	ID string
	// Fields are the node's textual attributes, in order and without doubles.
	Fields []Field
	// Text is character data that belongs to no field; mostly empty.
	Text     string
	Children []*Node

	// size is the number of nodes of the subtree, the node included, and types
	// a set of hashes of the types below the node: what a search can pass over.
	size  int
	types uint64
}

// A Field is a textual attribute of a node: one value, or several for a list.
type Field struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
}

// Value returns the values of the field, joined with ", ".
func (f Field) Value() string {
	switch len(f.Values) {
	case 0:
		return ""
	case 1:
		return f.Values[0]
	}
	s := f.Values[0]
	for _, v := range f.Values[1:] {
		s += ", " + v
	}
	return s
}

// Field returns the value of a field and whether the node has it. Names are
// compared without regard to case.
func (n *Node) Field(name string) (string, bool) { return "", false }

// Name is what people call the node: its field name, title, label or index, in
// that order and by the schema's key where it has one; else its type.
func (n *Node) Name() string { return "" }

// Size is the number of nodes of the subtree, n included.
func (n *Node) Size() int { return n.size }

// MayContain reports whether the subtree may hold a node of the type below n.
// False is certain, true is not.
func (n *Node) MayContain(typ string) bool { return true }

// A Tree is one state of a memory. It never changes and is safe for concurrent
// use.
type Tree struct {
	root   *Node
	schema *Schema
}

// New returns the tree of a root, which it takes over: nodes without an ID get
// one. The schema is inferred when it is nil, and kept to when it is not.
func New(root *Node, schema *Schema) (*Tree, error) { return nil, errNotYet }

// Root returns the root.
func (t *Tree) Root() *Node { return t.root }

// Schema returns the schema.
func (t *Tree) Schema() *Schema { return t.schema }

// Len is the number of nodes.
func (t *Tree) Len() int { return t.root.size }

// Node returns the node of an id.
func (t *Tree) Node(id string) (*Node, bool) { return nil, false }

// Parent returns the parent of the node of an id; none for the root and for an
// id that is not there.
func (t *Tree) Parent(id string) (*Node, bool) { return nil, false }

// Path returns the nodes from the root to the node of an id, both included;
// nil where it is not there.
func (t *Tree) Path(id string) []*Node { return nil }

// All yields all nodes in document order.
func (t *Tree) All() iter.Seq[*Node] { return func(func(*Node) bool) {} }

// Walk yields the nodes of a subtree in document order, each with its position
// in it: the root is 0. A node that versions share has one pointer and several
// positions, so that positions, not pointers, tell places apart.
func Walk(root *Node) iter.Seq2[int, *Node] { return func(func(int, *Node) bool) {} }

// PathAt returns the nodes from root to the one at a position of [Walk].
func PathAt(root *Node, at int) []*Node { return nil }

// Label writes a path for people: "Itinerary > Day 2 > Coffee break".
func Label(path []*Node) string { return "" }
