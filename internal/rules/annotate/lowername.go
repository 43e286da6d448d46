package annotate

import (
	"strings"
	"unicode"
)

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
	if places || towards(s.word(k)) {
		if n := s.oddRun(i); n > 0 && (places || n > 1) {
			return n, "FAC"
		}
	}
	return 0, ""
}

// towards reports whether a word brings in where somebody goes or is.
func towards(w string) bool {
	switch w {
	case "from", "to", "at", "near", "leaving", "visit":
		return true
	}
	return false
}

// oddRun returns the length of a noun phrase that must be a name where the talk
// is of places, for one of its words is no common one: "wexham guest house".
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
// "kerala is an indian restaurant".
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
