package semxpath

import (
	"cmp"
	"fmt"
	"slices"

	"recallbench/internal/tree"
)

// candidates returns the nodes that a stage's step selects with a position, in
// document order and each once.
//
// The paper's positions count in all of them, the released engine's below each
// parent by itself.
func (e *evaluation) candidates(st *stage, p *position) []Match {
	f := newFinder(e, st.step)
	if e.released {
		f.perParent, p = p, nil
	}
	if st.above {
		f.look([]*tree.Node{e.root}, 0)
		return f.all(p)
	}
	from := st.from
	if f.deep {
		from = outermost(from) // the others lead to nothing else
	}
	for _, m := range from {
		f.look(m.Node.Children, m.At+1)
	}
	inOrder := func(a, b Match) int { return cmp.Compare(a.At, b.At) }
	if !slices.IsSortedFunc(f.found, inOrder) { // children of nodes that contain each other
		slices.SortFunc(f.found, inOrder)
	}
	return f.all(p)
}

// evidence returns the nodes that a step leads to from one node, with its position
// counted in all of them.
func (e *evaluation) evidence(s *step, m Match) []Match {
	f := newFinder(e, s)
	f.look(m.Node.Children, m.At+1)
	return f.all(s.position)
}

// A finder collects the nodes of a type.
type finder struct {
	e         *evaluation
	name      string
	deep      bool
	perParent *position // among siblings of the type; nil for all
	found     []Match
}

func newFinder(e *evaluation, s *step) *finder {
	return &finder{e: e, name: s.name, deep: s.axis == descendant}
}

func (f *finder) is(n *tree.Node) bool { return f.name == anyType || n.Type == f.name }

// look collects from siblings, the first of which stands at a position of the
// tree, and from all below them if the step goes deep.
func (f *finder) look(nodes []*tree.Node, at int) {
	if !f.e.visit(len(nodes)) {
		return
	}
	first, last := 0, len(nodes)
	if f.perParent != nil {
		n := 0
		for _, c := range nodes {
			if f.is(c) {
				n++
			}
		}
		first, last = f.perParent.bounds(n)
	}
	k := 0
	for _, c := range nodes {
		if f.is(c) {
			if first <= k && k < last {
				f.found = append(f.found, Match{c, at, 1})
			}
			k++
		}
		if f.deep {
			f.look(c.Children, at+1)
		}
		at += c.Size()
	}
}

// all returns the part of what was found that a position selects; nil is all.
func (f *finder) all(p *position) []Match {
	if p == nil {
		return f.found
	}
	from, to := p.bounds(len(f.found))
	return f.found[from:to]
}

// checkEvery is after how many visits the context is looked at.
const checkEvery = 1 << 14

// visit counts nodes that are about to be looked at and reports whether they
// may be.
func (e *evaluation) visit(n int) bool {
	if e.err != nil {
		return false
	}
	if e.left == e.o.Visits { // the first
		e.err = e.ctx.Err()
	}
	before := e.left
	if e.left -= n; e.left < 0 {
		e.err = fmt.Errorf("query: %w: it looks at more than %d nodes", ErrLimit, e.o.Visits)
		return false
	}
	if e.err == nil && before/checkEvery != e.left/checkEvery {
		e.err = e.ctx.Err()
	}
	return e.err == nil
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

// siblings replaces the nodes of a stage by those k places further on below the
// same parent. Nodes that have none there lead nowhere.
func (e *evaluation) siblings(st *stage) {
	type move struct {
		to     Match
		anchor int
	}
	var moves []move
	for i, m := range st.nodes {
		if !e.visit(1) {
			return
		}
		if to, ok := e.sibling(m, st.step.sibling); ok {
			moves = append(moves, move{to, i})
		}
	}
	slices.SortFunc(moves, func(a, b move) int { return cmp.Compare(a.to.At, b.to.At) })
	for _, m := range moves {
		st.moved = append(st.moved, m.to)
		st.anchors = append(st.anchors, m.anchor)
	}
}

// sibling returns the node k places after another below the same parent, before
// it where k is negative.
func (e *evaluation) sibling(m Match, k int) (Match, bool) {
	path := tree.PathAt(e.root, m.At)
	if len(path) == 1 {
		return Match{}, false
	}
	among := path[len(path)-2].Children
	i := slices.Index(among, m.Node)
	if i+k < 0 || i+k >= len(among) {
		return Match{}, false
	}
	at := m.At
	for ; k > 0; k-- {
		at += among[i].Size()
		i++
	}
	for ; k < 0; k++ {
		i--
		at -= among[i].Size()
	}
	return Match{among[i], at, 1}, true
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
