package tree

import (
	"slices"
	"sort"

	"recallbench/internal/calc/lists"
)

// Diff returns edits that turn a into b: a.Apply(Diff(a, b)...) has the nodes,
// ids, fields and order of b. Both have to be versions of one memory, with the same
// schema and root; roots that differ give the deletion of a's, which Apply refuses.
//
// Of the children that a node keeps the fewest possible are moved. A node that
// changed its type is deleted, with all below it, and made anew.
func Diff(a, b *Tree) []Edit {
	if a.root == b.root {
		return nil
	}
	if a.root.ID != b.root.ID || a.root.Type != b.root.Type {
		return []Edit{{Op: Delete, ID: a.root.ID}}
	}
	d := differ{a: a, b: b, lost: map[string]bool{}, away: map[string]bool{}}
	d.lose(a.root, false)
	d.node(a.root, b.root)
	d.drop(a.root, false)
	return d.edits
}

// A differ finds edits in the document order of b, so that a node's place is
// final before its children are looked at: then no move is cyclic. What goes
// for good is deleted last, after what leaves it.
type differ struct {
	a, b  *Tree
	edits []Edit
	// lost has the nodes of a that are deleted first since their type, or that
	// of one above, is another in b.
	lost map[string]bool
	// away has the nodes of a that have left their parent.
	away map[string]bool
}

// lose deletes the nodes whose type differs.
func (d *differ) lose(n *Node, below bool) {
	other, ok := d.b.Node(n.ID)
	if !below && other == n {
		return
	}
	if !below && ok && other.Type != n.Type {
		d.edits = append(d.edits, Edit{Op: Delete, ID: n.ID})
		d.away[n.ID] = true
		below = true
	}
	if below {
		d.lost[n.ID] = true
	}
	for _, c := range n.Children {
		d.lose(c, below)
	}
}

// kept returns the node of a that a node of b continues.
func (d *differ) kept(n *Node) *Node {
	if d.lost[n.ID] {
		return nil
	}
	old, _ := d.a.Node(n.ID)
	return old
}

// node makes the node of b, whose place is right, out of the one of a; nil for
// one that a create has just made.
func (d *differ) node(old, n *Node) {
	if old == n {
		return
	}
	if old != nil {
		if e, ok := updateOf(old, n); ok {
			d.edits = append(d.edits, e)
		}
	}
	d.children(old, n)
	for _, c := range n.Children {
		d.node(d.kept(c), c)
	}
}

// children puts the children of n in place.
func (d *differ) children(old, n *Node) {
	// What stands below the node now, and which of it stays where it is.
	var now []string
	if old == nil {
		for _, c := range n.Children {
			if d.kept(c) == nil {
				now = append(now, c.ID) // the create made it
			}
		}
	} else {
		for _, c := range old.Children {
			if !d.away[c.ID] {
				now = append(now, c.ID)
			}
		}
	}
	if slices.EqualFunc(now, n.Children, func(id string, c *Node) bool { return id == c.ID }) {
		return
	}
	place := make(map[string]int, len(now))
	for i, id := range now {
		place[id] = i
	}
	stays := staying(place, n.Children)
	at := 0
	for _, c := range n.Children {
		from := slices.Index(now, c.ID)
		if from >= 0 && stays[c.ID] {
			at = from + 1
			continue
		}
		e := Edit{Op: Move, ID: c.ID, Parent: n.ID}
		switch {
		case from >= 0:
			now = slices.Delete(now, from, from+1)
			if from < at {
				at--
			}
		case d.kept(c) != nil:
			d.away[c.ID] = true
		default:
			e = Edit{Op: Create, Parent: n.ID, Node: d.created(c)}
		}
		e.At = at
		d.edits = append(d.edits, e)
		now = slices.Insert(now, at, c.ID)
		at++
	}
}

// created returns what a create makes of a new node: itself and the new nodes below it.
// Those that a has come to it afterwards.
func (d *differ) created(n *Node) *Node {
	out := *n
	out.Children = nil
	for _, c := range n.Children {
		if d.kept(c) == nil {
			out.Children = append(out.Children, d.created(c))
		}
	}
	return &out
}

// drop deletes what b does not have; what stands below a node that goes needs
// no edit of its own.
func (d *differ) drop(n *Node, going bool) {
	other, ok := d.b.Node(n.ID)
	if other == n || d.lost[n.ID] {
		return
	}
	if !ok && !going {
		d.edits = append(d.edits, Edit{Op: Delete, ID: n.ID})
	}
	for _, c := range n.Children {
		d.drop(c, !ok)
	}
}

// staying returns the largest set of children that are in place already, which
// is a longest increasing subsequence of their places.
func staying(place map[string]int, children []*Node) map[string]bool {
	var ends []int // ends[k] is the last element of the best sequence of length k+1
	before := make([]int, len(children))
	at := func(i int) int { return place[children[i].ID] }
	for i, c := range children {
		p, ok := place[c.ID]
		if !ok {
			continue
		}
		k := sort.Search(len(ends), func(k int) bool { return at(ends[k]) > p })
		before[i] = -1
		if k > 0 {
			before[i] = ends[k-1]
		}
		if k == len(ends) {
			ends = append(ends, i)
		} else {
			ends[k] = i
		}
	}
	stays := make(map[string]bool, len(ends))
	if len(ends) > 0 {
		for i := ends[len(ends)-1]; i >= 0; i = before[i] {
			stays[children[i].ID] = true
		}
	}
	return stays
}

// updateOf returns the update that gives old the fields and the text of n. Where fields
// stand in another order, it sets all anew.
func updateOf(old, n *Node) (Edit, bool) {
	e := Edit{Op: Update, ID: n.ID}
	if old.Text != n.Text {
		e.Text = new(n.Text)
	}
	var names []string // of the fields as the update leaves them
	for _, f := range old.Fields {
		if fieldIndex(n.Fields, f.Name) < 0 {
			e.Unset = append(e.Unset, f.Name)
		} else {
			names = append(names, f.Name)
		}
	}
	for _, f := range n.Fields {
		i := fieldIndex(old.Fields, f.Name)
		if i < 0 {
			names = append(names, f.Name)
		}
		if i < 0 || !old.Fields[i].equal(f) {
			e.Set = append(e.Set, f)
		}
	}
	if !slices.EqualFunc(names, n.Fields, func(name string, f Field) bool { return name == f.Name }) {
		e.Unset, e.Set = lists.Map(old.Fields, func(f Field) string { return f.Name }), n.Fields
	}
	return e, len(e.Set)+len(e.Unset) > 0 || e.Text != nil
}
