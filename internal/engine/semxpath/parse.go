package semxpath

import (
	"fmt"
	"math"
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
func Parse(text string) (q *Query, err error) {
	defer func() {
		switch wrong := recover().(type) {
		case nil:
		case *SyntaxError:
			wrong.Query, wrong.At = text, min(wrong.At, len(text))
			q, err = nil, wrong
		default:
			panic(wrong)
		}
	}()
	if len(text) > MaxLength {
		panic(&SyntaxError{At: MaxLength, Want: fmt.Sprintf("a query has at most %d bytes, not %d", MaxLength, len(text))})
	}
	p := &parser{tokens: lex(text)}
	q = p.query()
	q.source, q.all = text, p.steps
	q.checkLimits()
	return q, nil
}

// checkLimits panics with a *SyntaxError where a query is more than it may be.
func (q *Query) checkLimits() {
	if len(q.all) > MaxSteps {
		panic(&SyntaxError{At: q.all[MaxSteps].at, Want: fmt.Sprintf("a query has at most %d steps", MaxSteps)})
	}
	for _, s := range q.steps {
		if deep := deeper(s.cond, MaxDepth); deep != nil {
			panic(&SyntaxError{At: deep.at, Want: tooDeep})
		}
	}
	if n := len(q.String()); n > MaxLength {
		panic(&SyntaxError{At: MaxLength, Want: fmt.Sprintf("a query has at most %d bytes, and this one %d in its canonical spelling", MaxLength, n)})
	}
}

// deeper returns a condition that stands deeper than depth; nil for none.
func deeper(c *condition, depth int) *condition {
	if c == nil || depth == 0 {
		return c
	}
	for _, c := range c.parts() {
		if deep := deeper(c, depth-1); deep != nil {
			return deep
		}
	}
	return nil
}

// A parser reads a query. Its methods, one for each production of the grammar in doc.go,
// panic with a
// *SyntaxError where the query is wrong, as those of text/template do; [Parse] returns it.
type parser struct {
	tokens []token // not read yet
	depth  int     // how many brackets are open
	steps  []*step // read so far
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
	follows := t.is(text) || t.kind == name && strings.EqualFold(t.text, text)
	if follows {
		p.read()
	}
	return follows
}

// want reads the punctuation, or says what is wrong.
func (p *parser) want(mark, otherwise string) {
	if p.accept(mark) {
		return
	}
	if p.peek().is("+") {
		otherwise = "a sum stands in a mean only: (P + P)/2"
	}
	panic(p.fault(p.peek(), otherwise))
}

// fault says what is wrong at a token, unless the token itself or a word in its
// place says more.
func (p *parser) fault(t token, want string) *SyntaxError {
	switch {
	case t.kind == wrong:
		want = t.text
	case t.kind == name && isLogic(t.text):
		want = hintFor(t.text, want)
	}
	return &SyntaxError{At: t.at, Want: want}
}

// query reads a whole query.
func (p *parser) query() *Query {
	group := p.accept("(")
	q := &Query{steps: p.path()}
	if group {
		p.want(")", "want / or // and another step, or ) to close the group")
		if open := p.peek(); p.accept("[") {
			if !p.atPosition() {
				panic(p.fault(open, "behind a group stands a position, as in (//POI)[1]; a condition stands within it, behind its step"))
			}
			q.global = p.position()
		}
	}
	want := "want / or // and another step, or the end of the query"
	switch t := p.peek(); {
	case t.kind == eof:
		return q
	case group:
		want = "a group has one position and ends the query; a position within a path stands behind its step, as in //Day[3]/POI"
	case t.is(")"), t.is("]"):
		want = "this " + t.text + " closes nothing"
	case t.is("@"):
		want = `an attribute stands in a condition, as in POI[@name = "..."]`
	}
	panic(p.fault(p.peek(), want))
}

// path reads a path.
func (p *parser) path() []*step {
	a, _ := p.axis()
	steps := []*step{p.step(a, false)}
	for {
		a, ok := p.axis()
		if !ok {
			return steps
		}
		steps = append(steps, p.step(a, false))
	}
}

// axis reads an axis; child is that of none.
func (p *parser) axis() (a axis, ok bool) {
	if p.accept("//") {
		return descendant, true
	}
	return child, p.accept("/")
}

// step reads a step.
func (p *parser) step(a axis, evidence bool) *step {
	s := &step{axis: a, at: p.peek().at}
	p.steps = append(p.steps, s)
	s.name = p.test()
	for {
		open := p.peek()
		if !p.accept("[") {
			return s
		}
		switch {
		case p.atPosition():
			if s.position != nil {
				panic(p.fault(open, "a step has one position; use [i:j] for a range"))
			}
			s.position = p.position()
		case p.peek().is("@") && (p.peekAt(1).is("+") || p.peekAt(1).is("-")):
			switch {
			case evidence:
				panic(p.fault(open, "a step of evidence has no sibling"))
			case s.cond == nil:
				panic(p.fault(open, `a sibling is counted from where a condition leads; put one before it, as in POI[node ~= "..."][@+1]`))
			case s.sibling != 0:
				panic(p.fault(open, "a step has one sibling"))
			}
			s.sibling = p.sibling()
		case s.cond != nil:
			panic(p.fault(open, "a step has one condition; join two with [min(P, P)] or [P * P]"))
		default:
			s.cond = p.bracket(open)
		}
	}
}

// test reads a node test.
func (p *parser) test() string {
	t := p.peek()
	var want string
	switch {
	case t.is("*") || t.is("."):
		p.read()
		return anyType
	case t.is(".."):
		want = "a query leads down only; name the node above in the step before"
	case t.is("@"):
		want = `an attribute is no step; use it in a condition, as in POI[@name = "..."]`
	case t.is("("):
		want = "a group is the whole query, as in (//Day/POI)[1]"
	case t.kind != name:
		want = "want a node type or *"
	case p.peekAt(1).is("::"):
		want = hintFor(t.text, noAxis)
	case p.peekAt(1).is("("):
		want = "a step is a node type or *, and no function"
	default:
		return p.read().text
	}
	panic(p.fault(t, want))
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

// position reads a position.
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
		switch {
		case !p.peek().is("]"):
			r.to = p.index(zero)
		case start.is(":"):
			panic(p.fault(start, "a range has an end; use [i:j], [i:] or [:j]"))
		default:
			r.to = -1
		}
	case t.is("-") || t.is(","):
		panic(p.fault(t, "a range is written with a colon, as in [1:3]"))
	}
	p.want("]", "want ] to close the position; it is [i], [-i], [i:j], [i:] or [:j]")
	return r
}

