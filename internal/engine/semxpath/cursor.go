package semxpath

import "recallbench/internal/engine/tree"

// A cursor walks to positions of a tree and knows the path there. Going on in
// document order costs no more than one walk in all, however wide the tree.
type cursor struct {
	path []*tree.Node
	at   []level
}

// A level says where the node of a path stands, and which of its children the
// cursor followed last.
type level struct {
	at           int
	child, below int // index and position of the child; child is -1 for none
}

func newCursor(root *tree.Node) *cursor {
	return &cursor{path: []*tree.Node{root}, at: []level{{child: -1}}}
}

// seek goes to a position and returns the path to it, which is good until the
// next call.
func (c *cursor) seek(at int) []*tree.Node {
	top := len(c.path) - 1
	for top > 0 && (at < c.at[top].at || at >= c.at[top].at+c.path[top].Size()) {
		top--
	}
	c.path, c.at = c.path[:top+1], c.at[:top+1]
	for c.at[top].at != at {
		n, l := c.path[top], &c.at[top]
		if l.child < 0 || at < l.below {
			l.child, l.below = 0, l.at+1
		}
		for at >= l.below+n.Children[l.child].Size() {
			l.below += n.Children[l.child].Size()
			l.child++
		}
		c.path = append(c.path, n.Children[l.child])
		c.at = append(c.at, level{at: l.below, child: -1})
		top++
	}
	return c.path
}

// sibling returns the node k places after the cursor's below the same parent;
// before it where k is negative.
func (c *cursor) sibling(k int) (Match, bool) {
	top := len(c.path) - 1
	if top == 0 {
		return Match{}, false
	}
	among, l := c.path[top-1].Children, c.at[top-1]
	if i := l.child + k; i < 0 || i >= len(among) {
		return Match{}, false
	}
	for ; k > 0; k-- {
		l.below += among[l.child].Size()
		l.child++
	}
	for ; k < 0; k++ {
		l.child--
		l.below -= among[l.child].Size()
	}
	return Match{among[l.child], l.below, 1}, true
}
