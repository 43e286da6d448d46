package tree

import (
	"errors"
	"fmt"
	"slices"
)

// A batch is edits on their way.
type batch struct {
	schema *Schema
	root   *Node
	index  index
	next   int
}

func (t *Tree) batch() *batch {
	return &batch{schema: t.schema, root: t.root, index: t.index().edit(), next: t.next}
}

// tree returns what the batch has made. The batch must not be used any more.
func (b *batch) tree() *Tree {
	x := b.index
	return &Tree{root: b.root, schema: b.schema, next: b.next, index: func() index { return x }}
}

func (b *batch) apply(e Edit) error {
	switch e.Op {
	case Create:
		return b.create(e)
	case Update:
		return b.update(e)
	case Delete:
		return b.delete(e)
	case Move:
		return b.move(e)
	}
	return fmt.Errorf("unknown operation %q; have %s, %s, %s, %s", e.Op, Create, Update, Delete, Move)
}

// errEmpty is for an id that was left out.
var errEmpty = errors.New("the id is empty")

// find returns the path to the node of an id.
func (b *batch) find(id string) ([]*Node, error) {
	if id == "" {
		return nil, errEmpty
	}
	path := b.index.path(id)
	if path == nil {
		return nil, fmt.Errorf("there is no node with the id %q", id)
	}
	return path, nil
}

// number gives ids to new nodes that have none.
func (b *batch) number(n *Node, taken map[string]bool) {
	if n.ID == "" {
		for {
			n.ID = generate(b.next)
			b.next++
			if _, ok := b.index[n.ID]; !ok && !taken[n.ID] {
				break
			}
		}
	}
	b.next = max(b.next, generated(n.ID)+1)
	for _, c := range n.Children {
		b.number(c, taken)
	}
}

func (b *batch) forget(n *Node) {
	delete(b.index, n.ID)
	for _, c := range n.Children {
		b.forget(c)
	}
}

// insert puts a node below the last of a path.
func (b *batch) insert(path []*Node, at int, n *Node) {
	parent := b.open(path)
	parent.Children = slices.Insert(parent.Children, at, n)
	b.settle(path)
}

// detach takes the last node of a path away.
func (b *batch) detach(path []*Node) {
	last := len(path) - 1
	parent := b.open(path[:last])
	i := slices.Index(parent.Children, path[last])
	parent.Children = slices.Delete(parent.Children, i, i+1)
	b.settle(path[:last])
}

// settle settles the nodes of a path, the lowest first.
func (b *batch) settle(path []*Node) {
	for _, n := range slices.Backward(path) {
		n.settle()
	}
}

// open copies the nodes of a path with their lists of children, in the path too, and
// returns the last, which may be changed then.
func (b *batch) open(path []*Node) *Node {
	for i, n := range path {
		mine := new(*n)
		// One more than there are: most edits add one.
		mine.Children = append(make([]*Node, 0, len(n.Children)+1), n.Children...)
		parent := ""
		if i == 0 {
			b.root = mine
		} else {
			above := path[i-1]
			parent, above.Children[slices.Index(above.Children, n)] = above.ID, mine
		}
		b.index[mine.ID] = entry{mine, parent}
		path[i] = mine
	}
	return path[len(path)-1]
}
