// Package expect says what a request about a structured memory should lead to,
// in a form that a program can check: which nodes to retrieve, what the answer
// has to say and must not say, and how the tree looks afterwards.
package expect

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"recallbench/internal/tree"
)

// An Expectation is what should come of a request. Both parts have to hold: the
// nodes are those of one of Accept, and the output meets Answer and Tree.
type Expectation struct {
	// Accept lists the retrievals that are right; each names ids of nodes of
	// the tree as the sample has it, whatever version they are read in.
	Accept []Retrieval `yaml:"accept" json:"accept"`
	Answer Answer      `yaml:"answer,omitempty" json:"answer,omitzero"`
	Tree   *State      `yaml:"tree,omitempty" json:"tree,omitempty"` // nil: the tree is as it was
}

// A Retrieval is right when it has all of Required and nothing but Required and
// Allowed.
type Retrieval struct {
	Required []string `yaml:"required" json:"required"`
	Allowed  []string `yaml:"allowed,omitempty" json:"allowed,omitempty"`
}

// An Answer says what a text has to say. Texts are compared word by word,
// without regard to case, punctuation and white space.
type Answer struct {
	// Must lists facts, each with the variants of which one has to be there.
	Must [][]string `yaml:"must,omitempty" json:"must,omitempty"`
	// Not lists what must not be there.
	Not []string `yaml:"not,omitempty" json:"not,omitempty"`
}

// A State says how a tree looks after an edit.
type State struct {
	// Exists lists nodes that the edit has to have made, or that it has to
	// leave there.
	Exists []Node `yaml:"exists,omitempty" json:"exists,omitempty"`
	// Absent lists ids of nodes that must be gone.
	Absent []string `yaml:"absent,omitempty" json:"absent,omitempty"`
	// Fields says what fields of nodes have to be, by id and by field.
	Fields map[string]map[string]Value `yaml:"fields,omitempty" json:"fields,omitempty"`
	// Optional lists ids of nodes that may change in any way, with what is
	// below them.
	Optional []string `yaml:"optional,omitempty" json:"optional,omitempty"`
	// Restored is set when the tree has to be as the sample has it, but for
	// what the rest says; otherwise as it was before the request.
	Restored bool `yaml:"restored,omitempty" json:"restored,omitempty"`
}

// A Node describes a node that has to be there.
type Node struct {
	ID     string           `yaml:"id,omitempty" json:"id,omitempty"` // empty for one that the edit makes
	Type   string           `yaml:"type,omitempty" json:"type,omitempty"`
	Parent string           `yaml:"parent,omitempty" json:"parent,omitempty"` // id
	Fields map[string]Value `yaml:"fields,omitempty" json:"fields,omitempty"`
	// After and Before name siblings that it has to come after or before.
	After  string `yaml:"after,omitempty" json:"after,omitempty"`
	Before string `yaml:"before,omitempty" json:"before,omitempty"`
}

// A Value says what a text has to be: one of Equals, compared as in [Answer];
// or containing one of Has; or matching the regular expression Matches. What
// is empty asks for nothing.
type Value struct {
	Equals  []string `yaml:"equals,omitempty" json:"equals,omitempty"`
	Has     []string `yaml:"has,omitempty" json:"has,omitempty"`
	Matches string   `yaml:"matches,omitempty" json:"matches,omitempty"`
}

// An Outcome is what came of a request.
type Outcome struct {
	Nodes  []string   // ids that the method retrieved
	Answer string     // to the user
	First  *tree.Tree // as the sample has it
	Before *tree.Tree // when the request was made
	After  *tree.Tree // afterwards; Before where the request edited nothing
}

// A Verdict says what of an expectation holds, and what does not and why.
type Verdict struct {
	Retrieval, Output bool
	Why               []string
}

// Pass reports whether both parts hold.
func (v Verdict) Pass() bool { return v.Retrieval && v.Output }

var _ = []any{errors.New, fmt.Sprint, regexp.Compile, slices.Contains[[]string], strings.Fields}
