package semxpath

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/engine/tree"
	"recallbench/internal/text/suggest"
)

// A Profile says which semantics a query has.
type Profile string

// The profiles; doc.go has them side by side.
const (
	// Paper is appendix A of the paper.
	Paper Profile = "paper"
	// Released is the engine that the authors released, without its defects.
	Released Profile = "released"
)

// Values lists the profiles.
func (Profile) Values() []string { return []string{string(Paper), string(Released)} }

// A Pair asks how well a text meets a condition.
type Pair struct{ Text, Condition string }

// A Scorer gives the semantic relevance of each pair, in [0, 1] and in their
// order. It is safe for concurrent use.
type Scorer interface {
	Score(ctx context.Context, pairs []Pair) ([]float64, error)
}

// Limits of an evaluation.
const (
	maxVisits = 50_000_000 // nodes that are visited
	maxPairs  = 100_000    // pairs of text and condition that are scored
	maxText   = 256 << 20  // bytes of the texts of nodes in these
)

// ErrLimit is wrapped by the errors of queries that need more work than an
// evaluation may take.
var ErrLimit = errors.New("the query asks for too much")

// Options say how a query is run.
type Options struct {
	Profile Profile // empty is Paper
	Scorer  Scorer  // needed by queries with conditions
	Text    TextOf  // nil means [FieldText]
	// Threshold is the least weight of a match, and K the largest number of matches; 0 is
	// no limit. They apply to queries with conditions.
	Threshold float64
	K         int
	// Explain is how many nodes of a step, and of evidence, Result.Steps shows; with 0
	// there are no steps.
	Explain int
}

// validate reports what is wrong with the options, all at once.
func (o Options) validate() error {
	var faults []error
	if profiles := o.Profile.Values(); !slices.Contains(profiles, string(o.Profile)) {
		faults = append(faults, errors.New(suggest.Unknown("profile", string(o.Profile), profiles)))
	}
	if !(o.Threshold >= 0 && o.Threshold <= 1) {
		faults = append(faults, fmt.Errorf("threshold is %v, want it from 0 to 1", o.Threshold))
	}
	if o.K < 0 {
		faults = append(faults, fmt.Errorf("k is %d, want at least 0", o.K))
	}
	return errors.Join(faults...)
}

// A Result is what a query selects.
type Result struct {
	// Matches are ordered by falling weight and then in document order; for a query
	// without conditions, in document order.
	Matches []Match
	Steps   []Step // with Options.Explain
}

// A Match is a node that a query selects.
type Match struct {
	Node   *tree.Node
	At     int // position of [tree.Walk] from the root of the evaluation
	Weight float64
}

// end is the position after the subtree of the match.
func (m Match) end() int { return m.At + m.Node.Size() }

// Run evaluates a query over the tree below and including root, which belongs
// to a [tree.Tree]. A step that names the root's type first is the root itself,
// or with // also those below it.
func (q *Query) Run(ctx context.Context, root *tree.Node, o Options) (Result, error) {
	o.Profile = cmp.Or(o.Profile, Paper)
	if err := o.validate(); err != nil {
		return Result{}, fmt.Errorf("query options: %w", err)
	}
	switch {
	case root == nil || root.Size() == 0:
		return Result{}, errors.New("query: the root is not part of a tree")
	case o.Scorer == nil && q.Conditions():
		return Result{}, errors.New("query: it has conditions and needs a scorer")
	}
	if o.Text == nil {
		o.Text = FieldText
	}
	e := &evaluation{ctx: ctx, root: root, o: o, released: o.Profile == Released, left: maxVisits}
	e.scoring = newScoring(e)
	return e.run(q)
}

// An evaluation is one run of a query: first the structure of all steps, which
// no weight changes, then the scores of all pairs, then the weights.
type evaluation struct {
	ctx      context.Context //nolint:containedctx // lives as long as one call of Run
	root     *tree.Node
	o        Options
	released bool
	scoring  scoring
	stages   []stage
	left     int   // how many nodes may still be looked at
	err      error // why the evaluation cannot continue
}

// A stage is a step at work.
type stage struct {
	step  *step
	from  []Match // the nodes that the step starts at
	above bool    // it starts above the root instead
	nodes []Match // those that it selects, in document order
	// moved are the siblings that take the place of nodes, in document order,
	// and anchors the indexes of the nodes that they come from. Both are nil
	// for a step without sibling.
	moved    []Match
	anchors  []int
	outcomes []outcome // of the step's condition on nodes; nil for a step without
	// previous are the weights of nodes before the step's condition, for an
	// explanation, and reached and tested count the nodes after the axis and
	// after the node test.
	previous        []float64
	reached, tested int
}

// out is what the next step starts at.
func (s *stage) out() []Match {
	if s.step.sibling != 0 {
		return s.moved
	}
	return s.nodes
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
	last := &e.stages[len(e.stages)-1]
	matches := last.out()
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
	from := []Match{{Node: e.root, Weight: 1}}
	for i, s := range q.steps {
		st := stage{step: s, from: from, above: i == 0 && e.fromAbove(s)}
		st.nodes = e.candidates(&st, s.position)
		if e.o.Explain > 0 {
			e.count(&st)
		}
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
	return s.name == e.root.Type || e.released && s.name == anyType
}

// A TextOf returns the text of a node that conditions on the whole node are
// scored against. The path leads from the root to the node and is good during
// the call.
type TextOf func(path []*tree.Node) string

// briefNodes is how many nodes below it a node's text names.
const briefNodes = 100

// FieldText writes a node as its type, name and fields and the names of its
// children:
//
//	POI Keynote; time_block: 8:00 AM; highlights: Keynote speaker, Plenary session
//	Day 2: POI Keynote, POI In Person Oral, POI In Person Poster
func FieldText(path []*tree.Node) string {
	n := path[len(path)-1]
	var b strings.Builder
	writeFields(&b, n)
	for i, c := range n.Children {
		switch i {
		case 0:
			b.WriteString(": ")
		case briefNodes:
			b.WriteString(", ...")
			return b.String()
		default:
			b.WriteString(", ")
		}
		writeTitle(&b, c.Type, c.Name())
	}
	return b.String()
}

func writeFields(b *strings.Builder, n *tree.Node) {
	name := n.Name()
	writeTitle(b, n.Type, name)
	for _, f := range n.Fields {
		v := f.Value()
		if v == "" || strings.HasSuffix(name, v) && (v == name || name == n.Type+" "+v) {
			continue // the name says it
		}
		b.WriteString("; ")
		b.WriteString(f.Name)
		b.WriteString(": ")
		b.WriteString(v)
	}
	if n.Text != "" {
		b.WriteString("; ")
		b.WriteString(n.Text)
	}
}

// writeTitle writes the type and the name of a node, or the name alone where it
// begins with the type.
func writeTitle(b *strings.Builder, typ, name string) {
	if !strings.HasPrefix(name, typ) {
		b.WriteString(typ)
		b.WriteByte(' ')
	}
	b.WriteString(name)
}
