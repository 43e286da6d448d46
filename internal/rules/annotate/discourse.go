package annotate

import (
	"slices"
	"strings"

	"recallbench/internal/door/annotate"
)

// relate finds the relations that words signal. A connective within a sentence
// relates the sentence to itself; one that opens it relates it to the sentence
// before, whoever said that. In a question, "why" asks for a cause.
func relate(sents []sentence) []annotate.Relation {
	var out []annotate.Relation
	table := connectives()
	for i := range sents {
		s := &sents[i]
		if n := s.asksWhy(); n > 0 {
			out = append(out, annotate.Relation{From: i - 1, To: i, Sense: "Contingency.Cause", Cue: s.span(n-1, n)})
		}
		for k := 0; k < len(s.low); {
			n := 1
			for _, c := range table[s.low[k]] {
				if k+len(c.words) > len(s.low) || !slices.Equal(s.low[k:k+len(c.words)], c.words) {
					continue
				}
				n = len(c.words)
				sense, inside, ok := s.connects(k, c)
				if !ok {
					if len(c.words) > 1 || c.usage == closing {
						continue
					}
					break
				}
				from := i - 1
				if inside {
					from = i
				}
				out = append(out, annotate.Relation{From: from, To: i, Sense: sense, Cue: strings.Join(c.words, " ")})
				break
			}
			k += n
		}
	}
	return out
}

// asksWhy returns the place behind a "why" that a question opens with, or 0.
func (s *sentence) asksWhy() int {
	if !s.question {
		return 0
	}
	for k, w := range s.low[:min(len(s.low), 4)] {
		if w == "why" && s.opens(k) {
			return k + 1
		}
	}
	return 0
}

// connects reports whether a connective at a token is one, with the sense that it
// has there, and whether both its arguments are in the sentence.
func (s *sentence) connects(k int, c connective) (sense string, inside, ok bool) {
	end := k + len(c.words)
	first := s.initial(k)
	switch c.usage {
	case anywhere, cue:
		if c.usage == cue && len(c.words) == 1 && !first && s.pos(k-1) != ":" && s.pos(k-1) != "," {
			return "", false, false // "I actually like it"
		}
		inside = !first && s.verbIn(0, k) && s.verbIn(end, len(s.low)) && s.clauseMark(k)
	case opening:
		if !first && !(s.clauseMark(k) && s.verbIn(end, len(s.low))) {
			return "", false, false
		}
		if !s.verbIn(end, min(end+12, len(s.low))) && s.word(end) != "," {
			return "", false, false
		}
		inside = !first && s.verbIn(0, k)
	case closing:
		if atEnd := end >= len(s.low) || mark(s.Tokens[end].Text); !atEnd || k == 0 {
			return "", false, false
		}
	case coordinating:
		if !first && !(s.verbIn(0, k) && (s.clauseAt(end) || c.words[0] == "but")) {
			return "", false, false
		}
		if end >= len(s.low) || mark(s.Tokens[end].Text) && s.Tokens[end].Text != "," {
			return "", false, false
		}
		inside = !first
	case subordinate:
		if !s.clauseAt(end) {
			return "", false, false
		}
		inside = !first || s.clausesAfter(k) > 1 || s.question
	}
	sense, ok = s.disambiguate(k, end, c)
	return sense, inside, ok
}

// clauseMark reports whether a mark or "and" stands before a token.
func (s *sentence) clauseMark(k int) bool {
	p := s.pos(k - 1)
	return p == "," || p == ":" || p == "CC"
}

// verbIn reports whether a range of tokens has a verb.
func (s *sentence) verbIn(from, to int) bool {
	for i := from; i < to; i++ {
		if verb(s.Tokens[i].POS) || s.Tokens[i].POS == "MD" {
			return true
		}
	}
	return false
}

// clauseAt reports whether a clause begins at a token: a verb comes before the
// next mark.
func (s *sentence) clauseAt(k int) bool {
	if k < len(s.low) && s.low[k] == "," {
		k++
	}
	for i := k; i < min(k+8, len(s.low)); i++ {
		t := s.Tokens[i]
		switch {
		case verb(t.POS) || t.POS == "MD":
			return true
		case t.POS == ".", t.POS == ",", t.POS == "CC" && i > k, t.POS == "IN" && i == k, t.POS == "TO":
			return false
		}
	}
	return false
}

// clausesAfter counts the verbs from a token on, those of one group as one.
func (s *sentence) clausesAfter(k int) int {
	n := 0
	for i := k; i < len(s.low); i++ {
		if (verb(s.Tokens[i].POS) || s.Tokens[i].POS == "MD") && !verb(s.pos(i-1)) && s.pos(i-1) != "MD" && s.pos(i-1) != "TO" && !(strings.HasPrefix(s.pos(i-1), "RB") && (verb(s.pos(i-2)) || s.pos(i-2) == "MD")) {
			n++
		}
	}
	return n
}

