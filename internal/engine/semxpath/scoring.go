package semxpath

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/engine/tree"
)

// A scoring collects what conditions ask of a scorer: structure does not depend on
// weights, so that one call scores all pairs before the first relevance is computed.
type scoring struct {
	e      *evaluation
	cursor *cursor

	pairs  []Pair
	known  map[Pair]int   // the index of each
	textOf map[int]string // texts of whole nodes, by their positions
	bytes  int            // of the texts of pairs
	scores []float64      // of pairs
}

// An outcome is a condition on a node.
type outcome struct {
	cond *condition
	node *tree.Node
	at   int32     // position of the node
	pair int32     // of a match: the index of its pair, or what it is for certain
	of   []outcome // of the conditions that an operator joins, or of the nodes of evidence
}

// Pairs of matches that need no scorer.
const (
	never  = -1 // relevance 0
	always = -2 // relevance 1
)

func newScoring(e *evaluation) scoring {
	return scoring{e: e, cursor: newCursor(e.root), known: make(map[Pair]int), textOf: make(map[int]string)}
}

// recordAll collects what a condition asks about nodes.
func (s *scoring) recordAll(c *condition, nodes []Match) []outcome {
	outcomes := make([]outcome, 0, len(nodes))
	for _, m := range nodes {
		if !s.e.visit(1) {
			break
		}
		outcomes = append(outcomes, s.record(c, m))
	}
	return outcomes
}

func (s *scoring) record(c *condition, m Match) outcome {
	o := outcome{cond: c, node: m.Node, at: int32(m.At)}
	switch {
	case c.match():
		o.pair = int32(s.ask(c, m))
	case c.evidence != nil:
		for _, x := range c.evidence.position.of(s.e.find(c.evidence, []area{below(m)})) {
			if s.e.err != nil {
				break
			}
			o.of = append(o.of, s.record(c.evidence.cond, x))
		}
	default:
		o.of = lists.Map(c.of, func(of *condition) outcome { return s.record(of, m) })
	}
	return o
}

// ask returns the pair of a match on a node.
//
// In the paper's profile an attribute is matched by its own text, and a node
// that lacks it, or where it is empty, is not relevant. The released engine
// compares the attribute with the string, and takes the whole node where there
// is none. The word content stands for the whole node in either, unless the
// node has such an attribute.
func (s *scoring) ask(c *condition, m Match) int {
	if c.attr == wholeNode && c.op == similar {
		return s.pair(s.wholeText(m), c.value)
	}
	value, ok := attribute(m.Node, c.attr)
	switch {
	case c.op == equal:
		return certain(ok && value == c.value)
	case !ok && (s.e.released || strings.EqualFold(c.attr, contentWord)):
		return s.pair(s.wholeText(m), c.value)
	case s.e.released:
		return certain(hasValue(m.Node, c.attr, value, c.value))
	case value == "":
		return never
	}
	return s.pair(value, c.value)
}

func certain(yes bool) int {
	if yes {
		return always
	}
	return never
}

// hasValue reports whether a field, or one of the values of a list, equals the
// wanted one, ignoring case.
func hasValue(n *tree.Node, field, joined, want string) bool {
	same := func(v string) bool { return strings.EqualFold(v, want) }
	return same(joined) || slices.ContainsFunc(n.Fields, func(f tree.Field) bool {
		return strings.EqualFold(f.Name, field) && slices.ContainsFunc(f.Values, same)
	})
}

// wholeText returns a node's text.
func (s *scoring) wholeText(m Match) string {
	text, ok := s.textOf[m.At]
	if !ok {
		text = s.e.o.Text(s.cursor.seek(m.At))
		s.textOf[m.At] = text
	}
	return text
}

// pair returns the index of the pair of a text and a condition.
func (s *scoring) pair(text, condition string) int {
	p := Pair{text, condition}
	i, ok := s.known[p]
	if ok {
		return i
	}
	i = len(s.pairs)
	s.pairs, s.known[p] = append(s.pairs, p), i
	if s.bytes += len(text); s.bytes > maxText {
		s.fail("the texts to be scored are more than %d bytes", maxText)
	}
	if len(s.pairs) > maxPairs {
		s.fail("it has more than %d pairs of text and condition scored", maxPairs)
	}
	return i
}

func (s *scoring) fail(format string, args ...any) {
	if s.e.err == nil {
		s.e.err = fmt.Errorf("query: %w: %s", ErrLimit, fmt.Sprintf(format, args...))
	}
}

