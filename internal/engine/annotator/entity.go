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

// capitals returns how many tokens from i on are a name by their capitals.
func (s *sentence) capitals(i int) (int, string) {
	l := words()
	if !s.capital(i) {
		return 0, ""
	}
	low, next := s.low[i], s.pos(i+1)
	switch starts := s.initial(i); {
	case starts && l.ambiguous[low] && noun(s.pos(i)) && (next == "MD" || next == "VBD" || next == "VBZ"):
		return 1, "PERSON" // "Mark may come"
	case starts && s.codeAt(i+1) > 0:
		return 0, ""
	case starts && l.common(low) && (!noun(s.pos(i)) && !adjective(s.pos(i)) || !s.capital(i+1) || l.talk[low] || !s.endsInPlace(i) && l.common(s.low[i+1])):
		return 0, ""
	case l.nations[low] && !s.capital(i+1):
		return 1, "NORP"
	}
	n := 1
	for n < maxName {
		w := s.word(i + n)
		switch {
		case s.capital(i+n) && s.codeAt(i+n) == 0:
			n++
		case (w == "of" || w == "&" || w == "de" || w == "la" || w == "van" || w == "von" || w == "'s" && !l.people.has(s.word(i+n+1))) && s.capital(i+n+1):
			n += 2
		case w == "of" && s.word(i+n+1) == "the" && s.capital(i+n+2):
			n += 3
		default:
			return n, ""
		}
	}
	return n, ""
}

// capital reports whether a token has a capital that it would not have if it
// were no name.
func (s *sentence) capital(i int) bool {
	if !s.upper(i) {
		return false
	}
	l, low, p := words(), s.low[i], s.Tokens[i].POS
	switch {
	case l.closed[low] != "", l.days[low], l.months[low] && !l.ambiguous[low]:
		return false
	case l.talk[low] && (s.initial(i) || interjection(low) || !s.upper(i-1) && !s.upper(i+1) || !noun(p)):
		return false // but "the Vegan Deli"
	case p == "UH", p == "PRP", strings.HasPrefix(p, "W"), p == "IN" && !s.initial(i) && len(low) < 5:
		return false
	case len(low) == 1:
		return s.upper(i+1) && !l.common(s.low[i+1])
	}
	return true
}

// endsInPlace reports whether capitals from i on end in a noun for a place:
// "Maple Garden", "River View Guesthouse".
func (s *sentence) endsInPlace(i int) bool {
	for s.capital(i) {
		i++
	}
	return words().places[s.low[i-1]] != "" || words().firms[s.low[i-1]]
}

// tail returns how many tokens behind the capitals of a name belong to it: "Blue
// Lotus Restaurant", "Walters house", "Zappo noodle bar".
func (s *sentence) tail(i, n int) int {
	if !s.upper(i) || words().nations[s.low[i]] || words().given.has(s.low[i]) && !s.upper(i+n) && s.placeHead(i+n) < 2 {
		return 0
	}
	for k := range 3 {
		at := i + n + k
		if m := s.placeHead(at); m > 0 {
			if !s.upper(at) && s.is(at, "restaurant", "place", "station", "office") {
				return 0
			}
			return k + m
		}
		if p := s.pos(at); !noun(p) && !adjective(p) || s.codeAt(at) > 0 {
			return 0
		}
	}
	return 0
}

// placeHead returns how many tokens from i on are a noun for a place that can
// end its name; 0 for none.
func (s *sentence) placeHead(i int) int {
	l, w := words(), s.word(i)
	switch kind := l.places[w]; {
	case w == "bed" && s.is(i+1, "and", "&") && s.word(i+2) == "breakfast":
		return 3
	case w == "guest" && s.word(i+1) == "house":
		return 2
	case kind != "" && kind != "town" && l.places[s.word(i+1)] == "" && (s.pos(i) == "NN" || s.pos(i) == "NNP"):
		return 1
	}
	return 0
}

// lowerName returns how many tokens from i on are a name although they have no
// capitals. Places says that the talk is of places.
func (s *sentence) lowerName(i int, places bool) (int, string) {
	l, low := words(), s.low[i]
	if s.upper(i) || low == "the" {
		return 0, ""
	}
	if l.nations[low] {
		return 1, "NORP"
	}
	run := s.oddRun(i)
	if places && run > 1 && s.placeHead(i+run-1) > 0 {
		return run, "FAC"
	}
	for n := min(3, len(s.low)-i); n > 0; n-- {
		if land := s.span(i, i+n); l.lands[land] && (n > 1 || len(land) > 3 && !l.given.has(land) && !l.common(land) || s.is(i-1, "in", "from", "to")) {
			return n, "GPE"
		}
	}
	if l.given.has(low) && !l.ambiguous[low] && !l.common(low) && s.pos(i-1) != "DT" && !noun(s.pos(i-1)) {
		if s.unknown(i+1) && !s.upper(i+1) {
			return 2, "PERSON"
		}
		return 1, "PERSON"
	}
	if !places && s.is(i-1, "from", "to", "in", "near") && s.unknown(i) {
		n := 1
		for n < 3 && s.unknown(i+n) {
			n++
		}
		return n, "GPE"
	}
	if places || run > 1 && s.is(i-1, "from", "to", "at", "near", "leaving", "visit") {
		return run, "FAC"
	}
	return 0, ""
}

// oddRun returns the length of a noun phrase that must be a name where the talk
// is of places, for one of its words is not common: "wexham guest house".
// Adjectives at its start are no part of it.
func (s *sentence) oddRun(i int) int {
	l := words()
	before := s.pos(i - 1)
	if noun(before) && (len(s.Entities) == 0 || s.Entities[len(s.Entities)-1].End != i) || adjective(before) && !l.common(s.low[i-1]) {
		return 0
	}
	odd, nouns, n := false, false, 0
	for n < maxName && i+n < len(s.Tokens) {
		at := i + n
		w, p := s.low[at], s.pos(at)
		if k := s.placeHead(at); k > 0 {
			switch {
			case n == 0 || !odd && w != "guest" && w != "guesthouse":
				return 0
			case w == "restaurant" || w == "place":
				return n
			}
			return n + k
		}
		if odd && (w == "and" || w == "&" || w == "of") && s.unknown(at+1) {
			n++
			continue
		}
		plain := noun(p) || p == "FW" || adjective(p) && (n > 0 || !l.common(w))
		if value, _ := s.valueAt(at); !plain || value > 0 || l.nations[w] || english.Mark(w) || l.closed[w] != "" || s.upper(at) {
			break
		}
		odd, nouns = odd || s.unknown(at), nouns || noun(p)
		n++
	}
	if !odd || !nouns || s.upper(i+n) || before == "PRP$" || before == "DT" && s.word(i-1) != "the" || before == "JJ" && s.pos(i-2) == "DT" && s.word(i-2) != "the" {
		return 0
	}
	return n
}

// unknown reports whether a token is a noun that is not a common word.
func (s *sentence) unknown(i int) bool {
	l, low, p := words(), s.word(i), s.pos(i)
	return (noun(p) || p == "FW" || adjective(p) || p == "RB" && s.pos(i-1) == "IN") && len(low) > 2 && strings.ToUpper(low) != low && !strings.ContainsAny(low, "0123456789.:") &&
		!l.common(low) && !l.common(english.Singular(low)) && !l.months[low] && !l.days[low] && !l.deictic[low] && english.Numeral(low) == 0
}
