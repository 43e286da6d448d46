package tree

import (
	"hash/maphash"
	"strconv"
)

// An index finds the nodes of a tree by id. It is a hash trie of fixed depth
// that versions share: a change copies the slots on the way to its entry and
// nothing else.
type index struct {
	root   *slot
	levels int
	// owner marks the slots that only this index has, and that a change may
	// write to. It is nil once the index is shared.
	owner *owner
}

type owner struct{ _ byte }

// A slot has either kids or entries.
type slot struct {
	owner   *owner
	kids    *[fan]*slot
	entries []entry
}

// An entry is a node and the id of its parent, empty for the root. The parent
// goes by id because its pointer changes with every edit below it.
type entry struct {
	node   *Node
	parent string
}

const (
	fan     = 16
	fanBits = 4
	// leafSize is how many entries a slot has on average before the trie gets
	// another level.
	leafSize = 16
)

// idSeed keeps ids of a hostile document from meeting in one slot.
var idSeed = maphash.MakeSeed()

// newIndex returns the index of a tree.
func newIndex(root *Node) *index {
	x := &index{root: &slot{}, owner: &owner{}}
	for leaves := 1; leaves*leafSize < root.size; leaves *= fan {
		x.levels++
	}
	x.add(root, "")
	x.owner = nil
	return x
}

// add puts a subtree in.
func (x *index) add(n *Node, parent string) {
	x.put(n, parent)
	for _, c := range n.Children {
		x.add(c, n.ID)
	}
}

// edit returns an index that can be changed without a change to x.
func (x *index) edit() *index {
	return &index{root: x.root, levels: x.levels, owner: &owner{}}
}

func (x *index) get(id string) (entry, bool) {
	h := maphash.String(idSeed, id)
	s := x.root
	for range x.levels {
		if s == nil {
			return entry{}, false
		}
		s = s.kids[h%fan]
		h >>= fanBits
	}
	if s != nil {
		for _, e := range s.entries {
			if e.node.ID == id {
				return e, true
			}
		}
	}
	return entry{}, false
}

// leaf returns the slot of an id for writing.
func (x *index) leaf(id string) *slot {
	h := maphash.String(idSeed, id)
	at := &x.root
	for range x.levels {
		s := x.own(at)
		if s.kids == nil {
			s.kids = new([fan]*slot)
		}
		at = &s.kids[h%fan]
		h >>= fanBits
	}
	return x.own(at)
}

// own makes the slot at a place one that x may write to.
func (x *index) own(at **slot) *slot {
	s := *at
	if s != nil && s.owner == x.owner {
		return s
	}
	mine := &slot{owner: x.owner}
	if s != nil && s.kids != nil {
		kids := *s.kids
		mine.kids = &kids
	}
	if s != nil {
		mine.entries = append(make([]entry, 0, len(s.entries)+1), s.entries...)
	}
	*at = mine
	return mine
}

// put adds an entry or replaces the one of the same id.
func (x *index) put(n *Node, parent string) {
	s := x.leaf(n.ID)
	for i := range s.entries {
		if s.entries[i].node.ID == n.ID {
			s.entries[i] = entry{n, parent}
			return
		}
	}
	s.entries = append(s.entries, entry{n, parent})
}

func (x *index) remove(id string) {
	s := x.leaf(id)
	for i := range s.entries {
		if s.entries[i].node.ID == id {
			last := len(s.entries) - 1
			s.entries[i], s.entries[last] = s.entries[last], entry{}
			s.entries = s.entries[:last]
			return
		}
	}
}

// path returns the nodes from the root to that of an id; nil where it is not
// there.
func (x *index) path(id string) []*Node {
	e, ok := x.get(id)
	if !ok {
		return nil
	}
	depth := 1
	for p := e; p.parent != ""; depth++ {
		p, _ = x.get(p.parent)
	}
	path := make([]*Node, depth)
	for i := depth - 1; ; i-- {
		path[i] = e.node
		if i == 0 {
			return path
		}
		e, _ = x.get(e.parent)
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
