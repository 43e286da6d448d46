package semxpath

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"recallbench/internal/calc/lists"
	"recallbench/internal/engine/tree"
)

// An evaluation is one run of a query: first the structure of all steps, which
// no weight changes, then the scores of all pairs, then the weights.
type evaluation struct {
	ctx      context.Context //nolint:containedctx // lives as long as one call of Run
	o        Options
	released bool
	nodes    []*tree.Node // of the tree, in document order
	parents  []int        // of nodes, by position; -1 for the root
	scoring  scoring
	stages   []stage
	left     int   // how many nodes may still be looked at
	err      error // why the evaluation cannot continue
}

// A stage is a step at work.
type stage struct {
	step  *step
	nodes []Match // those that it selects, in document order
	// moved are the siblings that take the place of nodes, and anchors the indexes of
	// the nodes that they come from. Both are nil for a step without sibling.
	moved    []Match
	anchors  []int
	outcomes []outcome // of the step's condition on nodes; nil for a step without
	previous []float64 // weights of nodes before the step's condition
	// reached and tested count the nodes after the axis and after the node test.
	reached, tested int
}

// out is what the next step starts at, in document order.
func (s *stage) out() []Match {
	if s.step.sibling == 0 {
		return s.nodes
	}
	return inOrder(slices.Clone(s.moved))
}

func newEvaluation(ctx context.Context, root *tree.Node, o Options) *evaluation {
	e := &evaluation{ctx: ctx, o: o, released: o.Profile == Released, left: o.Visits, err: ctx.Err()}
	e.scoring = scoring{e: e, known: make(map[Pair]int), textOf: make(map[int]string)}
	e.nodes, e.parents = make([]*tree.Node, 0, root.Size()), make([]int, 0, root.Size())
	e.add(root, -1)
	return e
}

// add adds a subtree to the nodes.
func (e *evaluation) add(n *tree.Node, parent int) {
	at := len(e.nodes)
	e.nodes, e.parents = append(e.nodes, n), append(e.parents, parent)
	for _, c := range n.Children {
		e.add(c, at)
	}
}

// path returns the nodes from the root to the one at a position.
func (e *evaluation) path(at int) (path []*tree.Node) {
	for ; at >= 0; at = e.parents[at] {
		path = append(path, e.nodes[at])
	}
	slices.Reverse(path)
	return path
}

func (e *evaluation) run(q *Query) (Result, error) {
	if err := e.structure(q); err != nil {
		return Result{}, err
	}
	weighted := q.Conditions()
	if weighted {
		if err := e.scoring.score(e.ctx); err != nil {
			return Result{}, err
		}
		e.weigh()
	}
	matches := e.stages[len(e.stages)-1].out()
	if weighted {
		matches = e.rank(matches)
	}
	matches = q.global.of(matches)
	if weighted && e.o.K > 0 {
		matches = matches[:min(len(matches), e.o.K)]
	}
	r := Result{Matches: matches}
	if e.o.Explain > 0 {
		r.Steps = e.explain(matches)
	}
	return r, nil
}

// structure finds the nodes of all steps and the pairs that are to be scored.
func (e *evaluation) structure(q *Query) error {
	from := []Match{{Node: e.nodes[0], Weight: 1}}
	for i, s := range q.steps {
		st := stage{step: s}
		if i == 0 && e.fromAbove(s) {
			st.nodes, st.reached = e.selectAbove(s)
		} else {
			st.nodes, st.reached = e.selectBelow(s, from)
		}
		st.tested = len(st.nodes)
		st.nodes = e.atPosition(s.position, st.nodes)
		if s.cond != nil {
			st.outcomes = e.scoring.recordAll(s.cond, st.nodes)
		}
		if s.sibling != 0 {
			e.siblings(&st)
		}
		if e.err != nil {
			return e.err
		}
		e.stages = append(e.stages, st)
		from = st.out()
	}
	return nil
}

// fromAbove reports whether the first step starts above the root, so that it
// can select the root: when it names the root's type and, as in XPath, in the
// released profile when it names any.
func (e *evaluation) fromAbove(s *step) bool {
	return s.name == e.nodes[0].Type || e.released && s.name == anyType
}

// selectAbove returns the nodes of a step's type to which it leads from above the root,
// and the number of nodes of any type.
func (e *evaluation) selectAbove(s *step) (found []Match, reached int) {
	if s.axis == child {
		return e.test(s, 0, nil), 1
	}
	for at := 0; at < len(e.nodes) && e.visit(); at++ {
		found = e.test(s, at, found)
	}
	return found, len(e.nodes)
}

