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
	for n := 1; n > 0 && c.from < c.to; {
		n = leading(c.words(), v)
		c.from += n
	}
	for n := 1; n > 0 && c.to > c.from; {
		n = trailing(c.words(), v)
		c.to -= n
	}
	return c
}

// leading returns how many words to leave out in front.
func leading(words []Word, v *voices) int {
	w := &words[0]
	if w.mark() {
		return when(!strings.Contains("\"“(#$@", w.Low), 1)
	}
	if len(words) == 1 {
		return when(w.Kind == Filler || v.vocative(w), 1)
	}
	if n := starts(words, leads); n > 0 && n < len(words) {
		return n
	}
	next := &words[1]
	apart := next.mark() && next.Low != "'" && next.Low != "-"
	switch {
	case apart && (v.vocative(w) || w.Kind == Filler || affirmations[w.Low] || denials[w.Low] || vague[w.Low] && !w.noun() || w.adverb()): // "Sadly, ..."
		return 2
	case openers[w.Low]:
		return 1
	case w.Kind == Filler && len(words) > 3 && next.Low == "that" && subjects[words[2].Low]: // "great that you ..."
		return 2
	case w.Kind == Filler:
		return when(next.Kind == Filler || subjects[next.Low] || v.vocative(next) || strings.HasPrefix(next.Tag, "PRP"), 1)
	}
	return 0
}

// trailing returns how many words to leave out behind.
func trailing(words []Word, v *voices) int {
	n := len(words)
	w := &words[n-1]
	if w.mark() {
		return when(!strings.Contains("\"”)%'", w.Low), 1)
	}
	if n < 2 {
		return 0
	}
	before := &words[n-2]
	if before.mark() && (w.Kind == Filler || v.vocative(w) || w.Low == "too" || w.Low == "though" || w.Low == "right" || w.Low == "then") {
		return 2
	}
	return when(n > 2 && v.vocative(w) && (before.noun() || before.adverb() || before.Tag == "JJ"), 1) // "that looks great Ana"
}

func when[T int | float64](on bool, x T) T {
	if on {
		return x
	}
	return 0
}
