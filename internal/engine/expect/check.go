package expect

import (
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/engine/tree"
)

// An Outcome is the result of a task.
type Outcome struct {
	Nodes  []string   // ids that the method retrieved
	Answer string     // to the user
	First  *tree.Tree // of the conversation
	Before *tree.Tree // before the task
	After  *tree.Tree // afterwards; Before if the task edited nothing
}

// A Verdict says which parts of an expectation hold, and which do not and why.
type Verdict struct {
	Retrieval bool
	// Output is whether both parts of the output hold: the answer says what it
	// must, and the tree is the expected one.
	Output, Answer, Tree bool
	Why                  []string // one line per fault
}

// Pass reports whether both parts hold.
func (v Verdict) Pass() bool { return v.Retrieval && v.Output }

// Check compares an outcome with the expectation.
func Check(e *Expectation, o Outcome) Verdict {
	retrieval, answer, state := o.retrieved(e.Accept), e.Answer.faults(o.Answer), o.tree(e.Tree)
	v := Verdict{Retrieval: len(retrieval) == 0, Answer: len(answer) == 0, Tree: len(state) == 0}
	v.Output = v.Answer && v.Tree
	v.Why = slices.Concat(retrieval, answer, state)
	return v
}

// retrieved returns what is wrong with the nodes: nothing if one of the
// retrievals is met, else the faults by the nearest one.
func (o Outcome) retrieved(accept []Retrieval) []string {
	var nearest []string
	for i, r := range accept {
		var faults []string
		for _, want := range r.Required {
			if !slices.ContainsFunc(o.Nodes, func(id string) bool { return o.is(id, want) }) {
				faults = append(faults, o.label(want)+" was not retrieved")
			}
		}
		for _, id := range o.Nodes {
			if !o.among(id, r.Required) && !o.among(id, r.Allowed) {
				faults = append(faults, o.label(id)+" should not have been retrieved")
			}
		}
		if len(faults) == 0 {
			return nil
		}
		if i == 0 || len(faults) < len(nearest) {
			nearest = faults
		}
	}
	return nearest
}

// ByName is the prefix that identifies a node by its name instead of its id.
const ByName = "name:"

// is reports whether the node of an id is the one that is wanted, by its id or
// by its name.
func (o Outcome) is(id, want string) bool {
	name, ok := strings.CutPrefix(want, ByName)
	if !ok {
		return id == want
	}
	return slices.ContainsFunc(o.trees(), func(t *tree.Tree) bool {
		n, ok := t.Node(id)
		return ok && contains(words(n.Name()), words(name))
	})
}

// trees returns the trees of the outcome, the first first.
func (o Outcome) trees() []*tree.Tree {
	return lists.Filter([]*tree.Tree{o.First, o.Before, o.After}, func(t *tree.Tree) bool { return t != nil })
}

// among reports whether the node of an id is one of those that are wanted.
func (o Outcome) among(id string, wanted []string) bool {
	return slices.ContainsFunc(wanted, func(want string) bool { return o.is(id, want) })
}

// label names a node for people.
func (o Outcome) label(id string) string {
	for _, t := range o.trees() {
		if path := t.Path(id); path != nil {
			return fmt.Sprintf("%s (%s)", id, tree.Label(path))
		}
	}
	return id
}

// faults returns what a text does not say, and what it should not say.
func (a Answer) faults(text string) (faults []string) {
	said := words(text)
	for _, variants := range a.Must {
		if !slices.ContainsFunc(variants, func(v string) bool { return contains(said, words(v)) }) {
			faults = append(faults, "the answer does not say "+quoted(variants))
		}
	}
	for _, v := range a.Not {
		if contains(said, words(v)) {
			faults = append(faults, fmt.Sprintf("the answer says %q", v))
		}
	}
	return faults
}
