package annotaterules

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"recallbench/internal/annotate"
	"recallbench/internal/timex"
)

var zeroTime time.Time

// placeNear is for how many utterances a place stays the matter.
const placeNear = 4

// maxName is how many tokens a name may have.
const maxName = 8

// entities finds the values and names of a sentence, in order and without
// overlap, and teaches the gazetteer the names.
func (s *sentence) findEntities(g *gazetteer, exprs []timex.Expr) {
	shouted := s.shouted()
	for _, w := range s.low {
		if kind := words().places[w]; kind != "" && kind != "town" && kind != "home" && kind != "work" {
			g.placeAt = s.Utterance + 1
		}
	}
	places := g.placeAt > 0 && s.Utterance-g.placeAt+1 <= placeNear
	for i := 0; i < len(s.Tokens); {
		n, typ := g.match(s, i)
		if n == 0 || n == 1 && typ == "" {
			if v, t := s.valueAt(i); v > n {
				n, typ = v, t
			}
		}
		if n <= 1 || isValue(typ) {
			if d := s.exprAt(exprs, i); d > n {
				n, typ = d, "DATE"
			}
		}
		learn := false
		if n == 0 && !shouted {
			n, typ = s.capitals(i)
			learn = n > 0
		}
		if n == 0 {
			n, typ = s.lowerName(i, places)
			learn = n > 0
		}
		if n == 0 {
			i++
			continue
		}
		// A name goes on where a known one has a capital behind it: "Rachel Green".
		if !isValue(typ) && !shouted {
			for i+n < len(s.Tokens) && n < maxName && s.upper(i) && s.upper(i+n) && noun(s.pos(i+n)) && !isCommon(s.low[i+n]) && !words().days[s.low[i+n]] && s.valueStart(i+n) == 0 {
				n++
				learn = true
			}
			if k := s.tail(i, n); k > 0 {
				n, typ, learn = n+k, "FAC", true
			}
		}
		e := annotate.Entity{Span: annotate.Span{Start: i, End: i + n}, Type: typ}
		if !isValue(typ) {
			e.Type = s.typeOf(e, places)
			e.Start = s.withTitle(e)
			s.markName(e)
			if learn && e.Type != "NORP" {
				g.add(s.span(i, i+n), e.Type, false)
				if _, title := words().titles[strings.TrimSuffix(s.low[i], ".")]; title && n > 1 {
					g.add(s.span(i+1, i+n), e.Type, false)
				}
			}
		}
		s.Entities = append(s.Entities, e)
		i += n
	}
}

// tail returns how many tokens behind the capitals of a name belong to it: "Maharajah
// Tandoori Restaurant", "Hobsons house", "Yippee noodle bar".
func (s *sentence) tail(i, n int) int {
	if !s.upper(i) || words().nations[s.low[i]] {
		return 0
	}
	if _, person := words().given[s.low[i]]; person && !s.upper(i+n) && s.placeHead(i+n) < 2 {
		return 0
	}
	for k := range 3 {
		at := i + n + k
		if at >= len(s.Tokens) {
			return 0
		}
		if m := s.placeHead(at); m > 0 {
			if w := s.low[at]; !s.upper(at) && (w == "restaurant" || w == "place" || w == "station" || w == "office") {
				return 0
			}
			return k + m
		}
		if p := s.Tokens[at].POS; !noun(p) && !strings.HasPrefix(p, "JJ") || s.valueStart(at) > 0 {
			return 0
		}
	}
	return 0
}

func (s *sentence) valueStart(i int) int {
	n, _ := s.valueAt(i)
	return n
}

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

// markName tags the words of a name as such.
func (s *sentence) markName(e annotate.Entity) {
	for i := e.Start; i < e.End; i++ {
		if t := &s.Tokens[i]; !mark(t.Text) && closed[s.low[i]] == "" && t.POS != "IN" && e.Type != "NORP" && t.POS != "NNPS" && t.POS != "CD" {
			t.POS, t.Lemma = "NNP", t.Text
		}
	}
}

