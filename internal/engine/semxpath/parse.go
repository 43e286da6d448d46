package semxpath

import (
	"fmt"
	"strings"
)

// Parse reads a query in any of the spellings of doc.go. The error is a
// *SyntaxError.
func Parse(text string) (*Query, error) {
	if len(text) > MaxLength {
		return nil, &SyntaxError{text, MaxLength, fmt.Sprintf("a query has at most %d bytes, not %d", MaxLength, len(text))}
	}
	p := &parser{tokens: lex(text)}
	q, err := p.query()
	if err == nil {
		err = p.limits(q)
	}
	if err != nil {
		err.Query, err.At = text, min(err.At, len(text))
		return nil, err
	}
	q.source = text
	return q, nil
}

// A parser holds the tokens of a query that are not read yet, and how many
// brackets are open.
type parser struct {
	tokens []token
	depth  int
}

// The methods below, one for a production each, return a *SyntaxError without
// the query, or nil.

// query reads a whole query:
//
//	query = path | "(" path ")" [position]
func (p *parser) query() (*Query, *SyntaxError) {
	group := p.accept("(")
	q := &Query{}
	var err *SyntaxError
	if q.steps, err = p.path(); err != nil {
		return nil, err
	}
	if group {
		if err := p.want(")", "want / or // and another step, or ) to close the group"); err != nil {
			return nil, err
		}
		if p.peek().is("[") {
			if q.global, err = p.groupPosition(); err != nil {
				return nil, err
			}
		}
	}
	switch t := p.peek(); {
	case t.kind == eof:
		return q, nil
	case group:
		return nil, p.fault(t, "a group has one position and ends the query; a position within a path stands behind its step, as in //Day[3]/POI")
	case t.is(")"):
		return nil, p.fault(t, "this ) closes nothing")
	case t.is("]"):
		return nil, p.fault(t, "this ] closes nothing")
	case t.is("@"):
		return nil, p.fault(t, `an attribute stands in a condition, as in POI[@name = "..."]`)
	default:
		return nil, p.fault(t, "want / or // and another step, or the end of the query")
	}
}

func (p *parser) groupPosition() (*position, *SyntaxError) {
	open := p.read()
	if !p.atPosition() {
		return nil, p.fault(open, "behind a group stands a position, as in (//POI)[1]; a condition stands within it, behind its step")
	}
	return p.position()
}

// path reads a path:
//
//	path = [axis] step { axis step }
func (p *parser) path() ([]*step, *SyntaxError) {
	var steps []*step
	for {
		a := child
		switch {
		case p.accept("//"):
			a = descendant
		case p.accept("/") || steps == nil:
		default:
			return steps, nil
		}
		s, err := p.step(a, false)
		if err != nil {
			return nil, err
		}
		steps = append(steps, s)
	}
}

