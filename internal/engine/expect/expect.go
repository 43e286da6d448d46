// Package expect describes the expected outcome of a task about a structured
// memory in a form that a program can check: which nodes to retrieve, what the
// answer must and must not say, and the tree afterwards.
package expect

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"recallbench/internal/door/fault"
)

// An Expectation is the expected outcome of a task. Both parts have to hold:
// the nodes are those of one of Accept, and the output meets Answer and Tree.
type Expectation struct {
	// Accept lists the right retrievals; each names ids of nodes of the
	// conversation's tree, whatever version they are read in.
	Accept []Retrieval `yaml:"accept" json:"accept"`
	Answer Answer      `yaml:"answer,omitempty" json:"answer,omitzero"`
	Tree   *State      `yaml:"tree,omitempty" json:"tree,omitempty"` // nil: the tree is unchanged
}

// A Retrieval is right if it has all of Required and nothing but Required and
// Allowed. Both have ids. Here and in a [State], "name:" and the name of a node
// replace the id of a node that the task creates, which has no known one.
type Retrieval struct {
	Required []string `yaml:"required" json:"required"`
	Allowed  []string `yaml:"allowed,omitempty" json:"allowed,omitempty"`
}

// An Answer says what a text must and must not say. Texts are compared word by
// word, ignoring case, punctuation and white space.
type Answer struct {
	// Must lists facts, each with its variants; one variant must occur.
	Must [][]string `yaml:"must,omitempty" json:"must,omitempty"`
	// Not lists what must not occur.
	Not []string `yaml:"not,omitempty" json:"not,omitempty"`
}

// Asks reports whether there is anything that the answer must, or must not, say.
func (a Answer) Asks() bool { return len(a.Must)+len(a.Not) > 0 }

// A State describes a tree after an edit.
type State struct {
	// Exists lists nodes that the edit must have made or left in place.
	Exists []Node `yaml:"exists,omitempty" json:"exists,omitempty"`
	// Absent lists ids of nodes that must be gone.
	Absent []string `yaml:"absent,omitempty" json:"absent,omitempty"`
	// Fields has the required fields of nodes, by id and by field.
	Fields map[string]map[string]Value `yaml:"fields,omitempty" json:"fields,omitempty"`
	// Optional lists ids of nodes that may change in any way, with everything below them.
	Optional []string `yaml:"optional,omitempty" json:"optional,omitempty"`
	// Restored is set if everything else must be as in the original tree; otherwise, as
	// before the task.
	Restored bool `yaml:"restored,omitempty" json:"restored,omitempty"`
}

// A Node describes a node that must exist.
type Node struct {
	ID     string           `yaml:"id,omitempty" json:"id,omitempty"` // empty for one that the edit makes
	Type   string           `yaml:"type,omitempty" json:"type,omitempty"`
	Parent string           `yaml:"parent,omitempty" json:"parent,omitempty"` // id
	Fields map[string]Value `yaml:"fields,omitempty" json:"fields,omitempty"`
	// After and Before name siblings that it has to come after or before.
	After  string `yaml:"after,omitempty" json:"after,omitempty"`
	Before string `yaml:"before,omitempty" json:"before,omitempty"`
}

// A Value is a requirement for a text: one of Equals, compared as in [Answer];
// or containing one of Has; or matching the regular expression Matches. Empty
// fields require nothing.
type Value struct {
	Equals  []string `yaml:"equals,omitempty" json:"equals,omitempty"`
	Has     []string `yaml:"has,omitempty" json:"has,omitempty"`
	Matches string   `yaml:"matches,omitempty" json:"matches,omitempty"`
}

// Validate reports an expectation that nothing can meet or that says nothing.
func (e *Expectation) Validate() error {
	var faults fault.List
	faults.Want(len(e.Accept) > 0, "accept is empty, want at least one retrieval")
	for i, r := range e.Accept {
		faults.Want(len(r.Required)+len(r.Allowed) > 0, "accept[%d] names no node", i)
		faults = append(faults, nameless(fmt.Sprintf("accept[%d]", i), slices.Concat(r.Required, r.Allowed)...)...)
	}
	for i, variants := range e.Answer.Must {
		faults.Want(len(variants) > 0, "answer.must[%d] has no variants", i)
		for _, v := range variants {
			faults.Want(len(words(v)) > 0, "answer.must[%d] has the variant %q, which has no word", i, v)
		}
	}
	for i, v := range e.Answer.Not {
		faults.Want(len(words(v)) > 0, "answer.not[%d] is %q, which has no word", i, v)
	}
	if e.Tree != nil {
		faults = append(faults, e.Tree.validate()...)
	}
	return errors.Join(faults...)
}

func (s *State) validate() (faults fault.List) {
	faults.Want(len(s.Exists)+len(s.Absent)+len(s.Fields) > 0 || s.Restored, "tree requires no change; leave it out for a read")
	check := func(where string, fields map[string]Value) {
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			_, err := fields[name].pattern()
			faults.Want(err == nil, "%s.%s.matches: %w", where, name, err)
		}
	}
	faults = append(faults, nameless("tree.absent", s.Absent...)...)
	faults = append(faults, nameless("tree.optional", s.Optional...)...)
	for i, n := range s.Exists {
		at := fmt.Sprintf("tree.exists[%d]", i)
		faults.Want(n.ID != "" || n.Type != "" || len(n.Fields) > 0, "%s describes any node; want id, type or fields", at)
		check(at+".fields", n.Fields)
		faults = append(faults, nameless(at, n.ID, n.Parent, n.After, n.Before)...)
	}
	for _, id := range slices.Sorted(maps.Keys(s.Fields)) {
		check("tree.fields."+id, s.Fields[id])
		faults = append(faults, nameless("tree.fields", id)...)
	}
	return faults
}

// nameless returns a fault for each name without a word, which no node goes by.
func nameless(where string, ids ...string) (faults fault.List) {
	for _, id := range ids {
		name, named := strings.CutPrefix(id, ByName)
		faults.Want(!named || len(words(name)) > 0, "%s has the name %q, which has no word", where, id)
	}
	return faults
}