// exprAt returns how many tokens from i on are an expression of date.
func (s *sentence) exprAt(exprs []timex.Expr, i int) int {
	at := s.Tokens[i].Start
	k, _ := slices.BinarySearchFunc(exprs, at, func(e timex.Expr, at int) int { return e.Start - at })
	if k == len(exprs) || exprs[k].Start != at || exprs[k].Kind == timex.Frequency {
		return 0
	}
	n := 0
	for i+n < len(s.Tokens) && s.Tokens[i+n].End <= exprs[k].End {
		n++
	}
	return n
}

func (s *sentence) upper(i int) bool {
	if i < 0 || i >= len(s.Tokens) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s.Tokens[i].Text)
	return unicode.IsUpper(r)
}

// shouted reports whether a sentence is in capitals, which then say nothing, or
// has a capital on nearly every word.
func (s *sentence) shouted() bool {
	wordCount, capital := 0, 0
	for i, t := range s.Tokens {
		if len(t.Text) < 2 || !letters(t.Text) {
			continue
		}
		wordCount++
		if t.Text == strings.ToUpper(t.Text) && s.codeAt(i) == 0 {
			capital++
		}
	}
	return wordCount > 2 && capital*10 > wordCount*7
}

// capitals returns how many tokens from i on are a name by their capitals.
func (s *sentence) capitals(i int) (int, string) {
	if !s.capital(i) {
		return 0, ""
	}
	if p := s.pos(i + 1); s.starts(i) && words().ambiguous[s.low[i]] && noun(s.pos(i)) && (p == "MD" || p == "VBD" || p == "VBZ") {
		return 1, "PERSON" // "Mark may come"
	}
	if s.starts(i) && s.codeAt(i+1) > 0 {
		return 0, ""
	}
	if s.starts(i) && isCommon(s.low[i]) {
		if nameable := noun(s.pos(i)) || strings.HasPrefix(s.pos(i), "JJ"); !nameable || !s.capital(i+1) || words().common[s.low[i]] || !s.placeName(i) && isCommon(s.low[i+1]) {
			return 0, ""
		}
	}
	if words().nations[s.low[i]] && !s.capital(i+1) {
		return 1, "NORP"
	}
	n := 1
	for n < maxName && i+n < len(s.Tokens) {
		switch w := s.low[i+n]; {
		case s.capital(i+n) && s.codeAt(i+n) == 0:
			n++
		case (w == "of" || w == "the" || w == "&" || w == "'s" || w == "and" && s.word(i+n+1) == "breakfast" || w == "de" || w == "la" || w == "van" || w == "von") && s.capital(i+n+1):
			if w == "'s" && s.kinOrThing(i+n+1) {
				return n, ""
			}
			if w == "the" && s.word(i+n-1) != "of" {
				return n, ""
			}
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
	low := s.low[i]
	if closed[low] != "" || low == "i" || words().days[low] || words().months[low] && !words().ambiguous[low] {
		return false
	}
	if words().common[low] && (s.starts(i) || interjection(low) || !s.upper(i-1) && !s.upper(i+1) || !noun(s.Tokens[i].POS)) {
		return false // but "the Vegan Deli"
	}
	p := s.Tokens[i].POS
	if p == "UH" || p == "PRP" || strings.HasPrefix(p, "W") || p == "IN" && !s.starts(i) && len(low) < 5 {
		return false
	}
	if len(s.Tokens[i].Text) == 1 && low != "x" {
		return s.capitalBeside(i)
	}
	return true
}

func (s *sentence) capitalBeside(i int) bool {
	return i+1 < len(s.Tokens) && s.upper(i+1) && !isCommon(s.low[i+1])
}

func (s *sentence) kinOrThing(i int) bool {
	_, person := words().people[s.low[i]]
	return person
}

// starts reports whether a token starts a sentence or what is quoted.
func (s *sentence) starts(i int) bool {
	for i--; i >= 0; i-- {
		if !mark(s.Tokens[i].Text) {
			return false
		}
		switch s.Tokens[i].Text {
		case ",", ")":
			return false
		}
	}
	return true
}

// placeName reports whether capitals from i on end in a noun for a place:
// "Curry Garden", "City Centre North Guesthouse".
func (s *sentence) placeName(i int) bool {
	for i < len(s.Tokens) && s.capital(i) {
		i++
	}
	low := s.low[i-1]
	return words().places[low] != "" || words().firms[low]
}

// lowerName returns how many tokens from i on are a name although they have no
// capitals.
func (s *sentence) lowerName(i int, places bool) (int, string) {
	l, low := words(), s.low[i]
	if s.upper(i) {
		return 0, ""
	}
	if low == "the" {
		return 0, ""
	}
	if l.nations[low] {
		return 1, "NORP"
	}
	if places {
		if n := s.oddRun(i); n > 1 && s.placeHead(i+n-1) > 0 {
			return n, "FAC"
		}
	}
	if n := s.landAt(i); n > 0 {
		return n, "GPE"
	}
	k := i - 1
	if s.word(k) == "the" {
		k--
	}
	if w := s.word(k); w == "called" || w == "named" || (w == "is" || w == "'s") && s.word(k-1) == "name" {
		if n := s.namedRun(i); n > 0 {
			return n, ""
		}
	}
	if s.opens(i) || s.word(i-1) == "recommend" || s.word(i-1) == "suggest" || s.word(i-1) == "the" && s.opens(i-1) {
		if n := s.subjectOfPlace(i); n > 0 {
			return n, "FAC"
		}
	}
	if _, ok := l.given[low]; ok && !l.ambiguous[low] && !isCommon(low) && s.pos(i-1) != "DT" && !noun(s.pos(i-1)) {
		n := 1
		if i+1 < len(s.Tokens) && s.unknown(i+1) && !s.upper(i+1) {
			n++
		}
		return n, "PERSON"
	}
	switch s.word(i - 1) {
	case "from", "to", "in", "near":
		if !places && s.unknown(i) {
			n := 1
			for i+n < len(s.Tokens) && n < 3 && s.unknown(i+n) {
				n++
			}
			return n, "GPE"
		}
	}
	if places {
		if n := s.oddRun(i); n > 0 {
			return n, "FAC"
		}
	}
	return 0, ""
}

// oddRun returns the length of a noun phrase that must be a name where the talk
// is of places, for one of its words is no common one: "acorn guest house".
// Adjectives at its start are no part of it.
func (s *sentence) oddRun(i int) int {
	l := words()
	if p := s.pos(i - 1); i > 0 && (noun(p) || strings.HasPrefix(p, "JJ") && !isCommon(s.low[i-1])) && !s.entityBefore(i) {
		return 0
	}
	if p := s.Tokens[i].POS; !noun(p) && p != "FW" && !(strings.HasPrefix(p, "JJ") && !isCommon(s.low[i])) {
		return 0
	}
	odd, nouns, n := false, false, 0
	for n < maxName && i+n < len(s.Tokens) {
		w, t := s.low[i+n], s.Tokens[i+n]
		if k := s.placeHead(i + n); k > 0 {
			if n == 0 || !odd && !strings.HasPrefix(w, "guest") {
				return 0
			}
			if w == "restaurant" || w == "place" {
				return n
			}
			return n + k
		}
		if (w == "and" || w == "&" || w == "of") && n > 0 && odd && i+n+1 < len(s.Tokens) && s.unknown(i+n+1) {
			n++
			continue
		}
		if l.nations[w] || mark(t.Text) || closed[w] != "" || l.days[w] || s.upper(i+n) || s.valueStart(i+n) > 0 || !noun(t.POS) && !strings.HasPrefix(t.POS, "JJ") && t.POS != "FW" {
			break
		}
		odd, nouns = odd || s.unknown(i+n), nouns || noun(t.POS)
		n++
	}
	if p := s.pos(i - 1); !odd || !nouns || s.upper(i+n) || p == "PRP$" || p == "DT" && s.word(i-1) != "the" || p == "JJ" && s.pos(i-2) == "DT" && s.word(i-2) != "the" {
		return 0
	}
	return n
}

func (s *sentence) entityBefore(i int) bool {
	return len(s.Entities) > 0 && s.Entities[len(s.Entities)-1].End == i
}

// placeHead returns how many tokens from i on are a noun for a place that can
// end its name; 0 for none.
func (s *sentence) placeHead(i int) int {
	switch w := s.word(i); w {
	case "bed", "b":
		if (s.word(i+1) == "and" || s.word(i+1) == "&") && (s.word(i+2) == "breakfast" || s.word(i+2) == "b") {
			return 3
		}
	case "guest":
		if s.word(i+1) == "house" {
			return 2
		}
	default:
		if kind := words().places[w]; kind != "" && kind != "town" && words().places[s.word(i+1)] == "" && (s.pos(i) == "NN" || s.pos(i) == "NNP") {
			return 1
		}
	}
	return 0
}

// unknown reports whether a token is a noun that is no common word.
func (s *sentence) unknown(i int) bool {
	low := s.low[i]
	p := s.Tokens[i].POS
	return (noun(p) || p == "FW" || p == "RB" && s.pos(i-1) == "IN" || strings.HasPrefix(p, "JJ")) && len(low) > 2 && onlyLetters(low) && !isCommon(low) && !isCommon(singular(low)) &&
		!words().months[low] && !words().days[low] && !words().deictic[low] && words().numbers[low] == 0
}

func onlyLetters(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '-' }) < 0
}

