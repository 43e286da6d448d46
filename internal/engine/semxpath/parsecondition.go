package semxpath

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// either reads what a bracket, a parenthesis or an argument holds. The language's own
// words for both, either and not are min, max and 1-; XPath's are read as these:
//
//	either = both { "or" both }
//	both = product { "and" product }
func (p *parser) either() (condition, *SyntaxError) { return p.joined("or", maximum, p.both) }

func (p *parser) both() (condition, *SyntaxError) { return p.joined("and", minimum, p.product) }

// product reads a product:
//
//	product = unary { "*" unary }
func (p *parser) product() (condition, *SyntaxError) { return p.joined("*", product, p.unary) }

// joined reads what inner reads, once or more often, with a word or mark between.
func (p *parser) joined(between string, op operator, inner func() (condition, *SyntaxError)) (condition, *SyntaxError) {
	at := p.peek().at
	of, err := p.list(between, inner)
	if err != nil {
		return nil, err
	}
	return combine(at, op, of), nil
}

func (p *parser) list(between string, inner func() (condition, *SyntaxError)) (of []condition, _ *SyntaxError) {
	for {
		c, err := inner()
		of = append(of, c)
		if err != nil || !p.accept(between) {
			return of, err
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
//	primary = match | function | "[" either "]" | "(" either ")" | mean
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
		return nil, p.fault(t, axisHint(t.text))
	case slices.Contains([]string{"not", "and", "or"}, strings.ToLower(t.text)) && !after.is("~=") && !after.is("="):
		return nil, p.fault(t, wordHint(t.text))
	}
	return p.match(t)
}

// match reads a match:
//
//	match = [ "@" ] NAME ( "=" | "~=" ) STRING, where node without @ takes ~= only
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
	case (first.is("@") || attribute.text != "node") && p.accept("="):
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
//	group = either ")" | mean, after the opening parenthesis
//	mean = either "+" either { "+" either } ")" "/" n, of n conditions
func (p *parser) group() (condition, *SyntaxError) {
	at := p.peek().at
	of, err := p.list("+", p.either)
	if err != nil {
		return nil, err
	}
	if err := p.want(")", "want )"); err != nil || len(of) == 1 {
		return of[0], err
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
//	function = OPERATOR "(" ( [axis] step | either { "," either } ) ")" | "not" "(" either ")"
func (p *parser) function() (condition, *SyntaxError) {
	t := p.read()
	if strings.EqualFold(t.text, "not") {
		of, err := p.enclosed(p.read(), ")", p.either)
		return &inverse{at: t.at, of: of}, err
	}
	op, ok := functions[strings.ToLower(t.text)]
	if !ok {
		return nil, p.fault(t, functionHint(t.text))
	}
	open := p.read()
	return p.enclosed(open, ")", func() (condition, *SyntaxError) {
		if p.atEvidence() {
			return p.aggregation(t, op)
		}
		of, err := p.list(",", p.either)
		if err != nil {
			return nil, err
		}
		return combine(t.at, op, of), nil
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
