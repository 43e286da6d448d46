package semxpath

import (
	"fmt"
	"strconv"
	"strings"
)

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
