package annotate

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// tail returns how many tokens behind the capitals of a name belong to it: "Blue Lotus
// Restaurant", "Walters house", "Zappo noodle bar".
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
			if w == "'s" && s.personNoun(i+n+1) {
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

// personNoun reports whether a token is a noun for a person: in "Anna's Sister" it
// is no part of the name.
func (s *sentence) personNoun(i int) bool {
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
// "Maple Garden", "River View Guesthouse".
func (s *sentence) placeName(i int) bool {
	for i < len(s.Tokens) && s.capital(i) {
		i++
	}
	low := s.low[i-1]
	return words().places[low] != "" || words().firms[low]
}
