package semxpath

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Query is a parsed query. Its String is the canonical spelling, which
// parses back to an equal query. It never changes and is safe for concurrent
// use.
type Query struct {
	source string // as it was written, for messages
	steps  []*step
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
	cond     condition // nil for none
	sibling  int       // k of [@+k], -k of [@-k]; 0 for none
}

// A position selects by place, both ends included: from 1, or from -1 for the
// last. Neither is 0. [i] is [i:i], and an open end is 1 or -1.
type position struct{ from, to int }

// A condition gives a node a relevance.
type condition interface {
	// write appends the canonical spelling; operand asks for parentheses
	// around what would not hold together between operators.
	write(b *strings.Builder, operand bool)
	offset() int
}

type (
	// A match is a local condition: of the whole node, or of an attribute.
	match struct {
		at    int
		attr  string // wholeNode or the name of an attribute
		exact bool   // @attr = value
		value string
	}
	// An inverse is 1-P.
	inverse struct {
		at int
		of condition
	}
	// A combination joins two or more conditions on one node.
	combination struct {
		at int
		op operator
		of []condition
	}
	// An aggregation joins the relevance of a step's nodes.
	aggregation struct {
		at       int
		op       operator
		evidence *step
	}
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
	var b strings.Builder
	if q.global != nil {
		b.WriteByte('(')
	}
	for _, s := range q.steps {
		b.WriteString(s.axis.String())
		s.write(&b)
	}
	if q.global != nil {
		b.WriteByte(')')
		q.global.write(&b)
	}
	return b.String()
}

// write appends the step without its axis.
func (s *step) write(b *strings.Builder) {
	b.WriteString(s.name)
	if s.position != nil {
		s.position.write(b)
	}
	if s.cond != nil {
		b.WriteByte('[')
		s.cond.write(b, false)
		b.WriteByte(']')
	}
	if s.sibling != 0 {
		b.WriteString("[@")
		if s.sibling > 0 {
			b.WriteByte('+')
		}
		b.WriteString(strconv.Itoa(s.sibling) + "]")
	}
}

func (p *position) write(b *strings.Builder) {
	b.WriteString("[" + strconv.Itoa(p.from))
	if p.to != p.from {
		b.WriteByte(':')
		if p.to != -1 {
			b.WriteString(strconv.Itoa(p.to))
		}
	}
	b.WriteByte(']')
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

func (m *match) write(b *strings.Builder, operand bool) {
	if operand {
		b.WriteByte('(')
		defer b.WriteByte(')')
	}
	if m.exact {
		b.WriteString("@" + m.attr + " = " + quote(m.value))
	} else {
		b.WriteString(m.attr + " ~= " + quote(m.value))
	}
}

func (i *inverse) write(b *strings.Builder, operand bool) {
	if operand {
		b.WriteByte('(')
		defer b.WriteByte(')')
	}
	b.WriteString("1-(")
	i.of.write(b, false)
	b.WriteByte(')')
}

func (c *combination) write(b *strings.Builder, operand bool) {
	open, between, end := string(c.op)+"(", ", ", ")"
	if c.op == product {
		open, between, end = "", " * ", ""
		if operand {
			open, end = "(", ")"
		}
	}
	b.WriteString(open)
	for i, of := range c.of {
		if i > 0 {
			b.WriteString(between)
		}
		of.write(b, c.op == product)
	}
	b.WriteString(end)
}

func (a *aggregation) write(b *strings.Builder, _ bool) {
	b.WriteString(string(a.op) + "(" + a.evidence.axis.String())
	a.evidence.write(b)
	b.WriteByte(')')
}

func (m *match) offset() int       { return m.at }
func (i *inverse) offset() int     { return i.at }
func (c *combination) offset() int { return c.at }
func (a *aggregation) offset() int { return a.at }

// spell returns the canonical spelling of a condition.
func spell(c condition) string {
	var b strings.Builder
	c.write(&b, false)
	return b.String()
}

// Types returns the names of node types in the query, in order and without
// doubles.
func (q *Query) Types() []string {
	var types []string
	for s := range q.allSteps() {
		if s.name != anyType && !slices.Contains(types, s.name) {
			types = append(types, s.name)
		}
	}
	return types
}

// Conditions reports whether the query weighs nodes: without conditions it
// selects by structure only and needs no scorer.
func (q *Query) Conditions() bool {
	return slices.ContainsFunc(q.steps, func(s *step) bool { return s.cond != nil })
}

// allSteps yields the steps of the query, each before the steps of evidence in
// its condition.
func (q *Query) allSteps() func(yield func(*step) bool) {
	return func(yield func(*step) bool) {
		for _, s := range q.steps {
			if !s.all(yield) {
				return
			}
		}
	}
}

func (s *step) all(yield func(*step) bool) bool {
	return yield(s) && (s.cond == nil || visit(s.cond, func(c condition) bool {
		a, ok := c.(*aggregation)
		return !ok || a.evidence.all(yield)
	}))
}

// visit calls f for a condition and those that it is made of, without those of
// steps of evidence, until f returns false.
func visit(c condition, f func(condition) bool) bool {
	if !f(c) {
		return false
	}
	_, evidence := c.(*aggregation)
	return evidence || !slices.ContainsFunc(parts(c), func(of condition) bool { return !visit(of, f) })
}

// parts returns the conditions that one is made of, that of its evidence included.
func parts(c condition) []condition {
	switch c := c.(type) {
	case *inverse:
		return []condition{c.of}
	case *combination:
		return c.of
	case *aggregation:
		return []condition{c.evidence.cond}
	}
	return nil
}

// An operator joins relevances into one.
type operator string

const (
	mean      operator = "avg"
	minimum   operator = "min"
	maximum   operator = "max"
	geometric operator = "gmean"
	product   operator = "*"
)

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
	x := of[0]
	switch o {
	case mean:
		for _, y := range of[1:] {
			x += y
		}
		x /= float64(len(of))
	case minimum:
		for _, y := range of[1:] {
			x = min(x, y)
		}
	case maximum:
		for _, y := range of[1:] {
			x = max(x, y)
		}
	case product:
		for _, y := range of[1:] {
			x *= y
		}
	case geometric:
		// By logarithms, as a product of many small numbers would be 0.
		sum := 0.0
		for _, y := range of {
			sum += math.Log(y)
		}
		x = math.Exp(sum / float64(len(of)))
	}
	return min(max(x, 0), 1)
}