// landAt finds a country or city in lower case. Those that are words too are left
// out.
func (s *sentence) landAt(i int) int {
	for n := 3; n > 0; n-- {
		if i+n > len(s.low) || !words().lands[s.span(i, i+n)] {
			continue
		}
		switch w := s.low[i]; {
		case n > 1:
			return n
		case len(w) < 4, w == "turkey", w == "jordan", w == "phoenix", w == "chile", w == "china", w == "florence", w == "charlotte", w == "virginia", w == "georgia", w == "austin":
			if p := s.word(i - 1); p != "in" && p != "from" && p != "to" {
				return 0
			}
			if len(w) < 4 && w != "uk" && w != "usa" {
				return 0
			}
			return 1
		default:
			return 1
		}
	}
	return 0
}

// namedRun returns the length of a name behind "called".
func (s *sentence) namedRun(i int) int {
	n := 0
	for i+n < len(s.Tokens) && n < 5 {
		t := s.Tokens[i+n]
		w := s.low[i+n]
		if w == "the" && n == 0 || (w == "and" || w == "&" || w == "of") && n > 0 && i+n+1 < len(s.Tokens) && noun(s.pos(i+n+1)) {
			n++
			continue
		}
		if mark(t.Text) || closed[w] != "" || !noun(t.POS) && !strings.HasPrefix(t.POS, "JJ") && t.POS != "VBG" && t.POS != "FW" {
			break
		}
		n++
	}
	if n == 1 && s.low[i] == "the" {
		return 0
	}
	return n
}

