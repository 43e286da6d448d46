package reader

import (
	_ "embed"
	"slices"
	"sync"
)

// A relation ties two ends: a question names one and asks for the other. ties.txt
// has them all.
type relation string

// The ties that code tells apart.
const (
	tieNone  relation = ""
	tieName  relation = "other name"
	tieTitle relation = "occupation"
)

// A bond is what a question about a relation asks.
type bond struct {
	tie    relation
	person bool   // its other end is one
	whose  []word // the end that is named
}

//go:embed ties.txt
var tieText string

// ties are the askings of ties.txt, in order.
var ties = sync.OnceValue(func() []asking { return readAskings(tieText) })

// frameOfBonds are the words that questions about relations are made of. What is
// left of the question is the end that it names; a question that says more than
// both has conditions of its own, and is none of these.
var frameOfBonds = list("frameOfBonds")

// bond reads a question about a relation.
func (q *query) bond() bond {
	from, to := -1, -1
	for i := range q.words {
		w := &q.words[i]
		if w.punct || w.class != content && !w.upper || frameOfBonds[w.low] && (!w.upper || i == 0) || i == 0 || questionWords[w.low] {
			continue
		}
		if from < 0 {
			from = i
		}
		to = i + 1
	}
	if from < 0 || !nameLike(q.words[from:to]) {
		return bond{}
	}
	frame := slices.Concat(q.words[:from], q.words[to:])
	theirs := q.low(to) == "'s"
	if theirs && says(frame, []string{"of"}) {
		return bond{} // "the boss of Ana's sister": of two ties
	}
	b := bond{whose: q.words[from:to]}
	b.person = tells(frame, set("who whom whose")) || says(frame, []string{"which"}) && tells(frame, set("person relative friend sibling"))
	for _, t := range ties() {
		switch {
		case t.later && !b.person && theirs && t.fits(frame):
			return bond{} // "How old is Ana's son?" is about the son, whom nothing names
		case b.tie == tieNone && t.later == b.person && t.fits(frame):
			b.tie = relation(t.want)
		}
	}
	return b
}

// nameLike reports whether words may name an end. Small words of content beside
// those with capitals are of a clause.
func nameLike(words []word) bool {
	small, capitals := 0, false
	for i := range words {
		w := &words[i]
		switch {
		case w.punct:
		case w.upper:
			capitals = true
		case frameOfBonds[w.low]:
			return false
		case w.class == content:
			small++
		}
	}
	return !capitals || small <= 1
}
