package semxpath

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/engine/tree"
	"recallbench/internal/text/suggest"
)

// A Query is a parsed query. Its String is the canonical spelling, which
// parses back to an equal query. It never changes and is safe for concurrent
// use.
type Query struct {
	source string // as it was written, for messages
	steps  []*step
	all    []*step   // as they were read, those of evidence included
	global *position // of (path)[i]; nil for none
}

// An axis is where a step goes from a node.
type axis uint8

const (
	child      axis = iota // /
	descendant             // //
)

func (a axis) String() string {
	if a == descendant {
		return "//"
	}
	return "/"
}

// anyType is the node test that every node passes.
const anyType = "*"

// A step is an axis, a node test and what may follow them. The position comes
// before the condition, however they are written.
type step struct {
	at       int // byte offset of the node test
	axis     axis
	name     string // a node type or anyType
	position *position
	cond     *condition // nil for none
	sibling  int        // k of [@+k], -k of [@-k]; 0 for none
}

// A position selects by place, both ends included: from 1, or from -1 for the
// last. Neither is 0. [i] is [i:i], and an open end is 1 or -1.
type position struct{ from, to int }

// A condition gives a node a relevance.
type condition struct {
	at int
	op operator
	// attr and value are those of a match: wholeNode or the name of an attribute, and
	// what it is compared with.
	attr, value string
	// of are the conditions on the same node that an inverse or a combination applies to.
	of []*condition
	// evidence is the step whose nodes an aggregation joins; it has a condition.
	evidence *step
}

// An operator says how a condition comes to its relevance.
type operator string

const (
	similar   operator = "~=" // of a match by meaning
	equal     operator = "="  // of a match to the letter
	inverse   operator = "1-" // of one condition
	mean      operator = "avg"
	minimum   operator = "min"
	maximum   operator = "max"
	geometric operator = "gmean"
	product   operator = "*"
)

// wholeNode is the attribute that stands for the node as a whole. So does
// contentWord, in the authors' code, where a node has no such attribute.
const (
	wholeNode   = "node"
	contentWord = "content"
	idWord      = "id"
)

// String returns the canonical spelling.
func (q *Query) String() string {
	path := strings.Join(lists.Map(q.steps, (*step).String), "")
	if q.global != nil {
		return "(" + path + ")" + q.global.String()
	}
	return path
}

// String returns the canonical spelling with the axis.
func (s *step) String() string {
	text := s.axis.String() + s.name + s.position.String()
	if s.cond != nil {
		text += "[" + s.cond.String() + "]"
	}
	switch {
	case s.sibling > 0:
		text += "[@+" + strconv.Itoa(s.sibling) + "]"
	case s.sibling < 0:
		text += "[@" + strconv.Itoa(s.sibling) + "]"
	}
	return text
}

// String returns the canonical spelling, "" of nil.
func (p *position) String() string {
	switch {
	case p == nil:
		return ""
	case p.to == p.from:
		return "[" + strconv.Itoa(p.from) + "]"
	case p.to == -1:
		return "[" + strconv.Itoa(p.from) + ":]"
	}
	return "[" + strconv.Itoa(p.from) + ":" + strconv.Itoa(p.to) + "]"
}

// bounds returns the part of n nodes, in order, that the position selects.
func (p *position) bounds(n int) (from, to int) {
	if from = p.from - 1; p.from < 0 {
		from = n + p.from
	}
	if to = p.to; p.to < 0 {
		to = n + p.to + 1
	}
	from = min(max(from, 0), n)
	return from, max(from, min(to, n))
}

// of returns the nodes that the position selects, which is all where it is nil.
func (p *position) of(nodes []Match) []Match {
	if p == nil {
		return nodes
	}
	from, to := p.bounds(len(nodes))
	return nodes[from:to]
}

// String returns the canonical spelling.
func (c *condition) String() string {
	switch {
	case c.evidence != nil:
		return string(c.op) + "(" + c.evidence.String() + ")"
	case c.op == similar:
		return c.attr + " ~= " + Quote(c.value)
	case c.op == equal:
		return "@" + c.attr + " = " + Quote(c.value)
	case c.op == inverse:
		return "1-(" + c.of[0].String() + ")"
	case c.op == product:
		return strings.Join(lists.Map(c.of, (*condition).factor), " * ")
	}
	return string(c.op) + "(" + strings.Join(lists.Map(c.of, (*condition).String), ", ") + ")"
}

