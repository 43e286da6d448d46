// Package tree holds structured memories: rooted trees of typed nodes with
// textual fields, their schema, and the versions that edits make.
//
// A [Tree] is one state and never changes: an edit gives a new Tree that
// shares every subtree that it leaves alone. A [History] is a task's memory:
// its versions, each with the request that caused it. The model is that of the
// Semantic XPath paper, section 3.1.
//
// Every text of a Tree can stand in XML and has no white space around it:
// what New, ParseXML and Apply take in is made so. Therefore what [WriteXML]
// writes reads back as the same tree.
package tree

import (
	"fmt"
	"iter"
	"sync"
)

// Bounds of a tree. They hold for what is parsed, built and edited, so that no
// input makes a walk overflow the stack or fill the memory.
const (
	MaxDepth = 1000     // nodes from the root to a leaf, both included
	MaxNodes = 16 << 20 // nodes of a tree
	MaxBytes = 1 << 30  // bytes of an XML document
)

// A Tree is one state of a memory. It never changes and is safe for concurrent
// use.
type Tree struct {
	root   *Node
	schema *Schema
	// index is made when it is first asked for: queries do not need it.
	index func() index
	// next is the number of the next generated id. It only grows from version
	// to version, so that the id of a deleted node does not come again.
	next int
}

func newTree(root *Node, schema *Schema, next int) *Tree {
	return &Tree{
		root: root, schema: schema, next: next,
		index: sync.OnceValue(func() index { return newIndex(root) }),
	}
}

// New returns the tree of a root, which it takes over: nodes without an ID get
// one. The schema is inferred when it is nil, and kept to when it is not. The
// error names all nodes that cannot be.
func New(root *Node, schema *Schema) (*Tree, error) {
	a := adoption{seen: map[*Node]bool{}, ids: map[string]bool{}}
	a.adopt(root, nil, 1)
	if err := a.faults.err(); err != nil {
		return nil, fmt.Errorf("tree: %w", err)
	}
	if schema == nil {
		schema = Infer(root)
	}
	err := schema.sound()
	if err == nil {
		err = schema.check(root)
	}
	if err != nil {
		return nil, fmt.Errorf("tree: %w", err)
	}
	for _, n := range Walk(root) {
		schema.arrange(n)
	}
	return newTree(root, schema, nameNodes(root, a.ids)), nil
}

// An adoption looks through nodes that are to become a tree and brings their
// texts into shape.
type adoption struct {
	seen   map[*Node]bool
	ids    map[string]bool
	faults faults
}

func (a *adoption) adopt(n, parent *Node, depth int) {
	switch {
	case n == nil && parent == nil:
		a.faults.addf("there is no root")
		return
	case n == nil:
		a.faults.addf("%s has a child that is nil", parent.describe())
		return
	case a.seen[n]:
		a.faults.addf("%s stands in two places; want a node for each", n.describe())
		return
	case depth > MaxDepth:
		a.faults.addf("%s is at depth %d, want at most %d", n.describe(), depth, MaxDepth)
		return
	case len(a.seen) >= MaxNodes:
		if len(a.seen) == MaxNodes {
			a.faults.addf("there are more than %d nodes", MaxNodes)
		}
		return
	}
	a.seen[n] = true
	n.ID = clean(n.ID)
	if n.ID != "" && a.ids[n.ID] {
		a.faults.addf("two nodes have the id %q; ids are unique", n.ID)
	}
	a.ids[n.ID] = true
	n.Text = clean(n.Text)
	n.Fields = cleanFields(n.Fields)
	if !validName(n.Type) {
		a.faults.addf("%s has the type %q, which cannot be the name of an element; want letters, digits, _, - and .", n.describe(), n.Type)
	}
	for i, f := range n.Fields {
		if !validName(f.Name) {
			a.faults.addf("%s has the field %q, which cannot be the name of an element; want letters, digits, _, - and .", n.describe(), f.Name)
		}
		if fieldIndex(n.Fields, f.Name) < i {
			a.faults.addf("%s has the field %s twice", n.describe(), f.Name)
		}
	}
	for _, c := range n.Children {
		a.adopt(c, n, depth+1)
	}
	if len(a.faults.all) == 0 {
		n.settle()
	}
}

// describe names a node in a message.
func (n *Node) describe() string {
	if n.ID == "" {
		return fmt.Sprintf("a %s without id", n.Type)
	}
	return fmt.Sprintf("%s %s", n.Type, n.ID)
}

// Root returns the root.
func (t *Tree) Root() *Node { return t.root }

// Schema returns the schema.
func (t *Tree) Schema() *Schema { return t.schema }

// Len is the number of nodes.
func (t *Tree) Len() int { return t.root.size }

// Node returns the node of an id.
func (t *Tree) Node(id string) (*Node, bool) {
	e, ok := t.index()[id]
	return e.node, ok
}

// Parent returns the parent of the node of an id; none for the root and for an
// id that is not there.
func (t *Tree) Parent(id string) (*Node, bool) {
	e, ok := t.index()[id]
	if !ok || e.parent == "" {
		return nil, false
	}
	return t.Node(e.parent)
}

// Path returns the nodes from the root to the node of an id, both included;
// nil where it is not there.
func (t *Tree) Path(id string) []*Node { return t.index().path(id) }

// All yields all nodes in document order.
func (t *Tree) All() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		walk(t.root, 0, func(_ int, n *Node) bool { return yield(n) })
	}
}
