package memory

import (
	"slices"
	"strings"
)

// A clause is a part of a sentence, the words from..to.
type clause struct {
	s        *Sentence
	from, to int
}

func (c clause) words() []Word { return c.s.Words[c.from:c.to] }

// finite reports whether the clause has a finite verb.
func (c clause) finite() bool {
	return slices.ContainsFunc(c.words(), func(w Word) bool { return w.finite() })
}

const (
	longClause  = 30 // words; longer sentences are cut where that can be done
	shortClause = 4  // words; shorter pieces are not cut off
)

// clauses cuts a sentence that holds several statements: at semicolons and
// dashes, and before "and", "but" and "so" with a subject of their own behind.
// What begins with a word that points back stays where it is.
func clauses(s *Sentence) []clause {
	words := s.Words
	var out []clause
	from := 0
	add := func(to int) {
		if to > from {
			out = append(out, clause{s, from, to})
		}
	}
	for i := 1; i < len(words)-1; i++ {
		if i-from < shortClause || len(words)-i < shortClause {
			continue
		}
		w, next := &words[i], &words[i+1]
		switch {
		case w.Low == ";", dash(s, i):
			if !pointsBack(next) && opensClause(next) && (clause{s, from, i}).finite() && verbSoon(words, i+1) {
				add(i)
				from = i + 1
			}
		case w.Low == "and" || w.Low == "but" || w.Low == "so" || w.Low == "plus":
			if w.Low == "so" && words[i-1].Low != "," { // "so that", not "therefore"
				continue
			}
			own := next.Low == "i" || next.Low == "we" || next.Low == "my" || next.Low == "our"
			if own && (clause{s, from, i}).finite() && (clause{s, i + 1, len(words)}).finite() && words[i-1].Low != "my" && verbSoon(words, i+1) {
				add(i)
				from = i + 1
			}
		}
	}
	add(len(words))
	return out
}

// opensClause reports whether a word can be the first of a statement's subject.
func opensClause(w *Word) bool {
	return subjects[w.Low] || strings.HasPrefix(w.Tag, "PRP") || w.Tag == "DT" || w.Tag == "NNP"
}

// dash reports whether word i is a dash between words, not a hyphen.
func dash(s *Sentence, i int) bool {
	w := &s.Words[i]
	switch w.Low {
	case "—", "–":
		return true
	case "-":
		return i > 0 && (w.Start > s.Words[i-1].End || s.Words[i+1].Start > w.End)
	}
	return false
}

// pointsBack reports whether a word stands for something said before.
func pointsBack(w *Word) bool { return backward[w.Low] }

// verbSoon reports whether a verb follows the subject at i within a few words.
func verbSoon(words []Word, i int) bool {
	const reach = 5
	for j := i + 1; j < len(words) && j <= i+reach; j++ {
		if words[j].finite() {
			return true
		}
		if words[j].mark() {
			return false
		}
	}
	return false
}

// trim leaves out what joins a clause to the talk and says nothing: chatter,
// the names of those who talk, "by the way" in front; "lol" behind.
func (c clause) trim(v *voices) clause {
	for c.from < c.to {
		n := c.leading(v)
		if n == 0 {
			break
		}
		c.from += n
	}
	for c.to > c.from {
		n := c.trailing(v)
		if n == 0 {
			break
		}
		c.to -= n
	}
	return c
}

// leading returns how many words to leave out in front.
func (c clause) leading(v *voices) int {
	words := c.words()
	w := &words[0]
	if w.mark() {
		switch w.Low {
		case `"`, "“", "(", "#", "$", "@":
			return 0
		}
		return 1
	}
	for _, lead := range leads {
		if starts(words, 0, lead) && len(words) > len(lead) {
			return len(lead)
		}
	}
	last := len(words) == 1
	switch {
	case len(words) > 2 && words[1].mark() && words[1].Low != "-" && words[1].Low != "'" && (vague[w.Low] && !w.noun() || w.adverb()): // "Agreed, ...", "Sadly, ..."
		return 2
	case v.vocative(w) && (last || words[1].mark() && words[1].Low != "'"):
		return 1
	case openers[w.Low] && !last:
		return 1
	case (affirmations[w.Low] || denials[w.Low]) && !last && words[1].mark():
		return 2
	case w.Kind == Filler && last:
		return 1
	case w.Kind == Filler && len(words) > 3 && words[1].Low == "that" && subjects[words[2].Low]: // "great that you ..."
		return 2
	case w.Kind == Filler:
		next := &words[1]
		if next.mark() || next.Kind == Filler || subjects[next.Low] || v.vocative(next) || strings.HasPrefix(next.Tag, "PRP") ||
			affirmations[w.Low] && len(w.Low) < len("exactly") {
			return 1
		}
	}
	return 0
}

// trailing returns how many words to leave out behind.
func (c clause) trailing(v *voices) int {
	words := c.words()
	n := len(words)
	w := &words[n-1]
	if w.mark() {
		switch w.Low {
		case `"`, "”", ")", "%", "'":
			return 0
		}
		return 1
	}
	if n > 1 && words[n-2].mark() && (w.Kind == Filler || v.vocative(w)) {
		return 2
	}
	if p := max(0, n-2); n > 2 && v.vocative(w) && (words[p].noun() || words[p].adverb() || words[p].Tag == "RP" || words[p].Tag == "JJ") {
		return 1 // "that looks great Ana"
	}
	if n > 4 && subjects[w.Low] && words[n-2].Low == "n't" && auxiliaries[words[n-3].Low] {
		return 3 // "..., don't you"
	}
	for _, tail := range [...]string{"too", "though", "right", "then"} {
		if w.Low == tail && n > 1 && words[n-2].Low == "," {
			return 2
		}
	}
	return 0
}
