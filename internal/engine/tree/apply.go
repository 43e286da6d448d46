package tree

import (
	"errors"
	"fmt"
	"slices"
)

// Apply returns the tree after edits, in their order; each sees those before. All are
// made or none: the error names every edit that cannot be, and why. Untouched
// subtrees are shared: an edit copies the nodes on the path from the root to its
// place, and of each the list of its children.
func (t *Tree) Apply(edits ...Edit) (*Tree, error) {
	if len(edits) == 0 {
		return t, nil
	}
	b := t.batch()
	var bad faults
	for i, e := range edits {
		if err := b.apply(e); err != nil {
			if len(edits) > 1 {
				err = fmt.Errorf("edit %d of %d: %w", i+1, len(edits), err)
			}
			bad.add(err)
		}
	}
	if err := bad.err(); err != nil {
		return nil, err
	}
	return b.tree(), nil
}

func (b *batch) create(e Edit) error {
	if e.Node == nil {
		return errors.New("create: there is no node to create")
	}
	path, err := b.find(e.Parent)
	if err != nil {
		return fmt.Errorf("create %s: parent: %w", e.Node.Type, err)
	}
	parent := path[len(path)-1]
	p := planting{schema: b.schema, index: b.index, ids: map[string]bool{}}
	n := p.plant(*e.Node, parent, len(path)+1)
	at, err := place(e.At, len(parent.Children))
	p.faults.add(err)
	if b.root.size+p.nodes > MaxNodes {
		p.faults.addf("the tree would have %d nodes, want at most %d", b.root.size+p.nodes, MaxNodes)
	}
	if err := p.faults.err(); err != nil {
		return fmt.Errorf("create %s below %s: %w", e.Node.Type, parent.describe(), err)
	}
	b.number(n, p.ids)
	b.insert(path, at, n)
	b.index.add(n, parent.ID)
	return nil
}

func (b *batch) update(e Edit) error {
	path, err := b.find(e.ID)
	if err != nil {
		return fmt.Errorf("update: %w", err)
	}
	n := path[len(path)-1]
	next, err := b.schema.updated(n, e)
	if err != nil {
		return fmt.Errorf("update %s: %w", n.describe(), err)
	}
	n = b.open(path)
	n.Fields, n.Text = next.Fields, next.Text
	return nil
}

func (b *batch) delete(e Edit) error {
	path, err := b.find(e.ID)
	if err != nil {
		return fmt.Errorf("delete: %w", err)
	}
	n := path[len(path)-1]
	if len(path) == 1 {
		return fmt.Errorf("delete %s: the root cannot be deleted", n.describe())
	}
	b.detach(path)
	b.forget(n)
	return nil
}

func (b *batch) move(e Edit) error {
	path, err := b.find(e.ID)
	if err != nil {
		return fmt.Errorf("move: %w", err)
	}
	n := path[len(path)-1]
	if err := b.checkMove(path, e); err != nil {
		return fmt.Errorf("move %s: %w", n.describe(), err)
	}
	b.detach(path)
	to := b.index.path(e.Parent)
	parent := to[len(to)-1]
	at, _ := place(e.At, len(parent.Children)) // checkMove found it to be right
	b.insert(to, at, n)
	b.index[n.ID] = entry{n, parent.ID}
	return nil
}

// checkMove reports a node that cannot go where the edit says.
func (b *batch) checkMove(path []*Node, e Edit) error {
	n := path[len(path)-1]
	if len(path) == 1 {
		return errors.New("the root cannot be moved")
	}
	to, err := b.find(e.Parent)
	if err != nil {
		return fmt.Errorf("parent: %w", err)
	}
	parent := to[len(to)-1]
	if slices.Contains(to, n) {
		return fmt.Errorf("cyclic: %s is the node itself or below it", parent.describe())
	}
	var bad faults
	bad.add(b.schema.checkChild(parent, n.Type))
	siblings := len(parent.Children)
	if path[len(path)-2] == parent {
		siblings--
	}
	_, err = place(e.At, siblings)
	bad.add(err)
	if len(to)+n.size > MaxDepth { // it may be too deep
		if d := len(to) + n.depth(); d > MaxDepth {
			bad.addf("the tree would have depth %d, want at most %d", d, MaxDepth)
		}
	}
	return bad.err()
}

// depth is the number of nodes from n to the deepest below it.
func (n *Node) depth() int {
	d := 0
	for _, c := range n.Children {
		d = max(d, c.depth())
	}
	return d + 1
}

// place returns the index at which a node is put among others.
func place(at, others int) (int, error) {
	switch {
	case at == -1:
		return others, nil
	case at < -1 || at > others:
		return 0, fmt.Errorf("at is %d, want 0 to %d, or -1 for the end", at, others)
	}
	return at, nil
}
