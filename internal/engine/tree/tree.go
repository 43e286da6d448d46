// Package tree holds structured memories: rooted trees of typed nodes with
// textual fields, their schema, and the versions that edits make.
//
// A [Tree] is one state and never changes: an edit gives a new Tree that
// shares every subtree that it leaves alone. A [History] is a task's memory:
// its versions, each with the request that caused it. The model is that of the
// Semantic XPath paper, section 3.1.
//
// Every text of a Tree can stand in XML and has no white space around it:
// what New, ParseXML and Apply take in is made so. Therefore what [XML]
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