// score has all pairs scored in one call.
func (s *scoring) score(ctx context.Context) error {
	if len(s.pairs) == 0 {
		return nil
	}
	scores, err := s.e.o.Scorer.Score(ctx, s.pairs)
	if err != nil {
		return fmt.Errorf("query: scoring %d pairs: %w", len(s.pairs), err)
	}
	if len(scores) != len(s.pairs) {
		return fmt.Errorf("query: the scorer gave %d scores for %d pairs", len(scores), len(s.pairs))
	}
	for i, x := range scores {
		if !(x >= 0 && x <= 1) {
			return fmt.Errorf("query: the scorer gave %v for the condition %q and the text %q, want 0 to 1",
				x, excerpt(s.pairs[i].Condition), excerpt(s.pairs[i].Text))
		}
	}
	s.scores = scores
	return nil
}

// excerptLen is how many characters of a text messages and explanations show.
const excerptLen = 200

func excerpt(text string) string {
	n := 0
	for i := range text {
		if n++; n > excerptLen {
			return text[:i] + "..."
		}
	}
	return text
}

// relevance returns that of a condition on a node.
func (s *scoring) relevance(o outcome) float64 {
	switch {
	case o.pair == never:
		return 0
	case o.pair == always:
		return 1
	case o.cond.match():
		return s.scores[o.pair]
	case o.cond.op == inverse:
		return s.clamp(1 - s.relevance(o.of[0]))
	case o.cond.evidence != nil:
		return o.cond.op.join(lists.Map(o.of, s.relevance))
	}
	return s.clamp(o.cond.op.join(lists.Map(o.of, s.relevance)))
}

// least keeps relevances of the released engine away from 0 and 1.
const least = 1e-9

// clamp bounds a relevance as the released engine does.
func (s *scoring) clamp(x float64) float64 {
	if s.e.released {
		return min(max(x, least), 1-least)
	}
	return x
}

// attribute returns the value of a field or, for a node without a field of that
// name, its id.
func attribute(n *tree.Node, name string) (string, bool) {
	if value, ok := n.Field(name); ok || !strings.EqualFold(name, idWord) {
		return value, ok
	}
	return n.ID, n.ID != ""
}

// weigh computes the weights of the nodes of all stages.
func (e *evaluation) weigh() {
	var scored []Match // released: all nodes with a weight so far, in document order
	for i := range e.stages {
		st := &e.stages[i]
		switch {
		case e.released:
			inherit(scored, st.nodes, inheritance{self: true})
		case !st.above:
			inherit(st.from, st.nodes, inheritance{best: st.step.axis == descendant})
		}
		if st.step.cond != nil {
			for j := range st.nodes {
				if e.o.Explain > 0 {
					st.previous = append(st.previous, st.nodes[j].Weight)
				}
				st.nodes[j].Weight *= e.scoring.clamp(e.scoring.relevance(st.outcomes[j]))
			}
		}
		for j, anchor := range st.anchors {
			st.moved[j].Weight = st.nodes[anchor].Weight
		}
		if e.released && st.step.cond != nil {
			scored = merge(merge(scored, st.nodes), st.moved)
		}
	}
}

// An inheritance says whose weight a node takes over: that of the nearest node
// above it, of itself too, or the best of all above it.
type inheritance struct{ self, best bool }

// inherit sets the weights of nodes from those of others above them, both in
// document order. A node with none above it has weight 1.
func inherit(from, nodes []Match, by inheritance) {
	type open struct {
		end    int
		weight float64
	}
	var above []open
	for i := range nodes {
		m := &nodes[i]
		for len(from) > 0 && (from[0].At < m.At || by.self && from[0].At == m.At) {
			f := from[0]
			from = from[1:]
			for len(above) > 0 && above[len(above)-1].end <= f.At {
				above = above[:len(above)-1]
			}
			w := f.Weight
			if by.best && len(above) > 0 {
				w = max(w, above[len(above)-1].weight)
			}
			above = append(above, open{f.end(), w})
		}
		for len(above) > 0 && above[len(above)-1].end <= m.At {
			above = above[:len(above)-1]
		}
		m.Weight = 1
		if len(above) > 0 {
			m.Weight = above[len(above)-1].weight
		}
	}
}

// merge joins nodes in document order; of two for one place the later counts.
func merge(before, later []Match) []Match {
	all := slices.Concat(later, before)
	slices.SortStableFunc(all, inOrder)
	return slices.CompactFunc(all, func(a, b Match) bool { return a.At == b.At })
}

// rank returns the matches that reach the threshold, the heaviest first.
func (e *evaluation) rank(matches []Match) []Match {
	ranked := lists.Filter(matches, func(m Match) bool { return m.Weight >= e.o.Threshold })
	slices.SortStableFunc(ranked, func(a, b Match) int { return cmp.Compare(b.Weight, a.Weight) })
	return ranked
}
