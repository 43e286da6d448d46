package semxpath

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// What a query may be at most.
const (
	MaxLength = 64 << 10 // bytes, as written and in the canonical spelling
	MaxDepth  = 100      // conditions within conditions
	MaxSteps  = 1000     // steps, those of evidence included
)

// maxNesting bounds brackets within brackets as written. The canonical spelling
// of a query of MaxDepth stays below it.
const maxNesting = 3 * MaxDepth

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
		return "", p.fault(t, axisHint(t.text, p.peekAt(2)))
	case p.peekAt(1).is("("):
		return "", p.fault(t, "a step is a node type or *, and no function")
	}
	p.read()
	return t.text, nil
}

// axisHint says how an axis of XPath is written.
func axisHint(axis string, after token) string {
	node := "X"
	if after.kind == name && len(after.text) <= 40 {
		node = after.text
	}
	switch strings.ToLower(axis) {
	case "descendant", "descendant-or-self", "desc":
		return "axes have no names; use //" + node
	case "child":
		return "axes have no names; use /" + node
	case "following-sibling", "preceding-sibling":
		return "axes have no names; a sibling is written [@+1] or [@-1] behind a condition"
	case "attribute":
		return `an attribute is no step; use it in a condition, as in POI[@name = "..."]`
	}
	return "axes have no names; / leads to children and // to all below, and nothing leads up"
}

// atPosition reports whether a position follows, right or wrong: not the 1 of
// 1-P.
func (p *parser) atPosition() bool {
	t, after := p.peek(), p.peekAt(1)
	switch {
	case t.kind == number:
		return !after.is("-") || p.peekAt(2).kind == number && p.peekAt(3).is("]")
	case t.is("-"), t.is("+"):
		return after.kind == number
	}
	return t.is(":")
}

// position reads a position:
//
//	position = i | -i | [i] ":" [j], up to the closing bracket
func (p *parser) position() (*position, *SyntaxError) {
	r := &position{from: 1, to: -1}
	var err *SyntaxError
	start := p.peek()
	if !start.is(":") {
		if r.from, err = p.index(); err != nil {
			return nil, err
		}
		r.to = r.from
	}
	switch t := p.peek(); {
	case p.accept(":"):
		r.to = -1
		if p.peek().is("]") {
			if start.is(":") {
				return nil, p.fault(start, "a range has an end; use [i:j], [i:] or [:j]")
			}
		} else if r.to, err = p.index(); err != nil {
			return nil, err
		}
	case t.is("-") || t.is(","):
		return nil, p.fault(t, "a range is written with a colon, as in [1:3]")
	}
	return r, p.want("]", "want ] to close the position; it is [i], [-i], [i:j], [i:] or [:j]")
}

// index reads a number that a place has: from 1, or from -1.
func (p *parser) index() (int, *SyntaxError) {
	start := p.peek()
	sign := 1
	if p.accept("-") {
		sign = -1
	}
	t := p.peek()
	if t.kind != number {
		return 0, p.fault(t, "want a number: 1 is the first and -1 the last")
	}
	p.read()
	i, err := strconv.ParseInt(t.text, 10, 64)
	switch {
	case err != nil || i > math.MaxInt32:
		return 0, p.fault(start, fmt.Sprintf("index is at most %d", math.MaxInt32))
	case i == 0:
		return 0, p.fault(start, "index counts from 1; use [1] or [-1]")
	}
	return sign * int(i), nil
}

// sibling reads a sibling:
//
//	sibling = "@" ( "+" | "-" ) k, up to the closing bracket
func (p *parser) sibling() (int, *SyntaxError) {
	p.read()
	if p.accept("+") && p.peek().is("-") {
		return 0, p.fault(p.peek(), "a sibling is [@+k] after the node or [@-k] before it")
	}
	k, err := p.index()
	if err != nil {
		if strings.HasPrefix(err.Want, "index counts") {
			err.Want = "a sibling counts from 1; use [@+1] or [@-1]"
		}
		return 0, err
	}
	return k, p.want("]", "want ] to close the sibling, as in [@+1]")
}

