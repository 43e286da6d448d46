package memory

import (
	"slices"
	"strings"
)

// A clause is the part of a sentence that is retold, the words from..to.
type clause struct {
	s        *Sentence
	from, to int
}

func (c clause) words() []Word { return c.s.Words[c.from:c.to] }

// finite reports whether the clause has a finite verb.
func (c clause) finite() bool {
	return slices.ContainsFunc(c.words(), func(w Word) bool { return w.finite() })
}

// trim leaves out what joins a clause to the talk and says nothing: chatter,
// the names of those who talk, "by the way" in front; marks and names behind.
func (c clause) trim(v *voices) clause {
	for n := 1; n > 0 && c.from < c.to; c.from += n {
		n = leading(c.words(), v)
	}
	for c.to > c.from {
		w := &c.s.Words[c.to-1]
		if apart := c.to-1 > c.from && c.s.Words[c.to-2].mark(); !(w.mark() && !strings.ContainsAny(w.Low, "\"”)%'")) && !(apart && (w.Kind == Filler || v.vocative(w))) {
			break
		}
		c.to--
	}
	return c
}

// leading returns how many words to leave out in front.
func leading(words []Word, v *voices) int {
	w := &words[0]
	if w.mark() {
		return when(!strings.ContainsAny(w.Low, "\"“(#$@"), 1)
	}
	if len(words) == 1 {
		return when(w.Kind == Filler || v.vocative(w), 1)
	}
	next := &words[1]
	switch n := starts(words, leads); {
	case n > 0 && n < len(words):
		return n
	case next.mark() && next.Low != "'" && next.Low != "-" && (v.vocative(w) || w.Kind == Filler || vague[w.Low] && !w.noun() || w.adverb()): // "Sadly, ..."
		return 2
	}
	return when(openers[w.Low] || w.Kind == Filler && (next.Kind == Filler || subjects[next.Low]), 1)
}

func when[T int | float64](on bool, x T) T {
	if on {
		return x
	}
	return 0
}