// index reads a number that a place has: from 1, or from -1. Zero says what is wrong
// with 0.
func (p *parser) index(zero string) int {
	start := p.peek()
	sign := 1
	if p.accept("-") {
		sign = -1
	}
	t := p.read()
	if t.kind != number {
		panic(p.fault(t, "want a number: 1 is the first and -1 the last"))
	}
	i, err := strconv.ParseInt(t.text, 10, 64)
	switch {
	case err != nil || i > math.MaxInt32:
		panic(p.fault(start, fmt.Sprintf("index is at most %d", math.MaxInt32)))
	case i == 0:
		panic(p.fault(start, zero))
	}
	return sign * int(i)
}

// sibling reads a sibling.
func (p *parser) sibling() int {
	p.read()
	if p.accept("+") && p.peek().is("-") {
		panic(p.fault(p.peek(), "a sibling is [@+k] after the node or [@-k] before it"))
	}
	k := p.index("a sibling counts from 1; use [@+1] or [@-1]")
	p.want("]", "want ] to close the sibling, as in [@+1]")
	return k
}

// bracket reads a condition in brackets.
func (p *parser) bracket(open token) *condition {
	if p.peek().is("]") {
		panic(p.fault(p.peek(), "want a position or a condition"))
	}
	return p.enclosed(open, "]", p.either)
}

// enclosed reads what inner reads and the mark that closes it. Only here do
// productions call each other without end, so here nesting is bounded.
func (p *parser) enclosed(open token, closing string, inner func() *condition) *condition {
	if p.depth++; p.depth > maxNesting {
		panic(p.fault(open, tooDeep))
	}
	c := inner()
	p.depth--
	if closing != "" {
		p.want(closing, "want "+closing)
	}
	return c
}

// either reads what a bracket, a parenthesis or an argument holds. The language's own
// words for both, either and not are min, max and 1-; XPath's are read as these.
func (p *parser) either() *condition  { return p.joined("or", maximum, p.both) }
func (p *parser) both() *condition    { return p.joined("and", minimum, p.product) }
func (p *parser) product() *condition { return p.joined("*", product, p.unary) }

// joined reads what inner reads, once or more often, with a word or mark between.
func (p *parser) joined(between string, op operator, inner func() *condition) *condition {
	at := p.peek().at
	return combine(at, op, p.list(between, inner))
}

func (p *parser) list(between string, inner func() *condition) []*condition {
	of := []*condition{inner()}
	for p.accept(between) {
		of = append(of, inner())
	}
	return of
}

// combine joins conditions, of which one is itself.
func combine(at int, op operator, of []*condition) *condition {
	if len(of) == 1 {
		return of[0]
	}
	return &condition{at: at, op: op, of: of}
}

// invert is 1-P of what inner reads.
func (p *parser) invert(at, open token, closing string, inner func() *condition) *condition {
	return &condition{at: at.at, op: inverse, of: []*condition{p.enclosed(open, closing, inner)}}
}

