package span

import (
	"slices"
	"strings"
)

const (
	// negationReach is the least number of words that a negation governs, if its clause
	// is that long; it governs more if the gold answer is longer.
	negationReach = 10
	// shortClause is the largest number of words of a list item that begins as a clause
	// could.
	shortClause = 3
)

// A negation governs the words after it up to the end of its clause. Its place is -1
// if there is none.
type negation struct {
	at      int
	without bool // governs no list after a comma
}

// back is how many words before the one at i the negation stands, or 0.
func (n negation) back(i int) int32 {
	if n.at < 0 {
		return 0
	}
	return int32(i - n.at)
}

// ends reports whether a negation before a word does not govern it: a sentence or a
// contrast begins there or, after a comma, a clause that is not an item of a list ("not
// painting, hiking, running"). size is the number of words in the clause.
func (n negation) ends(before, w rawWord, size int32) bool {
	switch {
	case w.is(contrast), before.sentence != w.sentence:
		return true
	case before.text == "and":
		return w.is(pronoun)
	case before.clause == w.clause:
		return false
	}
	return n.without || before.is(negative) || w.is(pronoun|determiner) ||
		strings.HasSuffix(w.text, "ing") && size > shortClause
}

// reachOver is how many words a negation reaches over when a gold answer is searched
// for: none for one that is itself negated.
func reachOver(gold []rawWord) int {
	if slices.ContainsFunc(gold, func(w rawWord) bool { return w.is(negative) }) {
		return 0
	}
	return max(negationReach, len(gold)+2)
}

// denies reports whether a token is governed by a negation that reaches some words.
func denies(t token, reach int) bool { return t.denied > 0 && int(t.denied) <= reach }
