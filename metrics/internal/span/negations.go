package span

import "strings"

const (
	// negationReach is how many words a negation governs at least, where its clause is that
	// long; it governs more where the gold answer has more.
	negationReach = 10
	// shortClause is how many words an item of a list has at most, where it begins as a
	// clause could.
	shortClause = 3
)

// A negation governs the words behind it up to the end of its clause. Its place is -1
// where there is none.
type negation struct {
	at      int
	without bool // which governs no list behind a comma
}

// back is how many words before the one at i the negation stands, 0 for none.
func (n negation) back(i int) int32 {
	if n.at < 0 {
		return 0
	}
	return int32(i - n.at)
}

// ends is whether a negation before a word does not govern it: a sentence or a contrast
// begins there, or behind a comma a clause that is not an item of a list ("not painting,
// hiking, running"). size is how many words the clause has.
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

// reachOver is how many words a negation reaches over where a gold answer is looked for:
// none for one that is itself negated.
func reachOver(gold []rawWord) int {
	for _, w := range gold {
		if w.is(negative) {
			return 0
		}
	}
	return max(negationReach, len(gold)+2)
}

// denies is whether a token is governed by a negation that reaches some words.
func denies(t token, reach int) bool { return t.denied > 0 && int(t.denied) <= reach }