// bracket reads a condition in brackets:
//
//	bracket = condition "]", after the opening bracket
func (p *parser) bracket(open token) (condition, *SyntaxError) {
	if p.peek().is("]") {
		return nil, p.fault(p.peek(), "want a position or a condition")
	}
	return p.enclosed(open, "]", p.product)
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

// product reads a product:
//
//	product = unary { "*" unary }
func (p *parser) product() (condition, *SyntaxError) {
	at := p.peek().at
	first, err := p.unary()
	if err != nil {
		return nil, err
	}
	of := []condition{first}
	for p.accept("*") {
		c, err := p.unary()
		if err != nil {
			return nil, err
		}
		of = append(of, c)
	}
	if len(of) == 1 {
		return first, nil
	}
	return &combination{at: at, op: product, of: of}, nil
}

// unary reads a condition that nothing joins to others:
//
//	unary = "1" "-" unary | primary
func (p *parser) unary() (condition, *SyntaxError) {
	t := p.peek()
	if t.kind != number {
		return p.primary()
	}
	if t.text != "1" || !p.peekAt(1).is("-") {
		return nil, p.fault(t, "a number stands in a position or in 1-P only")
	}
	p.read()
	p.read()
	of, err := p.enclosed(t, "", p.unary)
	return &inverse{at: t.at, of: of}, err
}

// primary reads a condition without 1-:
//
//	primary = match | function | "[" product "]" | "(" product ")" | mean
func (p *parser) primary() (condition, *SyntaxError) {
	t, after := p.peek(), p.peekAt(1)
	switch {
	case t.is("["):
		p.read()
		return p.bracket(t)
	case t.is("("):
		p.read()
		return p.enclosed(t, "", p.group)
	case t.is("@"):
		p.read()
		return p.match(t)
	case t.is("/") || t.is("//") || t.is("*") || t.is("."), t.kind == name && after.is("["):
		return nil, p.fault(t, `a step within a condition is evidence and needs an aggregation, as in max(/POI[node ~= "..."])`)
	case t.kind == quoted:
		return nil, p.fault(t, "want node ~= before the text, or an attribute and ~=")
	case t.kind != name:
		return nil, p.fault(t, `want a condition, as in node ~= "..."`)
	case after.is("("):
		return p.function()
	case after.is("::"):
		return nil, p.fault(t, axisHint(t.text, p.peekAt(2)))
	case slices.Contains([]string{"not", "and", "or"}, strings.ToLower(t.text)) && !after.is("~="):
		return nil, p.fault(t, wordHint(t.text))
	}
	return p.match(t)
}

// match reads a match:
//
//	match = NAME "~=" STRING | "@" NAME ( "=" | "~=" ) STRING
func (p *parser) match(first token) (condition, *SyntaxError) {
	m := &match{at: first.at}
	attribute := p.peek()
	if attribute.kind != name {
		return nil, p.fault(attribute, "want the name of an attribute")
	}
	p.read()
	m.attr = attribute.text
	switch t := p.peek(); {
	case p.accept("~="):
	case first.is("@") && p.accept("="):
		m.exact = true
	case t.is("=") || t.is("=="):
		return nil, p.fault(t, fmt.Sprintf("a match is written %s ~=; an attribute that is to be equal, @%[1]s =", attribute.text))
	case first.is("@"):
		return nil, p.fault(t, `want = or ~= and a string, as in @name = "..."`)
	default:
		return nil, p.fault(t, `want ~= and a string, as in node ~= "..."`)
	}
	t := p.peek()
	if t.kind != quoted {
		return nil, p.fault(t, `want a string in quotes, as in "..."`)
	}
	p.read()
	m.value = t.text
	if after := p.peek(); after.kind == name && after.at == t.end {
		return nil, p.fault(after, `the string ends before this; a quote within a string is written \" or \'`)
	}
	return m, nil
}

// group reads what is in parentheses:
//
//	group = product ")" | mean, after the opening parenthesis
//	mean = product "+" product { "+" product } ")" "/" n, of n conditions
func (p *parser) group() (condition, *SyntaxError) {
	at := p.peek().at
	first, err := p.product()
	if err != nil {
		return nil, err
	}
	of := []condition{first}
	for p.accept("+") {
		c, err := p.product()
		if err != nil {
			return nil, err
		}
		of = append(of, c)
	}
	if err := p.want(")", "want )"); err != nil || len(of) == 1 {
		return first, err
	}
	divide := fmt.Sprintf("a mean divides the sum of its conditions by their number, here by %d: (P + P)/2", len(of))
	if !p.accept("/") {
		return nil, p.fault(p.peek(), divide)
	}
	if t := p.peek(); t.kind != number || t.text != strconv.Itoa(len(of)) {
		return nil, p.fault(t, divide)
	}
	p.read()
	return &combination{at: at, op: mean, of: of}, nil
}

// functions names the operators by the words for them.
var functions = map[string]operator{
	"avg": mean, "min": minimum, "max": maximum, "gmean": geometric,
	"agg_avg": mean, "agg_min": minimum, "agg_max": maximum, "agg_gmean": geometric,
	"prod": product, "product": product,
}

// function reads a function:
//
//	function = OPERATOR "(" ( [axis] step | product { "," product } ) ")"
func (p *parser) function() (condition, *SyntaxError) {
	t := p.read()
	op, ok := functions[strings.ToLower(t.text)]
	if !ok {
		return nil, p.fault(t, functionHint(t.text))
	}
	open := p.read()
	return p.enclosed(open, ")", func() (condition, *SyntaxError) {
		if p.atEvidence() {
			return p.aggregation(t, op)
		}
		first, err := p.product()
		if err != nil {
			return nil, err
		}
		of := []condition{first}
		for p.accept(",") {
			c, err := p.product()
			if err != nil {
				return nil, err
			}
			of = append(of, c)
		}
		if len(of) == 1 {
			return first, nil
		}
		return &combination{at: t.at, op: op, of: of}, nil
	})
}

// atEvidence reports whether a step follows.
func (p *parser) atEvidence() bool {
	t, after := p.peek(), p.peekAt(1)
	return t.is("/") || t.is("//") || t.is("*") || t.is(".") ||
		t.kind == name && (after.is("[") || after.is(")") || after.is(",") || after.is("/") || after.is("//"))
}

// aggregation reads the step of a function:
//
//	aggregation = [axis] step, of which the condition has to be there
func (p *parser) aggregation(t token, op operator) (condition, *SyntaxError) {
	if op == product {
		return nil, p.fault(t, "evidence is joined by avg, min, max or gmean")
	}
	if after := p.peekAt(1); p.peek().is(".") && (after.is("/") || after.is("//")) {
		p.read() // ./POI is /POI
	}
	a := child
	if p.accept("//") {
		a = descendant
	} else {
		p.accept("/")
	}
	s, err := p.step(a, true)
	if err != nil {
		return nil, err
	}
	switch after := p.peek(); {
	case after.is("/") || after.is("//"):
		return nil, p.fault(after, "evidence is one step; use // to reach further down")
	case after.is(","):
		return nil, p.fault(after, "an aggregation takes one step; join two, as in max(avg(/A[P]), avg(/B[P]))")
	case s.cond == nil:
		return nil, p.fault(after, fmt.Sprintf(`evidence needs a condition, as in %s(/%s[node ~= "..."])`, op, s.name))
	}
	return &aggregation{at: t.at, op: op, evidence: s}, nil
}

// functionHint says what to write for a function that the language has not.
func functionHint(word string) string {
	switch lower := strings.ToLower(word); lower {
	case "not", "and", "or":
		return wordHint(lower)
	case "last":
		return "the last node is [-1], the one before it [-2]"
	case "position":
		return "a position is written [i], [-i] or [i:j], as in [2] or [1:3]"
	case "contains", "starts-with", "ends-with", "matches", "text", "atom", "similar", "match":
		return `text is matched by meaning: node ~= "...", or the name of an attribute and ~=`
	case "exists", "any", "some", "agg_exists":
		return `evidence that is there somewhere is max(/POI[node ~= "..."])`
	case "all", "every":
		return `evidence that is there everywhere is min(/POI[node ~= "..."])`
	case "mean", "average", "sum", "count", "agg_prev":
		return `how much evidence there is is avg(/POI[node ~= "..."])`
	}
	return "no function has this name; have avg, min, max and gmean"
}

// wordHint says what to write for a word between or before conditions.
func wordHint(word string) string {
	switch strings.ToLower(word) {
	case "and":
		return "and is written min(P, P) or P * P"
	case "or":
		return "or is written max(P, P)"
	case "not":
		return "not is written 1-(P)"
	}
	return ""
}

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

// accept reads the punctuation if it follows.
func (p *parser) accept(mark string) bool {
	if p.peek().is(mark) {
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
	var of []condition
	switch c := c.(type) {
	case *inverse:
		of = []condition{c.of}
	case *combination:
		of = c.of
	case *aggregation:
		of = []condition{c.evidence.cond}
	}
	for _, c := range of {
		if deep := deeper(c, depth-1); deep != nil {
			return deep
		}
	}
	return nil
}