// subjectOfPlace returns the length of a name that is said to be a place:
// "meghna is an indian restaurant".
func (s *sentence) subjectOfPlace(i int) int {
	n := 0
	for n < 5 && i+n < len(s.Tokens) {
		w, t := s.low[i+n], s.Tokens[i+n]
		if w == "is" {
			break
		}
		if mark(t.Text) || closed[w] != "" && w != "and" && w != "the" || !noun(t.POS) && !strings.HasPrefix(t.POS, "JJ") && t.POS != "VBG" && t.POS != "CC" && t.POS != "DT" {
			return 0
		}
		n++
	}
	if n == 0 || s.word(i+n) != "is" || s.low[i] == "the" || s.low[i] == "and" || isCommon(s.low[i]) && (n == 1 || strings.HasPrefix(s.pos(i), "JJ")) || s.pos(i) == "DT" {
		return 0
	}
	k := i + n + 1
	if w := s.word(k); w != "a" && w != "an" && w != "the" {
		return 0
	}
	for k++; k < len(s.Tokens) && k < i+n+8; k++ {
		if kind := words().places[s.low[k]]; kind != "" && kind != "place" {
			return n
		}
		if p := s.Tokens[k].POS; !noun(p) && !strings.HasPrefix(p, "JJ") && p != "CC" && p != "," && p != "RB" {
			return 0
		}
	}
	return 0
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
