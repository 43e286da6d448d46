package tree

import (
	"maps"
	"strconv"
)

// An index finds the nodes of a tree by id. Each version has its own: trees have some
// hundred nodes.
type index map[string]entry

// An entry is a node and the id of its parent, empty for the root. The parent
// goes by id because its pointer changes with every edit below it.
type entry struct {
	node   *Node
	parent string
}

// newIndex returns the index of a tree.
func newIndex(root *Node) index {
	x := make(index, root.size)
	x.add(root, "")
	return x
}

// add puts a subtree in.
func (x index) add(n *Node, parent string) {
	x[n.ID] = entry{n, parent}
	for _, c := range n.Children {
		x.add(c, n.ID)
	}
}

// edit returns an index that can be changed without a change to x.
func (x index) edit() index { return maps.Clone(x) }

// path returns the nodes from the root to that of an id; nil where it is not
// there.
func (x index) path(id string) []*Node {
	e, ok := x[id]
	if !ok {
		return nil
	}
	depth := 1
	for p := e; p.parent != ""; depth++ {
		p = x[p.parent]
	}
	path := make([]*Node, depth)
	for i := depth - 1; ; i-- {
		path[i] = e.node
		if i == 0 {
			return path
		}
		e = x[e.parent]
	}
}

// generated returns the number of an id of the form n<number>, or 0.
func generated(id string) int {
	if len(id) < 2 || len(id) > 10 || id[0] != 'n' || id[1] < '1' || id[1] > '9' {
		return 0
	}
	k, err := strconv.Atoi(id[1:])
	if err != nil {
		return 0
	}
	return k
}

// generate returns the id of a number.
func generate(k int) string { return "n" + strconv.Itoa(k) }

// nameNodes gives ids to the nodes of a tree that have none, in document order
// and past those that are taken. It returns a number above all that are in use.
func nameNodes[V any](root *Node, taken map[string]V) int {
	next, top := 1, 0
	for _, n := range Walk(root) {
		if n.ID == "" {
			for ; ; next++ {
				n.ID = generate(next)
				if _, ok := taken[n.ID]; !ok {
					break
				}
			}
			next++
		}
		top = max(top, generated(n.ID))
	}
	return max(next, top+1)
}
