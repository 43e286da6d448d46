package tree

import (
	"fmt"
	"slices"
	"sort"
	"strings"

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

// Reconcile returns the tree of a subtree written as a new state of old, by a model
// for example: nodes with an id of old keep it if their type is the same. Other
// nodes that resemble one of old in the same place, by type and key, take its id;
// the rest get new ones.
//
// The same place means below the same parent. Without a key, nodes with the same
// content match, and then the last remaining ones of a type on both sides. The root is
// always that of old and must have its type. The error names everything that the
// schema does not allow.
func Reconcile(old *Tree, draft *Node) (*Tree, error) {
	p := planter{schema: old.schema, ids: map[string]bool{}, lax: true}
	root := p.plant(draft, nil, 1)
	if err := p.faults.err(); err != nil {
		return nil, fmt.Errorf("the new tree: %w", err)
	}
	if root.Type != old.root.Type {
		return nil, fmt.Errorf("the new tree: the root is a %s, want a %s", root.Type, old.root.Type)
	}
	r := reconciler{old: old, origin: map[*Node]*Node{}, claimed: map[string]bool{}}
	root.ID = old.root.ID
	r.match(root, old.root)
	r.claim(root)
	r.alike(root)
	next := nameNodes(root, old.next, func(id string) bool {
		_, ok := old.Node(id)
		return ok || r.claimed[id]
	})
	return newTree(root, old.schema, next), nil
}

// A reconciler finds the nodes of old that new nodes continue.
type reconciler struct {
	old     *Tree
	origin  map[*Node]*Node // new to old
	claimed map[string]bool // ids that are given
}

func (r *reconciler) match(n, old *Node) {
	n.ID = old.ID
	r.origin[n] = old
	r.claimed[n.ID] = true
}

// claim gives the nodes below n the ids that they name, where they can be.
func (r *reconciler) claim(n *Node) {
	for _, c := range n.Children {
		old, ok := r.old.Node(c.ID)
		switch {
		case c.ID == "":
		case r.claimed[c.ID]:
			c.ID = ""
		case ok && old.Type == c.Type:
			r.match(c, old)
		default:
			c.ID = ""
		}
		r.claim(c)
	}
}

// alike gives ids of old to nodes that have none, from the top down.
func (r *reconciler) alike(n *Node) {
	if old := r.origin[n]; old != nil {
		left := lists.Filter(n.Children, func(c *Node) bool { return c.ID == "" })
		free := lists.Filter(old.Children, func(o *Node) bool { return len(left) > 0 && !r.claimed[o.ID] })
		left, free = r.pair(left, free, r.key)
		left, free = r.pair(left, free, content)
		r.pairLast(left, free)
	}
	for _, c := range n.Children {
		r.alike(c)
	}
}

// pair matches nodes of the same trait in their order, and returns the others.
// An empty trait is like no other.
func (r *reconciler) pair(left, free []*Node, trait func(*Node) string) (others, unused []*Node) {
	by := map[string][]*Node{}
	for _, o := range free {
		if k := trait(o); k != "" {
			by[k] = append(by[k], o)
		}
	}
	for _, n := range left {
		k := trait(n)
		if k == "" || len(by[k]) == 0 {
			others = append(others, n)
			continue
		}
		r.match(n, by[k][0])
		by[k] = by[k][1:]
	}
	return others, slices.DeleteFunc(free, func(o *Node) bool { return r.claimed[o.ID] })
}

// key is the type of a node and the value of its key.
func (r *reconciler) key(n *Node) string {
	t := r.old.schema.Type(n.Type)
	if t.Key == "" {
		return ""
	}
	v, _ := n.Field(t.Key)
	if v == "" {
		return ""
	}
	return t.Name + "\x00" + strings.ToLower(strings.Join(strings.Fields(v), " "))
}

// content is all that a node says by itself.
func content(n *Node) string {
	var b strings.Builder
	b.WriteString(n.Type + "\x00" + n.Text)
	for _, f := range n.Fields {
		b.WriteString("\x00" + f.Name)
		for _, v := range f.Values {
			b.WriteString("\x01" + v)
		}
	}
	return b.String()
}

// pairLast matches nodes of types without a key, where one of the type is left
// on both sides.
func (r *reconciler) pairLast(left, free []*Node) {
	only := func(nodes []*Node, typ string) *Node {
		of := lists.Filter(nodes, func(n *Node) bool { return n.Type == typ })
		if len(of) != 1 {
			return nil
		}
		return of[0]
	}
	for _, t := range r.old.schema.Types {
		if t.Key != "" || len(left) == 0 {
			continue
		}
		if n, o := only(left, t.Name), only(free, t.Name); n != nil && o != nil {
			r.match(n, o)
		}
	}
}
