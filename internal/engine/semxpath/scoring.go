package semxpath

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/engine/tree"
)

// A scoring collects what conditions ask of a scorer, and gives back what it
// answered.
//
// Structure does not depend on weights, so that conditions are walked through twice
// in the same order: once to collect the pairs and once to compute. The tape carries
// what the second walk needs from the first: for a match the index of its pair or
// what it is for certain; for an aggregation the number of nodes of evidence, each
// followed by its position and its condition.
type scoring struct {
	e      *evaluation
	tape   []int
	starts []int // where on the tape a condition on a node begins, by order of recording
	cursor *cursor

	pairs  []Pair
	known  map[Pair]int   // the index of each
	textOf map[int]string // texts of whole nodes, by their positions
	bytes  int            // of the texts of pairs
	scores []float64      // of pairs
}

// Entries of the tape for matches that need no scorer.
const (
	never  = -1 // relevance 0
	always = -2 // relevance 1
)

func newScoring(e *evaluation) scoring {
	return scoring{e: e, cursor: newCursor(e.root), known: make(map[Pair]int), textOf: make(map[int]string)}
}

// recordAll collects what a condition asks about nodes.
func (s *scoring) recordAll(c condition, nodes []Match) {
	s.starts, s.tape = slices.Grow(s.starts, len(nodes)), slices.Grow(s.tape, len(nodes))
	for _, m := range nodes {
		if !s.e.visit(1) {
			return
		}
		s.starts = append(s.starts, len(s.tape))
		s.record(c, m)
	}
}

func (s *scoring) record(c condition, m Match) {
	switch c := c.(type) {
	case *match:
		s.tape = append(s.tape, s.ask(c, m))
	case *inverse:
		s.record(c.of, m)
	case *combination:
		for _, of := range c.of {
			s.record(of, m)
		}
	case *aggregation:
		found := s.e.find(c.evidence, c.evidence.position, []area{below(m)})
		s.tape = append(s.tape, len(found))
		for _, x := range found {
			if s.e.err != nil {
				return
			}
			s.tape = append(s.tape, x.At)
			s.record(c.evidence.cond, x)
		}
	}
}

// ask returns what the tape says about a match on a node.
//
// In the paper's profile an attribute is matched by its own text, and a node
// that lacks it, or where it is empty, is not relevant. The released engine
// compares the attribute with the string, and takes the whole node where there
// is none. The word content stands for the whole node in either, unless the
// node has such an attribute.
func (s *scoring) ask(c *match, m Match) int {
	if c.attr == wholeNode && !c.exact {
		return s.pair(s.wholeText(m), c.value)
	}
	value, ok := attribute(m.Node, c.attr)
	switch {
	case c.exact:
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

// hasValue reports whether a field, or one of the values of a list, is the
// wanted one but for case.
func hasValue(n *tree.Node, field, joined, want string) bool {
	if strings.EqualFold(joined, want) {
		return true
	}
	for _, f := range n.Fields {
		if !strings.EqualFold(f.Name, field) {
			continue
		}
		for _, v := range f.Values {
			if strings.EqualFold(v, want) {
				return true
			}
		}
	}
	return false
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
	if len(s.pairs) > s.e.o.Pairs {
		s.fail("it has more than %d pairs of text and condition scored", s.e.o.Pairs)
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

// A reader computes relevances from the tape of a scoring.
type reader struct {
	*scoring
	at    int
	stack []float64 // of conditions that are not joined yet
}

// relevance returns that of the condition that the tape goes on with.
func (r *reader) relevance(c condition) float64 {
	switch c := c.(type) {
	case *match:
		return r.matched()
	case *inverse:
		return r.clamp(1 - r.relevance(c.of))
	case *combination:
		base := len(r.stack)
		for _, c := range c.of {
			r.stack = append(r.stack, r.relevance(c))
		}
		return r.clamp(r.join(c.op, base))
	case *aggregation:
		base := len(r.stack)
		for range r.next() {
			r.next()
			r.stack = append(r.stack, r.relevance(c.evidence.cond))
		}
		return r.join(c.op, base)
	}
	return 0
}

// join takes what stands on the stack above a base and joins it.
func (r *reader) join(op operator, base int) float64 {
	x := op.join(r.stack[base:])
	r.stack = r.stack[:base]
	return x
}

func (r *reader) next() int {
	r.at++
	return r.tape[r.at-1]
}

func (r *reader) matched() float64 {
	switch i := r.next(); i {
	case never:
		return 0
	case always:
		return 1
	default:
		return r.scores[i]
	}
}

// least keeps relevances of the released engine away from 0 and 1.
const least = 1e-9

// clamp bounds a relevance as the released engine does.
func (r *reader) clamp(x float64) float64 {
	if r.e.released {
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