// step reads a step:
//
//	step = test { "[" ( position | condition | sibling ) "]" }, each at most once
func (p *parser) step(a axis, evidence bool) (*step, *SyntaxError) {
	s := &step{axis: a, at: p.peek().at}
	var err *SyntaxError
	if s.name, err = p.test(); err != nil {
		return nil, err
	}
	for p.peek().is("[") {
		open := p.read()
		switch {
		case p.atPosition():
			if s.position != nil {
				return nil, p.fault(open, "a step has one position; use [i:j] for a range")
			}
			s.position, err = p.position()
		case p.peek().is("@") && (p.peekAt(1).is("+") || p.peekAt(1).is("-")):
			switch {
			case evidence:
				return nil, p.fault(open, "a step of evidence has no sibling")
			case s.cond == nil:
				return nil, p.fault(open, `a sibling is counted from where a condition leads; put one before it, as in POI[node ~= "..."][@+1]`)
			case s.sibling != 0:
				return nil, p.fault(open, "a step has one sibling")
			}
			s.sibling, err = p.sibling()
		default:
			if s.cond != nil {
				return nil, p.fault(open, "a step has one condition; join two with [min(P, P)] or [P * P]")
			}
			if s.cond, err = p.bracket(open); err != nil {
				return nil, err
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

// test reads a node test:
//
//	test = NAME | "*" | "."
func (p *parser) test() (string, *SyntaxError) {
	t := p.peek()
	switch {
	case t.is("*") || t.is("."):
		p.read()
		return anyType, nil
	case t.is(".."):
		return "", p.fault(t, "a query leads down only; name the node above in the step before")
	case t.is("@"):
		return "", p.fault(t, `an attribute is no step; use it in a condition, as in POI[@name = "..."]`)
	case t.is("("):
		return "", p.fault(t, "a group is the whole query, as in (//Day/POI)[1]")
	case t.kind != name:
		return "", p.fault(t, "want a node type or *")
	case p.peekAt(1).is("::"):
		return "", p.fault(t, axisHint(t.text))
	case p.peekAt(1).is("("):
		return "", p.fault(t, "a step is a node type or *, and no function")
	}
	p.read()
	return t.text, nil
}

// bracket reads a condition in brackets:
//
//	bracket = condition "]", after the opening bracket
func (p *parser) bracket(open token) (condition, *SyntaxError) {
	if p.peek().is("]") {
		return nil, p.fault(p.peek(), "want a position or a condition")
	}
	return p.enclosed(open, "]", p.either)
}

// enclosed reads what inner reads and the mark that closes it. Only here do
// productions call each other without end, so here nesting is bounded.
func (p *parser) enclosed(open token, closing string, inner func() (condition, *SyntaxError)) (condition, *SyntaxError) {
	if p.depth++; p.depth > maxNesting {
		return nil, p.fault(open, tooDeep)
	}
	defer func() { p.depth-- }()
	c, err := inner()
	if err != nil || closing == "" {
		return c, err
	}
	return c, p.want(closing, "want "+closing)
}

var tooDeep = fmt.Sprintf("conditions nest at most %d deep", MaxDepth)

func (p *parser) peek() token { return p.tokens[0] }

// peekAt returns the token after n others; the last one where there are fewer.
func (p *parser) peekAt(n int) token { return p.tokens[min(n, len(p.tokens)-1)] }

func (p *parser) read() token {
	t := p.tokens[0]
	if len(p.tokens) > 1 {
		p.tokens = p.tokens[1:]
	}
	return t
}

// accept reads the punctuation or word if it follows.
func (p *parser) accept(text string) bool {
	if t := p.peek(); t.is(text) || t.kind == name && strings.EqualFold(t.text, text) {
		p.read()
		return true
	}
	return false
}

// want reads the punctuation, or says what is wrong.
func (p *parser) want(mark, otherwise string) *SyntaxError {
	if p.accept(mark) {
		return nil
	}
	if t := p.peek(); t.is("+") {
		return p.fault(t, "a sum stands in a mean only: (P + P)/2")
	}
	return p.fault(p.peek(), otherwise)
}

// fault says what is wrong at a token, unless the token itself or a word in its
// place says more.
func (p *parser) fault(t token, want string) *SyntaxError {
	if t.kind == wrong {
		want = t.text
	} else if hint := wordHint(t.text); t.kind == name && hint != "" {
		want = hint
	}
	return &SyntaxError{At: t.at, Want: want}
}

// What a query may be at most.
const (
	MaxLength = 64 << 10 // bytes, as written and in the canonical spelling
	MaxDepth  = 100      // conditions within conditions
	MaxSteps  = 1000     // steps, those of evidence included
)

// maxNesting bounds brackets within brackets as written. The canonical spelling
// of a query of MaxDepth stays below it.
const maxNesting = 3 * MaxDepth

// limits says where a query is more than it may be.
func (p *parser) limits(q *Query) *SyntaxError {
	n := 0
	for s := range q.allSteps() {
		if n++; n > MaxSteps {
			return &SyntaxError{At: s.at, Want: fmt.Sprintf("a query has at most %d steps", MaxSteps)}
		}
	}
	for _, s := range q.steps {
		if deep := deeper(s.cond, MaxDepth); deep != nil {
			return &SyntaxError{At: deep.offset(), Want: tooDeep}
		}
	}
	if n := len(q.String()); n > MaxLength {
		return &SyntaxError{At: MaxLength, Want: fmt.Sprintf("a query has at most %d bytes, and this one %d in its canonical spelling", MaxLength, n)}
	}
	return nil
}

// deeper returns a condition that stands deeper than depth; nil for none.
func deeper(c condition, depth int) condition {
	if c == nil {
		return nil
	}
	if depth == 0 {
		return c
	}
	for _, c := range parts(c) {
		if deep := deeper(c, depth-1); deep != nil {
			return deep
		}
	}
	return nil
}