// disambiguate returns the sense of a connective where it has several, and
// whether it is one there.
func (s *sentence) disambiguate(k, end int, c connective) (string, bool) {
	before, after := s.word(k-1), s.word(end)
	switch c.words[0] {
	case "but":
		switch before {
		case "anything", "nothing", "all", "none", "everything":
			return "", false
		}
		if s.substitutes(k) {
			return "Expansion.Substitution", true
		}
		if s.parallel(k) {
			return "Comparison.Contrast", true
		}
	case "so":
		if len(c.words) > 1 {
			return c.sense, true
		}
		if s.question || before == "or" || before == "do" || before == "think" || before == "hope" || after == "far" || after == "much" || after == "many" {
			return "", false
		}
		if p := s.pos(end); !s.opens(k) && (strings.HasPrefix(p, "JJ") || strings.HasPrefix(p, "RB")) && before != "," {
			return "", false // "so good"
		}
		if p := s.pos(end); s.opens(k) && (verb(p) || p == "MD" || strings.HasPrefix(p, "JJ")) {
			return "", false // "so do I", "so cute"
		}
	case "then":
		if s.anyBefore(k, "if", "when") || before == "until" || before == "by" || before == "since" || before == "back" {
			return "", false
		}
	case "since":
		if len(c.words) == 1 && s.perfect(k) {
			return "Temporal.Asynchronous", true
		}
	case "while":
		if before == "a" || before == "worth" {
			return "", false
		}
		if before == "," || s.initial(k) && !s.progressive(end) {
			return "Comparison.Contrast", true
		}
	case "as":
		if len(c.words) == 1 && !s.progressive(end) {
			return "", false
		}
	case "when", "whenever", "if":
		if len(c.words) > 1 {
			return c.sense, true
		}
		if c.words[0] == "when" && s.question && s.opens(k) && (s.pos(end) == "MD" || verb(s.pos(end)) && auxiliary(s.Tokens[end].Lemma)) {
			return "", false // "When does it leave?"
		}
		if k > 0 && (words().reports[s.Tokens[k-1].Lemma] || s.pos(k-1) == "PRP" && k > 1 && words().reports[s.Tokens[k-2].Lemma]) {
			return "", false
		}
		if before == "as" || before == "even" {
			return "", false
		}
	case "and":
		if after == "then" || after == "so" || after == "also" || before == "both" {
			return "", false // the next word says more
		}
	case "or":
		if after == "so" || after == "not" {
			return "", false
		}
	case "after", "before":
		if len(c.words) == 1 && s.pos(end) == "CD" {
			return "", false
		}
	case "still", "yet":
		if after != "," && !(s.opens(k) && s.pos(end) == "PRP") {
			return "", false
		}
	case "next", "later", "earlier":
		if after != "," && s.pos(end) != "PRP" {
			return "", false
		}
	case "too":
		if s.pos(k-1) == "RB" || before == "way" || before == "far" {
			return "", false
		}
	case "i":
		if before == "know" || before == "what" {
			return "", false
		}
	case "also":
		if before == "not" {
			return "", false
		}
	}
	return c.sense, true
}

// substitutes reports whether a "but" puts right what was denied: "not Monday
// but Tuesday".
func (s *sentence) substitutes(k int) bool {
	if s.verbIn(k+1, len(s.low)) {
		return false
	}
	return s.anyBefore(k, "not", "n't")
}

// parallel reports whether the clauses around a token have the same verb and
// other subjects.
func (s *sentence) parallel(k int) bool {
	for i := range k {
		if !verb(s.Tokens[i].POS) || auxiliary(s.Tokens[i].Lemma) {
			continue
		}
		for n := k + 1; n < len(s.low); n++ {
			if verb(s.Tokens[n].POS) && s.Tokens[n].Lemma == s.Tokens[i].Lemma {
				return true
			}
		}
	}
	return false
}

func (s *sentence) anyBefore(k int, list ...string) bool {
	return slices.ContainsFunc(s.low[:k], func(w string) bool { return slices.Contains(list, w) })
}

// perfect reports whether the clause before or after a token is in the perfect.
func (s *sentence) perfect(k int) bool {
	for i := range s.low {
		if s.Tokens[i].Lemma == "have" && (s.pos(i+1) == "VBN" || strings.HasPrefix(s.pos(i+1), "RB") && s.pos(i+2) == "VBN" || s.pos(i+1) == "VBD") {
			return i < k || s.initial(k)
		}
	}
	return false
}

// progressive reports whether the clause at a token has a verb in -ing.
func (s *sentence) progressive(k int) bool {
	for i := k; i < min(k+6, len(s.low)); i++ {
		if s.Tokens[i].POS == "VBG" {
			return true
		}
		if s.Tokens[i].POS == "," {
			return false
		}
	}
	return false
}