// factor returns the canonical spelling within a product: in parentheses, unless it is
// a function.
func (c *condition) factor() string {
	if c.evidence != nil || c.op != product && c.op != inverse && !c.match() {
		return c.String()
	}
	return "(" + c.String() + ")"
}

// match reports whether the condition compares a text of the node.
func (c *condition) match() bool { return c.op == similar || c.op == equal }

// parts returns the conditions that one is made of, that of its evidence included.
func (c *condition) parts() []*condition {
	if c.evidence != nil {
		return []*condition{c.evidence.cond}
	}
	return c.of
}

// Types returns the names of node types in the query, in order and without
// doubles.
func (q *Query) Types() []string {
	var types []string
	for _, s := range q.all {
		if s.name != anyType {
			types = lists.AddNew(types, s.name)
		}
	}
	return types
}

// Conditions reports whether the query weighs nodes: without conditions it
// selects by structure only and needs no scorer.
func (q *Query) Conditions() bool {
	return slices.ContainsFunc(q.steps, func(s *step) bool { return s.cond != nil })
}

// join returns the relevance of relevances in [0, 1], which lies in [0, 1]
// itself. Of none it is 0: a node without evidence is not relevant.
//
//	avg    sum / n
//	gmean  the n-th root of the product; 0 if one is 0
//	*      the product
func (o operator) join(of []float64) float64 {
	if len(of) == 0 {
		return 0
	}
	x := 0.0
	switch o {
	case minimum:
		x = slices.Min(of)
	case maximum:
		x = slices.Max(of)
	case product:
		x = 1
		for _, y := range of {
			x *= y
		}
	case geometric:
		// By logarithms, as a product of many small numbers would be 0.
		for _, y := range of {
			x += math.Log(y)
		}
		x = math.Exp(x / float64(len(of)))
	default:
		for _, y := range of {
			x += y
		}
		x /= float64(len(of))
	}
	return min(max(x, 0), 1)
}

// Check reports every node type and attribute of a query that a schema does not
// have, with the one that was probably meant, as *SyntaxErrors joined. An
// attribute has to be one of the type of its step, or for * of any type.
// Every node has the attribute id.
//
// [Query.Run] does not ask for it: there a step of an unknown type selects
// nothing.
func Check(q *Query, s *tree.Schema) error {
	var faults []error
	add := func(at int, message string) {
		faults = append(faults, &SyntaxError{Query: q.source, At: at, Want: message})
	}
	types := lists.Map(s.Types, func(t tree.Type) string { return t.Name })
	for _, step := range q.all {
		if step.name != anyType && !slices.Contains(types, step.name) {
			add(step.at, suggest.Unknown("node type", step.name, types))
			continue // its attributes cannot be known
		}
		fields := append(fieldsOf(s, step.name), idWord)
		known := func(name string) bool {
			return slices.ContainsFunc(fields, func(f string) bool { return strings.EqualFold(f, name) })
		}
		for _, c := range step.cond.matches() {
			if (c.op == equal || c.attr != wholeNode && c.attr != contentWord) && !known(c.attr) {
				add(c.at, suggest.Unknown("attribute", c.attr, fields))
			}
		}
	}
	return errors.Join(faults...)
}

// matches yields the matches that a condition is made of, without those of evidence.
func (c *condition) matches() (all []*condition) {
	switch {
	case c == nil:
	case c.match():
		all = append(all, c)
	default:
		for _, of := range c.of {
			all = append(all, of.matches()...)
		}
	}
	return all
}

// fieldsOf returns the names of the fields of a type, or of all types for
// anyType.
func fieldsOf(s *tree.Schema, typ string) []string {
	var names []string
	for _, t := range s.Types {
		if typ != anyType && t.Name != typ {
			continue
		}
		for _, f := range t.Fields {
			names = lists.AddNew(names, f.Name)
		}
	}
	return names
}