// unary reads a condition that nothing joins to others.
func (p *parser) unary() *condition {
	t := p.peek()
	switch {
	case t.kind != number:
		return p.primary()
	case t.text != "1" || !p.peekAt(1).is("-"):
		panic(p.fault(t, "a number stands in a position or in 1-P only"))
	}
	p.read()
	p.read()
	return p.invert(t, t, "", p.unary)
}

// primary reads a condition without 1-.
func (p *parser) primary() *condition {
	t, after := p.peek(), p.peekAt(1)
	want := ""
	switch {
	case p.accept("["):
		return p.bracket(t)
	case p.accept("("):
		return p.enclosed(t, "", p.group)
	case p.accept("@"):
		return p.match(t)
	case t.is("/") || t.is("//") || t.is("*") || t.is("."), t.kind == name && after.is("["):
		want = `a step within a condition is evidence and needs an aggregation, as in max(/POI[node ~= "..."])`
	case t.kind == quoted:
		want = "want node ~= before the text, or an attribute and ~="
	case t.kind != name:
		want = `want a condition, as in node ~= "..."`
	case after.is("("):
		return p.function()
	case after.is("::"):
		want = hintFor(t.text, noAxis)
	case isLogic(t.text) && !after.is("~=") && !after.is("="):
	default:
		return p.match(t)
	}
	panic(p.fault(t, want))
}

// match reads a match.
func (p *parser) match(first token) *condition {
	attribute := p.read()
	if attribute.kind != name {
		panic(p.fault(attribute, "want the name of an attribute"))
	}
	c := &condition{at: first.at, op: similar, attr: attribute.text}
	switch t := p.peek(); {
	case p.accept("~="):
	case (first.is("@") || attribute.text != wholeNode) && p.accept("="):
		c.op = equal
	case t.is("=") || t.is("=="):
		panic(p.fault(t, fmt.Sprintf("a match is written %s ~=; an attribute that is to be equal, @%[1]s =", attribute.text)))
	case first.is("@"):
		panic(p.fault(t, `want = or ~= and a string, as in @name = "..."`))
	default:
		panic(p.fault(t, `want ~= and a string, as in node ~= "..."`))
	}
	t := p.read()
	if t.kind != quoted {
		panic(p.fault(t, `want a string in quotes, as in "..."`))
	}
	c.value = t.text
	if after := p.peek(); after.kind == name && after.at == t.end {
		panic(p.fault(after, `the string ends before this; a quote within a string is written \" or \'`))
	}
	return c
}

// group reads what is in parentheses.
func (p *parser) group() *condition {
	at := p.peek().at
	of := p.list("+", p.either)
	p.want(")", "want )")
	if len(of) == 1 {
		return of[0]
	}
	n, divided := strconv.Itoa(len(of)), p.accept("/")
	if t := p.peek(); !divided || t.kind != number || t.text != n {
		panic(p.fault(t, "a mean divides the sum of its conditions by their number, here by "+n+": (P + P)/2"))
	}
	p.read()
	return &condition{at: at, op: mean, of: of}
}

// functions names the operators by the words for them.
var functions = map[string]operator{
	"avg": mean, "min": minimum, "max": maximum, "gmean": geometric,
	"agg_avg": mean, "agg_min": minimum, "agg_max": maximum, "agg_gmean": geometric,
	"prod": product, "product": product,
}

// function reads a function.
func (p *parser) function() *condition {
	t, open := p.read(), p.read()
	if strings.EqualFold(t.text, "not") {
		return p.invert(t, open, ")", p.either)
	}
	op, ok := functions[strings.ToLower(t.text)]
	if !ok {
		panic(p.fault(t, hintFor(t.text, "no function has this name; have avg, min, max and gmean")))
	}
	return p.enclosed(open, ")", func() *condition {
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

// aggregation reads the step of a function.
func (p *parser) aggregation(t token, op operator) *condition {
	if op == product {
		panic(p.fault(t, "evidence is joined by avg, min, max or gmean"))
	}
	if after := p.peekAt(1); p.peek().is(".") && (after.is("/") || after.is("//")) {
		p.read() // ./POI is /POI
	}
	a, _ := p.axis()
	s := p.step(a, true)
	switch after := p.peek(); {
	case after.is("/") || after.is("//"):
		panic(p.fault(after, "evidence is one step; use // to reach further down"))
	case after.is(","):
		panic(p.fault(after, "an aggregation takes one step; join two, as in max(avg(/A[P]), avg(/B[P]))"))
	case s.cond == nil:
		panic(p.fault(after, fmt.Sprintf(`evidence needs a condition, as in %s(/%s[node ~= "..."])`, op, s.name)))
	}
	return &condition{at: t.at, op: op, evidence: s}
}
