// Package tree holds structured memories: rooted trees of typed nodes with
// textual fields, their schema, and the versions that edits make.
//
// A [Tree] is one state and never changes: an edit gives a new Tree. A [History] is a
// task's memory: its versions, each with the request behind it. The model is that of
// the Semantic XPath paper, section 3.1.
//
// Every text of a Tree is valid in XML and has no white space around it: ParseXML
// and Apply make it so. Therefore what [XML] writes reads back as the same tree.
package tree

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Limits of a tree. They apply to parsing, building and editing, so that no
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
	// places has the nodes by their ids. It is made when it is first asked for: queries
	// do not need it.
	places func() map[string]place
	// next is the number of the next generated id. It only grows from version
	// to version, so that the id of a deleted node does not come again.
	next int
}

// A place is a node and its parent, nil for the root.
type place struct{ node, parent *Node }

func newTree(root *Node, schema *Schema, next int) *Tree {
	return &Tree{
		root: root, schema: schema, next: next,
		places: sync.OnceValue(func() map[string]place { return placesOf(root) }),
	}
}

// placesOf returns the nodes of a tree by their ids.
func placesOf(root *Node) map[string]place {
	places := make(map[string]place)
	places[root.ID] = place{root, nil}
	for _, n := range Walk(root) {
		for _, c := range n.Children {
			places[c.ID] = place{c, n}
		}
	}
	return places
}

// Root returns the root.
func (t *Tree) Root() *Node { return t.root }

// Schema returns the schema.
func (t *Tree) Schema() *Schema { return t.schema }

// Len is the number of nodes.
func (t *Tree) Len() int { return t.root.size }

// Node returns the node of an id.
func (t *Tree) Node(id string) (*Node, bool) {
	p, ok := t.places()[id]
	return p.node, ok
}

// Parent returns the parent of the node of an id; none for the root and for an
// id that does not exist.
func (t *Tree) Parent(id string) (*Node, bool) {
	p := t.places()[id]
	return p.parent, p.parent != nil
}

// Path returns the nodes from the root to the node of an id, both included;
// nil if it does not exist.
func (t *Tree) Path(id string) []*Node { return pathTo(t.places(), id) }

func pathTo(places map[string]place, id string) (path []*Node) {
	for p, ok := places[id]; ok; p, ok = places[p.parent.ID] {
		path = append(path, p.node)
		if p.parent == nil {
			break
		}
	}
	slices.Reverse(path)
	return path
}

// All yields all nodes in document order.
func (t *Tree) All() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		walk(t.root, 0, func(_ int, n *Node) bool { return yield(n) })
	}
}

// describe names a node in a message.
func (n *Node) describe() string {
	if n.ID == "" {
		return fmt.Sprintf("a %s without id", n.Type)
	}
	return fmt.Sprintf("%s %s", n.Type, n.ID)
}

// generate returns the id of a number.
func generate(k int) string { return "n" + strconv.Itoa(k) }

// generated returns the number of an id of the form n<number>, or 0.
func generated(id string) int {
	k, err := strconv.Atoi(strings.TrimPrefix(id, "n"))
	if err != nil || k < 1 || len(id) > 10 || generate(k) != id {
		return 0
	}
	return k
}

// nameNodes gives ids to the nodes of a subtree that have none, in document order, from
// a number on and past those that are taken. It returns a number above all that are in
// use.
func nameNodes(root *Node, next int, taken func(id string) bool) int {
	top := 0
	for _, n := range Walk(root) {
		for ; n.ID == ""; next++ {
			if id := generate(next); !taken(id) {
				n.ID = id
			}
		}
		top = max(top, generated(n.ID))
	}
	return max(next, top+1)
}
