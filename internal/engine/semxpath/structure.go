package semxpath

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"recallbench/internal/engine/tree"
)

// An area is where a step looks from one node: its children, the first of which stands
// at a position, with so many nodes in their subtrees.
type area struct {
	nodes    []*tree.Node
	at, size int
}

func below(m Match) area { return area{m.Node.Children, m.At + 1, m.Node.Size() - 1} }

// candidates returns the nodes that a stage's step selects with a position, in
// document order and each once.
//
// The paper's positions count in all of them, the released engine's below each
// parent by itself.
func (e *evaluation) candidates(st *stage, p *position) []Match {
	s := st.step
	areas := []area{{[]*tree.Node{e.root}, 0, e.root.Size()}}
	nested := false
	if !st.above {
		from := st.from
		nested = isNested(from)
		if s.axis == descendant && nested {
			from = outermost(from) // the others lead to nothing else
			nested = false
		}
		areas = areas[:0]
		for _, m := range from {
			areas = append(areas, below(m))
		}
	}
	if p != nil && e.released {
		f := newFinder(e, s)
		for _, a := range areas {
			f.perParent(a.nodes, a.at, p)
		}
		slices.SortFunc(f.found, inOrder)
		return f.found
	}
	all := e.find(s, areas)
	if nested {
		slices.SortFunc(all, inOrder)
	}
	return p.of(all)
}

// find returns the nodes of areas that stand one after the other which a step
// leads to.
func (e *evaluation) find(s *step, areas []area) []Match {
	f := newFinder(e, s)
	most := 0
	for _, a := range areas {
		if s.axis == descendant {
			most += a.size
		} else {
			most += len(a.nodes)
		}
	}
	f.found = make([]Match, 0, min(most, e.left)) // growing would take as long as the walk
	for _, a := range areas {
		if !f.walk(a.nodes, a.at) {
			break
		}
	}
	return f.found
}

// A finder collects nodes of a type.
type finder struct {
	e     *evaluation
	name  string
	any   bool
	kinds uint64 // that a descendant may have; 0 for a step to children
	found []Match
}

func newFinder(e *evaluation, s *step) *finder {
	f := &finder{e: e, name: s.name, any: s.name == anyType}
	switch {
	case s.axis == descendant && f.any:
		f.kinds = math.MaxUint64
	case s.axis == descendant:
		f.kinds = tree.Kind(s.name)
	}
	return f
}

// walk looks through siblings; the first stands at a position. It reports whether
// to continue.
func (f *finder) walk(nodes []*tree.Node, at int) bool {
	if !f.e.visit(len(nodes)) {
		return false
	}
	for _, n := range nodes {
		if f.any || n.Type == f.name {
			f.found = append(f.found, Match{n, at, 1})
		}
		if n.MayHold(f.kinds) && !f.walk(n.Children, at+1) {
			return false
		}
		at += n.Size()
	}
	return true
}

// perParent takes what a position selects among the nodes of the type that are
// siblings, and then the same below each of them.
func (f *finder) perParent(nodes []*tree.Node, at int, p *position) {
	if !f.e.visit(len(nodes)) {
		return
	}
	var of []Match
	place := at
	for _, n := range nodes {
		if f.any || n.Type == f.name {
			of = append(of, Match{n, place, 1})
		}
		place += n.Size()
	}
	f.found = append(f.found, p.of(of)...)
	for _, n := range nodes {
		if n.MayHold(f.kinds) {
			f.perParent(n.Children, at+1, p)
		}
		at += n.Size()
	}
}

// checkEvery is after how many visits the context is looked at.
const checkEvery = 1 << 14

// visit counts nodes that are about to be looked at and reports whether they
// may be.
func (e *evaluation) visit(n int) bool {
	if e.err != nil {
		return false
	}
	if e.left == maxVisits { // the first
		e.err = e.ctx.Err()
	}
	before := e.left
	if e.left -= n; e.left < 0 {
		e.err = fmt.Errorf("query: %w: it looks at more than %d nodes", ErrLimit, maxVisits)
		return false
	}
	if e.err == nil && before/checkEvery != e.left/checkEvery {
		e.err = e.ctx.Err()
	}
	return e.err == nil
}

// isNested reports whether of nodes in document order one contains another.
func isNested(nodes []Match) bool {
	for i := 1; i < len(nodes); i++ {
		if nodes[i].At < nodes[i-1].end() {
			return true
		}
	}
	return false
}

// outermost returns those of nodes in document order that no other contains.
func outermost(nodes []Match) []Match {
	var out []Match
	for _, m := range nodes {
		if len(out) == 0 || m.At >= out[len(out)-1].end() {
			out = append(out, m)
		}
	}
	return out
}

func inOrder(a, b Match) int { return cmp.Compare(a.At, b.At) }

// siblings replaces the nodes of a stage by those k places further on below the
// same parent. Nodes that have none there lead nowhere.
func (e *evaluation) siblings(st *stage) {
	type move struct {
		to     Match
		anchor int
	}
	var moves []move
	c := newCursor(e.root)
	for i, m := range st.nodes {
		c.seek(m.At)
		if !e.visit(1) {
			return
		}
		if to, ok := c.sibling(st.step.sibling); ok {
			moves = append(moves, move{to, i})
		}
	}
	slices.SortFunc(moves, func(a, b move) int { return cmp.Compare(a.to.At, b.to.At) })
	for _, m := range moves {
		st.moved = append(st.moved, m.to)
		st.anchors = append(st.anchors, m.anchor)
	}
}

// count fills in how many nodes a step's axis leads to, and how many of those
// its node test leaves.
func (e *evaluation) count(st *stage) {
	switch {
	case st.above && st.step.axis == child:
		st.reached = 1
	case st.above:
		st.reached = e.root.Size()
	case st.step.axis == child:
		for _, m := range st.from {
			st.reached += len(m.Node.Children)
		}
	default:
		for _, m := range outermost(st.from) {
			st.reached += m.Node.Size() - 1
		}
	}
	switch {
	case st.step.position == nil:
		st.tested = len(st.nodes)
	case st.step.name == anyType:
		st.tested = st.reached
	default:
		st.tested = len(e.candidates(st, nil))
	}
}

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
