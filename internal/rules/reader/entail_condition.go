package reader

import (
	"slices"
	"strings"
)

// A condition is analysed once: alternatives; the best counts.
type condition struct {
	any [][]requirement // all of an alternative are required
}

// A requirement is something that a premise must have, or must not.
type requirement struct {
	negated bool
	weight  float64
	any     [][]need
}

// A need is a word or known phrase of a condition.
type need struct {
	term   uint64
	light  bool // says little beside other words
	weight float64
	names  []uint16 // concepts that it names
	kin    []link   // concepts that it is an instance of
	alike  []uint64 // stems of synonyms
}

// lightWords are words of conditions that say what kind of thing is meant, not
// what it is like.
var lightWords = list("lightWords")

const numberWeight = 0.5

// frameWords are the words of the sentence that a condition is put into.
var frameWords = list("frameWords")

// unframed returns the condition that a hypothesis states: what is left of
// "This is related to X." and its like. A sentence that begins otherwise is a
// condition as a whole.
func unframed(hypothesis string) string {
	s := strings.TrimSpace(hypothesis)
	s = strings.TrimRight(s, ". ")
	first, _, _ := strings.Cut(s, " ")
	switch strings.ToLower(first) {
	case "this", "it", "the", "that":
	default:
		return s
	}
	rest := s
	for {
		word, after, ok := strings.Cut(rest, " ")
		if !frameWords[strings.ToLower(strings.Trim(word, ":,"))] {
			return strings.TrimSpace(rest)
		}
		if !ok {
			return "" // nothing but a frame
		}
		rest = strings.TrimLeft(after, " ")
	}
}

// parseCondition reads a condition.
func (e *Entailer) parseCondition(text string) *condition {
	p := conditionParser{Entailer: e}
	tokens := e.tokens(strings.ToValidUTF8(text, " "))
	for i := 0; i < len(tokens); {
		i += p.take(tokens[i:])
	}
	p.endAlternative()
	return &condition{any: p.any}
}

// A conditionParser holds what a condition has said so far.
type conditionParser struct {
	*Entailer
	any   [][]requirement
	all   []requirement // of the alternative
	deny  bool
	group []need   // what is denied together
	lists [][]need // groups denied before it
	and   bool     // the next need is joined to the last by "and"
}

// take reads the first word or phrase and returns its length in tokens.
func (p *conditionParser) take(tokens []lexeme) int {
	t := tokens[0]
	if t.mark >= comma {
		p.join(t.mark)
	}
	links, h, n := p.phrase(tokens)
	if n == 1 {
		switch {
		case t.low == "or":
			p.join(either)
			return 1
		case t.low == "and":
			p.join(comma)
			return 1
		case t.low == "but" || t.low == "with" || t.low == "that":
			p.endDenial()
			return 1
		case t.deny:
			p.endDenial()
			p.deny = true
			return 1
		case t.class != content && len(links) == 0:
			return 1
		}
	}
	p.put(p.need(tokens[:n], h, links))
	return n
}

// join says how what follows is joined to what was read.
func (p *conditionParser) join(m juncture) {
	if p.deny {
		if len(p.group) > 0 {
			p.lists = append(p.lists, p.group)
			p.group = nil
		}
		return
	}
	if m == either {
		p.endAlternative()
		return
	}
	p.and = true
}

// put adds a need.
func (p *conditionParser) put(n need) {
	if p.deny {
		p.group = append(p.group, n)
		return
	}
	if p.and && len(p.all) > 0 {
		// "parks and gardens" asks for either: nothing is both.
		last := &p.all[len(p.all)-1]
		if !last.negated && p.lexicon.akin(last.any[len(last.any)-1][0], n) {
			last.any = append(last.any, []need{n})
			p.and = false
			return
		}
	}
	p.and = false
	p.all = append(p.all, requirement{weight: n.weight, any: [][]need{{n}}})
}

// akin reports whether two needs are of one kind: both name a concept, one is an
// instance of the other, or both are instances of a small concept.
func (l *lexicon) akin(a, b need) bool {
	if a.light || b.light {
		return false
	}
	of := func(k link, n need) bool {
		return k.strength > hintStrength && slices.Contains(n.names, k.concept)
	}
	instances := func(a, b link) bool {
		return a.concept == b.concept && a.direct && b.direct && min(a.strength, b.strength) > hintStrength &&
			l.concepts[a.concept].members <= smallConcept
	}
	return slices.ContainsFunc(a.names, func(c uint16) bool { return slices.Contains(b.names, c) }) ||
		slices.ContainsFunc(a.kin, func(k link) bool {
			return of(k, b) || slices.ContainsFunc(b.kin, func(other link) bool { return instances(k, other) })
		}) ||
		slices.ContainsFunc(b.kin, func(k link) bool { return of(k, a) })
}

// endDenial closes what is denied together.
func (p *conditionParser) endDenial() {
	if len(p.group) > 0 {
		p.lists = append(p.lists, p.group)
	}
	if len(p.lists) > 0 {
		p.all = append(p.all, requirement{negated: true, weight: 1, any: p.lists})
	}
	p.deny, p.group, p.lists = false, nil, nil
}

// endAlternative closes an alternative. Light words count only where there are
// no others.
func (p *conditionParser) endAlternative() {
	p.endDenial()
	heavy := slices.ContainsFunc(p.all, func(r requirement) bool { return !r.light() })
	if heavy {
		p.all = slices.DeleteFunc(p.all, requirement.light)
	}
	if len(p.all) > 0 {
		p.any = append(p.any, p.all)
	}
	p.all, p.and = nil, false
}

// light reports whether the requirement has light words only.
func (r requirement) light() bool {
	for _, group := range r.any {
		for _, n := range group {
			if !n.light {
				return false
			}
		}
	}
	return true
}

// need describes a word or phrase.
func (p *conditionParser) need(tokens []lexeme, h uint64, links []link) need {
	n := need{term: h, weight: 1}
	if len(tokens) == 1 {
		n.alike = synonyms[h]
		low := tokens[0].low
		n.light = (lightWords[low] || lightWords[singular(low)] || tokens[0].class == filler) && !tokens[0].number
		if tokens[0].number {
			n.weight = numberWeight
		}
	}
	for _, l := range links {
		if l.name {
			n.names = append(n.names, l.concept)
		} else {
			n.kin = append(n.kin, l)
		}
	}
	return n
}
