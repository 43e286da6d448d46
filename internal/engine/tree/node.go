package tree

import (
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
)

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
