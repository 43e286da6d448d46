package annotate

import (
	"strings"

	"recallbench/internal/door/annotate"
)

// withTitle returns where a name starts if a title stands before it.
func (s *sentence) withTitle(e annotate.Entity) int {
	if e.Type != "PERSON" || e.Start == 0 {
		return e.Start
	}
	before := strings.TrimSuffix(s.low[e.Start-1], ".")
	if _, ok := words().titles[before]; ok && (len(s.Entities) == 0 || s.Entities[len(s.Entities)-1].End < e.Start) {
		return e.Start - 1
	}
	return e.Start
}

// typeOf returns the type of a name by its words and those around it.
//
// Where the talk is of places, a name that nothing else tells of is one.
func (s *sentence) typeOf(e annotate.Entity, places bool) string {
	l := words()
	if e.Type != "" {
		return e.Type
	}
	first, last := s.low[e.Start], s.low[e.End-1]
	if _, ok := l.titles[strings.TrimSuffix(first, ".")]; ok && e.End-e.Start > 1 {
		return "PERSON"
	}
	if e.Start > 0 {
		if _, ok := l.titles[strings.TrimSuffix(s.low[e.Start-1], ".")]; ok {
			return "PERSON"
		}
	}
	switch kind := l.places[last]; {
	case l.firms[last]:
		return "ORG"
	case kind == "school":
		return "ORG"
	case kind != "":
		return "FAC"
	case l.lands[s.span(e.Start, e.End)]:
		return "GPE"
	case last == "street" || last == "road" || last == "avenue" || last == "lane" || last == "square" || last == "cross" || last == "airport" || last == "hall" || last == "centre" || last == "center":
		return "FAC"
	}
	if e.End < len(s.Tokens) && !s.upper(e.End) {
		next := s.low[e.End]
		if l.places[next] != "" {
			return "FAC"
		}
		if next == "street" || next == "road" {
			return "FAC"
		}
	}
	if _, ok := l.given[first]; ok {
		if before := s.word(e.Start - 1); places && (before == "at" || before == "the") {
			return "FAC"
		}
		return "PERSON"
	}
	if l.nations[last] {
		return "NORP"
	}
	for k := e.End; k < min(len(s.Tokens), e.End+9); k++ {
		if k == e.End && s.low[k] != "is" && s.low[k] != "was" && s.low[k] != "," && s.low[k] != "'s" {
			break
		}
		if kind := l.places[s.low[k]]; kind != "" {
			return "FAC"
		}
		if _, ok := l.people[s.low[k]]; ok {
			return "PERSON"
		}
	}
	switch before := s.word(e.Start - 1); before {
	case "in", "from", "to", "near", "visit", "visited":
		return "GPE"
	case "at", "the":
		return "FAC"
	case "called", "named":
		for k := e.Start - 2; k >= 0; k-- {
			if l.places[s.low[k]] != "" {
				return "FAC"
			}
		}
		return "PERSON"
	case "with", "and", "hi", "hey", "hello", "dear":
		return "PERSON"
	}
	if p := s.pos(e.Start - 1); p == "JJ" || s.word(e.Start-1) == "a" || s.word(e.Start-1) == "an" {
		return "PRODUCT" // "a white Volvo"
	}
	if p := s.pos(e.End); strings.HasPrefix(p, "VB") && s.low[e.End] != "is" || p == "MD" || s.word(e.End) == "'s" {
		return "PERSON"
	}
	if places && e.Start > 0 && s.word(e.Start-1) != "," {
		return "FAC"
	}
	if e.End-e.Start == 1 && s.Tokens[e.Start].Text == strings.ToUpper(s.Tokens[e.Start].Text) && len(first) > 1 {
		return "ORG"
	}
	if e.End-e.Start == 1 || s.word(e.Start-1) == "," {
		return "PERSON"
	}
	return "ORG"
}