// selectBelow returns the nodes of a step's type to which it leads from others, both in
// document order and each once, and the number of nodes of any type.
func (e *evaluation) selectBelow(s *step, from []Match) (found []Match, reached int) {
	done := 0 // descendants before this position are looked at already
	for _, m := range from {
		at, end := m.At+1, m.end()
		if s.axis == descendant {
			at = max(at, done)
			done = max(end, done)
		}
		for at < end && e.visit() {
			found = e.test(s, at, found)
			reached++
			if s.axis == child {
				at += e.nodes[at].Size()
			} else {
				at++
			}
		}
	}
	return inOrder(found), reached
}

// test appends the node at a position if it is of a step's type.
func (e *evaluation) test(s *step, at int, found []Match) []Match {
	if n := e.nodes[at]; s.name == anyType || n.Type == s.name {
		return append(found, Match{n, at, 1})
	}
	return found
}

func inOrder(nodes []Match) []Match {
	slices.SortFunc(nodes, func(a, b Match) int { return cmp.Compare(a.At, b.At) })
	return nodes
}

// atPosition returns the nodes that a position selects. The paper's positions count in
// all of them, the released engine's below each parent by itself.
func (e *evaluation) atPosition(p *position, nodes []Match) []Match {
	if p == nil || !e.released {
		return p.of(nodes)
	}
	siblings := make(map[int][]Match)
	for _, m := range nodes {
		up := e.parents[m.At]
		siblings[up] = append(siblings[up], m)
	}
	var kept []Match
	for _, among := range siblings {
		kept = append(kept, p.of(among)...)
	}
	return inOrder(kept)
}

// siblings finds the nodes that stand k places after those of a stage below the same
// parent. Nodes that have none there lead nowhere.
func (e *evaluation) siblings(st *stage) {
	for i, m := range st.nodes {
		if !e.visit() {
			return
		}
		if to, ok := e.sibling(m, st.step.sibling); ok {
			st.moved, st.anchors = append(st.moved, to), append(st.anchors, i)
		}
	}
}

func (e *evaluation) sibling(m Match, k int) (Match, bool) {
	up := e.parents[m.At]
	if up < 0 {
		return Match{}, false
	}
	among := e.nodes[up].Children
	i := slices.Index(among, m.Node)
	if i+k < 0 || i+k >= len(among) {
		return Match{}, false
	}
	at := m.At
	for ; k > 0; k-- {
		at += e.nodes[at].Size()
	}
	for ; k < 0; k++ {
		i--
		at -= among[i].Size()
	}
	return Match{e.nodes[at], at, 1}, true
}

// checkEvery is after how many visits the context is looked at.
const checkEvery = 1 << 14

// visit counts a node that is about to be looked at and reports whether it may be.
func (e *evaluation) visit() bool {
	if e.err != nil {
		return false
	}
	if e.left--; e.left < 0 {
		e.err = fmt.Errorf("query: %w: it looks at more than %d nodes", ErrLimit, e.o.Visits)
	} else if e.left%checkEvery == 0 {
		e.err = e.ctx.Err()
	}
	return e.err == nil
}

// weigh computes the weights of the nodes of all stages.
func (e *evaluation) weigh() {
	above := make(map[int]float64) // weights that a step hands down, by position
	for i := range e.stages {
		st := &e.stages[i]
		for j := range st.nodes {
			m := &st.nodes[j]
			m.Weight = e.inherited(st.step, m.At, above)
			st.previous = append(st.previous, m.Weight)
			if st.step.cond != nil {
				m.Weight *= e.scoring.clamp(e.scoring.relevance(st.outcomes[j]))
			}
		}
		for j, anchor := range st.anchors {
			st.moved[j].Weight = st.nodes[anchor].Weight
		}
		handsDown := st.out()
		switch {
		case !e.released:
			clear(above)
		case st.step.cond != nil: // all nodes that were ever weighed count
			handsDown = slices.Concat(st.nodes, st.moved)
		default:
			continue
		}
		for _, m := range handsDown {
			above[m.At] = m.Weight
		}
	}
}

// inherited returns the weight that a node takes over: in the paper's profile the best
// of the nodes that lead to it, in the released one that of the nearest node at or above
// it that has been weighed. A node with none above it has weight 1.
func (e *evaluation) inherited(s *step, at int, above map[int]float64) float64 {
	best, found := 1.0, false
	if !e.released {
		at = e.parents[at]
	}
	for ; at >= 0; at = e.parents[at] {
		w, ok := above[at]
		switch {
		case !ok:
		case e.released || s.axis == child:
			return w
		case !found:
			best, found = w, true
		default:
			best = max(best, w)
		}
	}
	return best
}

// rank returns the matches that reach the threshold, the heaviest first.
func (e *evaluation) rank(matches []Match) []Match {
	ranked := lists.Filter(matches, func(m Match) bool { return m.Weight >= e.o.Threshold })
	slices.SortStableFunc(ranked, func(a, b Match) int { return cmp.Compare(b.Weight, a.Weight) })
	return ranked
}
