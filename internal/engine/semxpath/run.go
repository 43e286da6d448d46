package semxpath

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

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

// Limits of an evaluation if [Options] set none.
const (
	DefaultVisits = 50_000_000
	DefaultPairs  = 100_000
)

// maxText bounds the texts of nodes that a query has scored, in bytes.
const maxText = 256 << 20

// ErrLimit is wrapped by the errors of queries that need more work than
// [Options] allow.
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
	// Visits is how many nodes may be visited, and Pairs how many pairs of text
	// and condition may be scored; 0 means DefaultVisits and DefaultPairs.
	Visits, Pairs int
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
	for _, bound := range []struct {
		name string
		n    int
	}{{"k", o.K}, {"visits", o.Visits}, {"pairs", o.Pairs}} {
		if bound.n < 0 {
			faults = append(faults, fmt.Errorf("%s is %d, want at least 0", bound.name, bound.n))
		}
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
	o.Visits, o.Pairs = cmp.Or(o.Visits, DefaultVisits), cmp.Or(o.Pairs, DefaultPairs)
	return newEvaluation(ctx, root, o).run(q)
}
