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

var tooDeep = fmt.Sprintf("conditions nest at most %d deep", MaxDepth)

// Parse reads a query in any of the spellings of doc.go. The error is a
// *SyntaxError.
func Parse(text string) (*Query, error) {
	if len(text) > MaxLength {
		return nil, &SyntaxError{text, MaxLength, fmt.Sprintf("a query has at most %d bytes, not %d", MaxLength, len(text))}
	}
	p := &parser{tokens: lex(text)}
	q := p.query()
	if p.err == nil {
		p.err = limits(q)
	}
	if p.err != nil {
		p.err.Query, p.err.At = text, min(p.err.At, len(text))
		return nil, p.err
	}
	q.source = text
	return q, nil
}

// A parser reads a query, with a method for each production. The first fault ends the
// text: what is read after it is of no use.
type parser struct {
	tokens []token // that are not read yet; the last is never read
	depth  int     // brackets that are open
	err    *SyntaxError
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

// accept reads the punctuation or word if it follows.
func (p *parser) accept(text string) bool {
	t := p.peek()
	ok := t.is(text) || t.kind == name && strings.EqualFold(t.text, text)
	if ok {
		p.read()
	}
	return ok
}

// want reads the punctuation, or says what is wrong.
func (p *parser) want(mark, otherwise string) {
	if p.accept(mark) {
		return
	}
	if p.peek().is("+") {
		otherwise = "a sum stands in a mean only: (P + P)/2"
	}
	p.fail(p.peek(), otherwise)
}

// fail notes what is wrong at a token, unless the token itself or a word in its place
// says more, and ends the text.
func (p *parser) fail(t token, want string) {
	if p.err != nil {
		return
	}
	if t.kind == wrong {
		want = t.text
	} else if hint := wordHint(t.text); t.kind == name && hint != "" {
		want = hint
	}
	p.err = &SyntaxError{At: t.at, Want: want}
	p.tokens = []token{{kind: eof}}
}

// query reads a whole query:
//
//	query = path | "(" path ")" [ "[" position ]
func (p *parser) query() *Query {
	group := p.accept("(")
	q := &Query{steps: p.path()}
	if group {
		p.want(")", "want / or // and another step, or ) to close the group")
		if open := p.peek(); p.accept("[") {
			if !p.atPosition() {
				p.fail(open, "behind a group stands a position, as in (//POI)[1]; a condition stands within it, behind its step")
			}
			q.global = p.position()
		}
	}
	switch t := p.peek(); {
	case t.kind == eof:
	case group:
		p.fail(t, "a group has one position and ends the query; a position within a path stands behind its step, as in //Day[3]/POI")
	case t.is(")"):
		p.fail(t, "this ) closes nothing")
	case t.is("]"):
		p.fail(t, "this ] closes nothing")
	case t.is("@"):
		p.fail(t, `an attribute stands in a condition, as in POI[@name = "..."]`)
	default:
		p.fail(t, "want / or // and another step, or the end of the query")
	}
	return q
}

// path reads a path:
//
//	path = [axis] step { axis step }
func (p *parser) path() (steps []*step) {
	for {
		a, ok := p.axis()
		if !ok && steps != nil {
			return steps
		}
		steps = append(steps, p.step(a, false))
	}
}

// axis reads an axis; ok is false if there is none, which is / too.
func (p *parser) axis() (a axis, ok bool) {
	if p.accept("//") {
		return descendant, true
	}
	return child, p.accept("/")
}

// step reads a step:
//
//	step = test { "[" ( position | condition | sibling ) "]" }, each at most once
func (p *parser) step(a axis, evidence bool) *step {
	s := &step{axis: a, at: p.peek().at}
	s.name = p.test()
	for p.peek().is("[") {
		open := p.read()
		isSibling := p.peek().is("@") && (p.peekAt(1).is("+") || p.peekAt(1).is("-"))
		switch {
		case p.atPosition() && s.position != nil:
			p.fail(open, "a step has one position; use [i:j] for a range")
		case p.atPosition():
			s.position = p.position()
		case isSibling && evidence:
			p.fail(open, "a step of evidence has no sibling")
		case isSibling && s.cond == nil:
			p.fail(open, `a sibling is counted from where a condition leads; put one before it, as in POI[node ~= "..."][@+1]`)
		case isSibling && s.sibling != 0:
			p.fail(open, "a step has one sibling")
		case isSibling:
			s.sibling = p.sibling()
		case s.cond != nil:
			p.fail(open, "a step has one condition; join two with [min(P, P)] or [P * P]")
		default:
			s.cond = p.bracket(open)
		}
	}
	return s
}

// test reads a node test:
//
//	test = NAME | "*" | "."
func (p *parser) test() string {
	t := p.peek()
	switch {
	case t.is("*") || t.is("."):
		p.read()
		return anyType
	case t.is(".."):
		p.fail(t, "a query leads down only; name the node above in the step before")
	case t.is("@"):
		p.fail(t, `an attribute is no step; use it in a condition, as in POI[@name = "..."]`)
	case t.is("("):
		p.fail(t, "a group is the whole query, as in (//Day/POI)[1]")
	case t.kind != name:
		p.fail(t, "want a node type or *")
	case p.peekAt(1).is("::"):
		p.fail(t, axisHint(t.text))
	case p.peekAt(1).is("("):
		p.fail(t, "a step is a node type or *, and no function")
	}
	p.read()
	return t.text
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
func (p *parser) position() *position {
	const zero = "index counts from 1; use [1] or [-1]"
	r := &position{from: 1, to: -1}
	start := p.peek()
	if !start.is(":") {
		r.from = p.index(zero)
		r.to = r.from
	}
	switch t := p.peek(); {
	case p.accept(":"):
		r.to = -1
		if !p.peek().is("]") {
			r.to = p.index(zero)
		} else if start.is(":") {
			p.fail(start, "a range has an end; use [i:j], [i:] or [:j]")
		}
	case t.is("-") || t.is(","):
		p.fail(t, "a range is written with a colon, as in [1:3]")
	}
	p.want("]", "want ] to close the position; it is [i], [-i], [i:j], [i:] or [:j]")
	return r
}

// index reads a number that a place has: from 1, or from -1.
func (p *parser) index(zero string) int {
	start := p.peek()
	sign := 1
	if p.accept("-") {
		sign = -1
	}
	t := p.peek()
	if t.kind != number {
		p.fail(t, "want a number: 1 is the first and -1 the last")
	}
	p.read()
	i, err := strconv.ParseInt(t.text, 10, 64)
	switch {
	case err != nil || i > math.MaxInt32:
		p.fail(start, fmt.Sprintf("index is at most %d", math.MaxInt32))
	case i == 0:
		p.fail(start, zero)
	}
	return sign * int(i)
}

// sibling reads a sibling:
//
//	sibling = "@" ( "+" | "-" ) k, up to the closing bracket
func (p *parser) sibling() int {
	p.read()
	if p.accept("+") && p.peek().is("-") {
		p.fail(p.peek(), "a sibling is [@+k] after the node or [@-k] before it")
	}
	k := p.index("a sibling counts from 1; use [@+1] or [@-1]")
	p.want("]", "want ] to close the sibling, as in [@+1]")
	return k
}

// bracket reads a condition in brackets:
//
//	bracket = condition "]", after the opening bracket
func (p *parser) bracket(open token) condition {
	if p.peek().is("]") {
		p.fail(p.peek(), "want a position or a condition")
	}
	return p.enclosed(open, "]", p.either)
}

// enclosed reads what inner reads and the mark that closes it. Only here do
// productions call each other without end, so here nesting is bounded.
func (p *parser) enclosed(open token, closing string, inner func() condition) condition {
	if p.depth++; p.depth > maxNesting {
		p.fail(open, tooDeep)
	}
	defer func() { p.depth-- }()
	c := inner()
	if closing != "" {
		p.want(closing, "want "+closing)
	}
	return c
}

// either reads what a bracket, a parenthesis or an argument holds. The language's own
// words for both, either and not are min, max and 1-; XPath's are read as these:
//
//	either = both { "or" both }
//	both = product { "and" product }
//	product = unary { "*" unary }
func (p *parser) either() condition  { return p.joined("or", maximum, p.both) }
func (p *parser) both() condition    { return p.joined("and", minimum, p.product) }
func (p *parser) product() condition { return p.joined("*", product, p.unary) }

// joined reads what inner reads, once or more often, with a word or mark between.
func (p *parser) joined(between string, op operator, inner func() condition) condition {
	at := p.peek().at
	return combine(at, op, p.list(between, inner))
}

func (p *parser) list(between string, inner func() condition) (of []condition) {
	for {
		of = append(of, inner())
		if !p.accept(between) {
			return of
		}
	}
}

// combine joins conditions, of which one is itself.
func combine(at int, op operator, of []condition) condition {
	if len(of) == 1 {
		return of[0]
	}
	return &combination{at: at, op: op, of: of}
}

// unary reads a condition that nothing joins to others:
//
//	unary = "1" "-" unary | primary
func (p *parser) unary() condition {
	t := p.peek()
	if t.kind != number {
		return p.primary()
	}
	if t.text != "1" || !p.peekAt(1).is("-") {
		p.fail(t, "a number stands in a position or in 1-P only")
	}
	p.read()
	p.read()
	return &inverse{at: t.at, of: p.enclosed(t, "", p.unary)}
}

// primary reads a condition without 1-:
//
//	primary = match | function | "[" either "]" | "(" either ")" | mean
func (p *parser) primary() condition {
	t, after := p.peek(), p.peekAt(1)
	switch {
	case p.err != nil:
		return nil
	case t.is("["):
		p.read()
		return p.bracket(t)
	case t.is("("):
		p.read()
		return p.enclosed(t, "", p.group)
	case t.is("@"):
		p.read()
	case t.is("/") || t.is("//") || t.is("*") || t.is("."), t.kind == name && after.is("["):
		p.fail(t, `a step within a condition is evidence and needs an aggregation, as in max(/POI[node ~= "..."])`)
	case t.kind == quoted:
		p.fail(t, "want node ~= before the text, or an attribute and ~=")
	case t.kind != name:
		p.fail(t, `want a condition, as in node ~= "..."`)
	case after.is("("):
		return p.function()
	case after.is("::"):
		p.fail(t, axisHint(t.text))
	case slices.Contains([]string{"not", "and", "or"}, strings.ToLower(t.text)) && !after.is("~=") && !after.is("="):
		p.fail(t, wordHint(t.text))
	}
	return p.match(t)
}

// match reads a match:
//
//	match = [ "@" ] NAME ( "=" | "~=" ) STRING, where node without @ takes ~= only
func (p *parser) match(first token) condition {
	attribute := p.peek()
	if attribute.kind != name {
		p.fail(attribute, "want the name of an attribute")
	}
	p.read()
	m := &match{at: first.at, attr: attribute.text}
	switch t := p.peek(); {
	case p.accept("~="):
	case (first.is("@") || m.attr != wholeNode) && p.accept("="):
		m.exact = true
	case t.is("=") || t.is("=="):
		p.fail(t, fmt.Sprintf("a match is written %s ~=; an attribute that is to be equal, @%[1]s =", m.attr))
	case first.is("@"):
		p.fail(t, `want = or ~= and a string, as in @name = "..."`)
	default:
		p.fail(t, `want ~= and a string, as in node ~= "..."`)
	}
	t := p.peek()
	if t.kind != quoted {
		p.fail(t, `want a string in quotes, as in "..."`)
	}
	p.read()
	m.value = t.text
	if after := p.peek(); after.kind == name && after.at == t.end {
		p.fail(after, `the string ends before this; a quote within a string is written \" or \'`)
	}
	return m
}

// group reads what is in parentheses:
//
//	group = either ")" | mean, after the opening parenthesis
//	mean = either "+" either { "+" either } ")" "/" n, of n conditions
func (p *parser) group() condition {
	at := p.peek().at
	of := p.list("+", p.either)
	p.want(")", "want )")
	if len(of) > 1 {
		divide := fmt.Sprintf("a mean divides the sum of its conditions by their number, here by %d: (P + P)/2", len(of))
		if !p.accept("/") {
			p.fail(p.peek(), divide)
		}
		if t := p.peek(); t.kind != number || t.text != strconv.Itoa(len(of)) {
			p.fail(t, divide)
		}
		p.read()
	}
	return combine(at, mean, of)
}

// functions names the operators by the words for them.
var functions = map[string]operator{
	"avg": mean, "min": minimum, "max": maximum, "gmean": geometric,
	"agg_avg": mean, "agg_min": minimum, "agg_max": maximum, "agg_gmean": geometric,
	"prod": product, "product": product,
}

// function reads a function:
//
//	function = OPERATOR "(" ( [axis] step | either { "," either } ) ")" | "not" "(" either ")"
func (p *parser) function() condition {
	t := p.read()
	if strings.EqualFold(t.text, "not") {
		return &inverse{at: t.at, of: p.enclosed(p.read(), ")", p.either)}
	}
	op, ok := functions[strings.ToLower(t.text)]
	if !ok {
		p.fail(t, functionHint(t.text))
	}
	return p.enclosed(p.read(), ")", func() condition {
		if p.atEvidence() {
			return p.aggregation(t, op)
		}
		return combine(t.at, op, p.list(",", p.either))
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
func (p *parser) aggregation(t token, op operator) condition {
	if op == product {
		p.fail(t, "evidence is joined by avg, min, max or gmean")
	}
	if after := p.peekAt(1); p.peek().is(".") && (after.is("/") || after.is("//")) {
		p.read() // ./POI is /POI
	}
	a, _ := p.axis()
	s := p.step(a, true)
	switch after := p.peek(); {
	case after.is("/") || after.is("//"):
		p.fail(after, "evidence is one step; use // to reach further down")
	case after.is(","):
		p.fail(after, "an aggregation takes one step; join two, as in max(avg(/A[P]), avg(/B[P]))")
	case s.cond == nil:
		p.fail(after, fmt.Sprintf(`evidence needs a condition, as in %s(/%s[node ~= "..."])`, op, s.name))
	}
	return &aggregation{at: t.at, op: op, evidence: s}
}

// limits says where a query is more than it may be.
func limits(q *Query) *SyntaxError {
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
