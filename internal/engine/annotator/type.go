package annotator

import (
	"strings"

	"recallbench/internal/door/annotate"
)

// typeOf returns the type of a name by its words and those around it.
//
// Where the talk is of places, a name that nothing else tells of is one.
func (s *sentence) typeOf(e annotate.Entity, places bool) string {
	l := words()
	first, last, before := s.low[e.Start], s.low[e.End-1], s.word(e.Start-1)
	single := e.End-e.Start == 1
	switch kind := l.places[last]; {
	case e.Type != "":
		return e.Type
	case l.title(first) && !single, l.title(before):
		return "PERSON"
	case l.firms[last], kind == "school":
		return "ORG"
	case kind != "":
		return "FAC"
	case l.lands[s.span(e.Start, e.End)]:
		return "GPE"
	case s.is(e.End-1, "street", "road", "avenue", "lane", "square", "hall", "centre", "center"), !s.upper(e.End) && l.places[s.word(e.End)] != "":
		return "FAC"
	case l.firstName(first) && places && (before == "at" || before == "the"):
		return "FAC"
	case l.firstName(first):
		return "PERSON"
	case l.nations[last]:
		return "NORP"
	}
	if s.is(e.End, "is", "was", ",", "'s") { // what is said of it
		for k := e.End; k < min(len(s.Tokens), e.End+9); k++ {
			if l.places[s.low[k]] != "" {
				return "FAC"
			}
			if l.person(s.low[k]) {
				return "PERSON"
			}
		}
	}
	switch p := s.pos(e.End); {
	case s.is(e.Start-1, "in", "from", "near"):
		return "GPE"
	case before == "a", before == "an", s.pos(e.Start-1) == "JJ":
		return "PRODUCT" // "a white Volvo"
	case verb(p) && s.low[e.End] != "is" || p == "MD" || s.word(e.End) == "'s":
		return "PERSON"
	case places && e.Start > 0 && before != ",":
		return "FAC"
	case single && s.Tokens[e.Start].Text == strings.ToUpper(first) && len(first) > 1:
		return "ORG"
	case single || before == ",":
		return "PERSON"
	}
	return "ORG"
}
