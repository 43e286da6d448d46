package semxpath

import (
	"context"
	"errors"

	"recallbench/internal/tree"
)

var errNotYet = errors.New("semxpath: not yet written")

// A Profile says which semantics a query has.
type Profile string

// The profiles.
const (
	// Paper is appendix A of the paper.
	Paper Profile = "paper"
	// Released is the engine that the authors released, without its defects.
	Released Profile = "released"
)

// Values lists the profiles.
func (Profile) Values() []string { return []string{string(Paper), string(Released)} }

// A Pair asks how far a text meets a condition.
type Pair struct{ Text, Condition string }

// A Scorer gives the semantic relevance of each pair, in [0, 1] and in their
// order. It is safe for concurrent use.
type Scorer interface {
	Score(ctx context.Context, pairs []Pair) ([]float64, error)
}

// A TextOf returns the text of a node that conditions on the whole node are
// scored against. The path leads from the root to the node.
type TextOf func(path []*tree.Node) string

// Options say how a query is run.
type Options struct {
	Profile Profile
	Scorer  Scorer // needed by queries with conditions
	Text    TextOf // nil takes [FieldText]
	// Threshold is the least weight of a match, and K the largest number of
	// matches; 0 is no bound. They apply to queries with conditions.
	Threshold float64
	K         int
	Explain   bool // fill Result.Steps
}

// A Result is what a query selects.
type Result struct {
	// Matches are by falling weight and then in document order; for a query
	// without conditions in document order.
	Matches []Match
	Steps   []Step // with Options.Explain
}

// A Match is a node that a query selects.
type Match struct {
	Node   *tree.Node
	At     int // position of [tree.Walk] from the root of the evaluation
	Weight float64
}

// A Step is what one step of a query did, for people and viewers to read.
type Step struct{}

// Run evaluates a query over the tree below and including root. A step that
// names the root's type first is the root itself.
func (q *Query) Run(ctx context.Context, root *tree.Node, o Options) (Result, error) {
	return Result{}, errNotYet
}

// FieldText writes a node as its type, name and fields; for a node with
// children, also theirs in brief.
func FieldText(path []*tree.Node) string { return "" }
