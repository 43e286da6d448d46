package annotator

import (
	"slices"
	"strings"

	"recallbench/internal/door/annotate"
	"recallbench/internal/text/english"
	"recallbench/internal/text/timex"
)

const (
	placeNear = 4 // utterances for which a place stays the matter
	maxName   = 8 // tokens of a name
)

// findEntities finds the values and names of a sentence, in order and without
// overlap, and teaches the gazetteer the names.
func (s *sentence) findEntities(g *gazetteer, exprs []timex.Expr) {
	l := words()
	for _, w := range s.low {
		if kind := l.places[w]; kind != "" && kind != "town" && kind != "home" && kind != "work" {
			g.placeAt = s.Utterance + 1
		}
	}
	places := g.placeAt > 0 && s.Utterance-g.placeAt+1 <= placeNear
	for i := 0; i < len(s.Tokens); {
		n, typ := g.match(s, i)
		if n > 0 && typ == "" && s.ordinary(i, n) {
			typ = "MISC"
		}
		if n == 0 || n == 1 && (typ == "" || typ == "MISC") {
			if v, t := s.valueAt(i); v > n {
				n, typ = v, t
			}
		}
		if d := s.exprAt(exprs, i); d > n && (n <= 1 || isValue(typ)) {
			n, typ = d, "DATE"
		}
		known := n
		if n == 0 {
			n, typ = s.capitals(i)
		}
		if n == 0 {
			n, typ = s.lowerName(i, places)
		}
		if n == 0 {
			i++
			continue
		}
		e := annotate.Entity{Span: annotate.Span{Start: i, End: i + n}, Type: typ}
		if !isValue(typ) {
			// A name continues where a known one has a capital behind it: "Rachel Green".
			for n < maxName && s.upper(i) && s.upper(i+n) && noun(s.pos(i+n)) && !l.common(s.low[i+n]) && !l.days[s.low[i+n]] && s.codeAt(i+n) == 0 {
				n++
			}
			if k := s.tail(i, n); k > 0 {
				n, e.Type = n+k, "FAC"
			}
			e.End = i + n
			e.Type = s.typeOf(e, places)
			if e.Type == "PERSON" && i > 0 && l.title(s.low[i-1]) && (len(s.Entities) == 0 || s.Entities[len(s.Entities)-1].End < i) {
				e.Start--
			}
			s.markName(e)
			if n > known && !isQuality(e.Type) {
				g.add(s.span(i, i+n), e.Type, false)
			}
		}
		s.Entities = append(s.Entities, e)
		i = e.End
	}
}

// ordinary reports whether tokens are common words without capitals.
func (s *sentence) ordinary(i, n int) bool {
	for k := i; k < i+n; k++ {
		if s.upper(k) || !words().common(s.low[k]) {
			return false
		}
	}
	return true
}

// markName tags the words of a name as such.
func (s *sentence) markName(e annotate.Entity) {
	for i := e.Start; i < e.End && !isQuality(e.Type); i++ {
		if t := &s.Tokens[i]; !english.Mark(t.Text) && words().closed[s.low[i]] == "" && t.POS != "IN" && t.POS != "NNPS" && t.POS != "CD" {
			t.POS, t.Lemma = "NNP", t.Text
		}
	}
}

// exprAt returns how many tokens from i on are an expression of date.
func (s *sentence) exprAt(exprs []timex.Expr, i int) int {
	k, ok := slices.BinarySearchFunc(exprs, s.Tokens[i].Start, func(e timex.Expr, at int) int { return e.Start - at })
	if !ok || exprs[k].Frequency {
		return 0
	}
	n := 0
	for i+n < len(s.Tokens) && s.Tokens[i+n].End <= exprs[k].End {
		n++
	}
	return n
}

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
	case l.given.has(first) && places && (before == "at" || before == "the"):
		return "FAC"
	case l.given.has(first):
		return "PERSON"
	case l.nations[last]:
		return "NORP"
	}
	if s.is(e.End, "is", "was", ",", "'s") { // what is said of it
		for k := e.End; k < min(len(s.Tokens), e.End+9); k++ {
			if l.places[s.low[k]] != "" {
				return "FAC"
			}
			if l.people.has(s.low[k]) {
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
