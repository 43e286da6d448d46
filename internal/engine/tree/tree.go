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
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"

	"recallbench/internal/calc/lists"
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

// A Node is a unit of a memory, or of a subtree that is not part of a tree yet. Nodes of
// a Tree are shared between goroutines: do not change them.
type Node struct {
	// Fields that a search reads come first, so that they share a cache line.

	// Type is what the node is, such as "Day".
	Type     string
	Children []*Node
	size     int    // number of nodes of the subtree, the node included
	kinds    uint64 // of the nodes below, see [Kind]

	// ID is unique in a tree and stays with the node through all versions.
	ID string
	// Fields are the node's textual attributes, in order and without doubles.
	Fields []Field
	// Text is character data that belongs to no field; mostly empty.
	Text string
}

// MarshalJSON writes a subtree as records have it: what a node says before its children.
func (n *Node) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Type     string  `json:"type"`
		ID       string  `json:"id,omitempty"`
		Fields   []Field `json:"fields,omitempty"`
		Text     string  `json:"text,omitempty"`
		Children []*Node `json:"children,omitempty"`
	}{n.Type, n.ID, n.Fields, n.Text, n.Children})
}

// Depth is the number of nodes from n to the deepest below it, both included.
func (n *Node) Depth() int {
	d := 0
	for _, c := range n.Children {
		d = max(d, c.Depth())
	}
	return d + 1
}

// A Field is a textual attribute of a node: one value, or several for a list.
type Field struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
}

// Value returns the values of the field, joined with ", ".
func (f Field) Value() string {
	if len(f.Values) == 1 {
		return f.Values[0]
	}
	return strings.Join(f.Values, ", ")
}

func (f Field) equal(g Field) bool {
	return f.Name == g.Name && slices.Equal(f.Values, g.Values)
}

// Field returns the value of a field and whether the node has it. Names are
// compared ignoring case; of several the one with the same spelling counts.
func (n *Node) Field(name string) (string, bool) {
	f := lookup(n.Fields, name, func(f *Field) string { return f.Name })
	if f == nil {
		return "", false
	}
	return f.Value(), true
}

// fieldIndex returns the place of a field by its exact name, or -1.
func fieldIndex(fields []Field, name string) int {
	return slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })
}

// Fields that name a node by themselves, and those that number it.
var (
	nameFields   = []string{"name", "title", "label"}
	numberFields = []string{"index", "number"}
)

// Name is what people call the node: its field name, title or label, in that
// order; else its type and its field index or number, as in "Day 2"; else its
// type.
func (n *Node) Name() string {
	for _, f := range nameFields {
		if v, ok := n.Field(f); ok && v != "" {
			return v
		}
	}
	for _, f := range numberFields {
		if v, ok := n.Field(f); ok && v != "" {
			return n.Type + " " + v
		}
	}
	return n.Type
}

// Size is the number of nodes of the subtree, n included. The position of a
// child in the sense of [Walk] is its parent's, plus 1, plus the sizes of the
// siblings before it.
func (n *Node) Size() int { return n.size }

// Kind returns one of 64 bits for a type, so that a search can skip what is below a node
// with [Node.MayHold].
func Kind(name string) uint64 {
	sum := byte(0)
	for i := range len(name) {
		sum = sum*31 + name[i]
	}
	return 1 << (sum % 64)
}

// MayHold reports whether a node below may be of a type of one of the kinds.
func (n *Node) MayHold(kinds uint64) bool { return n.kinds&kinds != 0 }

// settle sets the size and the kinds of a node, when those of the nodes below it are set.
func (n *Node) settle() {
	n.size, n.kinds = 1, 0
	for _, c := range n.Children {
		n.size += c.size
		n.kinds |= c.kinds | Kind(c.Type)
	}
}

// settleAll settles a subtree.
func (n *Node) settleAll() {
	for _, c := range n.Children {
		c.settleAll()
	}
	n.settle()
}

// Walk yields the nodes of a subtree in document order, each with its position
// in it: the root is 0.
func Walk(root *Node) iter.Seq2[int, *Node] {
	return func(yield func(int, *Node) bool) { walk(root, 0, yield) }
}

func walk(n *Node, at int, yield func(int, *Node) bool) bool {
	if !yield(at, n) {
		return false
	}
	at++
	for _, c := range n.Children {
		if !walk(c, at, yield) {
			return false
		}
		at += c.size
	}
	return true
}

// PathAt returns the nodes from root to the one at a position of [Walk]; nil if
// the subtree has no such position.
func PathAt(root *Node, at int) []*Node {
	if at < 0 || at >= root.size {
		return nil
	}
	path := []*Node{root}
	for n := root; at > 0; {
		at-- // n itself
		for _, c := range n.Children {
			if at < c.size {
				n = c
				break
			}
			at -= c.size
		}
		path = append(path, n)
	}
	return path
}

// Label writes a path for people: "Itinerary > Day 2 > Coffee break".
func Label(path []*Node) string {
	names := lists.Map(path, func(n *Node) string { return n.Name() })
	return strings.Join(names, " > ")
}
