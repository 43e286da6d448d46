package tree

import (
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
)

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
