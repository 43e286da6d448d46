package reader

import "slices"

// A relation ties two ends: a question names one and asks for the other.
type relation string

// The ties whose other end is a person.
const (
	tieNone       relation = ""
	tieChild      relation = "child"
	tieParent     relation = "parent"
	tieSibling    relation = "sibling"
	tieSpouse     relation = "spouse"
	tieFamily     relation = "relative"
	tieCouple     relation = "partner"
	tieDate       relation = "date"
	tieFriend     relation = "friend"
	tieRoommate   relation = "roommate"
	tieNeighbour  relation = "neighbour"
	tieBoss       relation = "boss"
	tieUnder      relation = "subordinate"
	tieClient     relation = "client"
	tieSchoolmate relation = "schoolmate"
	tieAcquainted relation = "acquaintance"
	tieLiked      relation = "liked"
	tieDisliked   relation = "disliked"
	tieConnected  relation = "person of a place or group" // who lives there, works there, was there
)

// The ties whose other end is no person.
const (
	tieName   relation = "other name"
	tieAge    relation = "age"
	tieTitle  relation = "occupation"
	tiePlace  relation = "place"
	tieGroup  relation = "organisation"
	tiePet    relation = "pet"
	tieWork   relation = "place of work"
	tieSchool relation = "school"
)

// thingTies are the ties whose other end is no person, but other names.
var thingTies = []relation{tieAge, tieTitle, tiePlace, tieGroup, tiePet, tieWork, tieSchool}

// personal reports whether a person is asked for.
func (t relation) personal() bool {
	return t != tieNone && t != tieName && !slices.Contains(thingTies, t)
}

// A bond is what a question about a relation asks.
type bond struct {
	tie   relation
	whose []word // the end that is named
}

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
	f := bondFrame{q: q, from: from, to: to}
	if q.low(to) == "'s" && f.has("of") {
		return bond{} // "the boss of Ana's sister": of two ties
	}
	b := bond{whose: q.words[from:to]}
	if f.has("who", "whom", "whose") || f.has("which") && f.has("person", "relative", "friend", "sibling") {
		b.tie = f.personal()
	} else {
		b.tie = f.thing()
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

// A bondFrame is a question without the end that it names.
type bondFrame struct {
	q        *query
	from, to int
}

// has reports whether the frame has one of the words.
func (f bondFrame) has(words ...string) bool {
	for i := range f.q.words {
		if (i < f.from || i >= f.to) && slices.Contains(words, f.q.words[i].low) {
			return true
		}
	}
	return false
}

// personal reads which person is asked for. "Whose child is X?" asks for a
// parent.
func (f bondFrame) personal() relation {
	turn := func(t, inverse relation) relation {
		if f.has("whose") {
			return inverse
		}
		return t
	}
	switch {
	case f.has("family", "relative", "relatives", "related", "cousin", "uncle", "aunt"):
		return tieFamily
	case f.has("sibling", "siblings", "brother", "sister"), f.has("same") && f.has("parents"):
		return tieSibling
	case f.has("child", "son", "daughter", "kid", "children"):
		return turn(tieChild, tieParent)
	case f.has("parent", "mother", "father", "parents", "mom", "dad"):
		return turn(tieParent, tieChild)
	case f.has("spouse", "husband", "wife", "married"):
		return tieSpouse
	case f.has("girlfriend", "boyfriend", "couple", "relationship"):
		return tieCouple
	case f.has("date", "dating"), f.has("goes", "go", "going") && f.has("out"):
		return tieDate
	case f.has("friend", "friends"):
		return tieFriend
	case f.has("roommate", "roommates", "flatmate", "housemate", "share", "shares"), f.has("same") && f.has("apartment", "flat", "home"):
		return tieRoommate
	case f.has("neighbor", "neighbour", "neighbors", "neighbours", "next"):
		return tieNeighbour
	case f.has("boss", "manager"):
		return turn(tieBoss, tieUnder)
	case f.has("client", "customer", "business", "deal", "deals"):
		return tieClient
	case f.has("acquaintance", "acquainted"), f.has("know", "knows") && f.has("close"):
		return tieAcquainted
	case f.has("impression", "opinion", "think", "thinks", "like", "likes", "admire", "admires", "dislike", "dislikes", "hate", "hates"):
		if f.has("bad", "badly", "dislike", "dislikes", "hate", "hates") {
			return tieDisliked
		}
		return tieLiked
	case f.has("fellow", "schoolmate", "classmate", "classmates"), f.has("school") && (f.has("same") || f.has("whom")):
		return tieSchoolmate
	case f.has("report", "reports", "work", "works") && f.has("whom"):
		return tieBoss
	case f.has("reports"), f.has("works", "work") && f.has("under"):
		return tieUnder
	case f.has("lives", "live", "resident", "residence", "born", "birth", "world", "visited", "visit", "traveled", "travelled",
		"works", "employee", "member", "student", "attended", "school", "belongs"):
		return tieConnected
	}
	return tieNone
}

// thing reads what else is asked for. "How old is Ana's son?" is about the son,
// whom nothing names.
func (f bondFrame) thing() relation {
	if f.personal() != tieNone && f.q.low(f.to) == "'s" {
		return tieNone
	}
	switch {
	case f.has("called", "name", "nickname", "alias") && f.has("other", "else", "nickname", "alias"):
		return tieName
	case f.has("old", "age"):
		return tieAge
	case f.has("title", "occupation", "profession"), f.has("living") && f.has("do"), f.has("as") && f.has("work"):
		return tieTitle
	case f.has("pet", "animal") && !f.has("name"):
		return tiePet
	case f.has("organization", "organisation", "company", "employs") || f.has("belong") && f.has("which"):
		return tieGroup
	case f.has("school"):
		return tieSchool
	case f.has("where", "place") && f.has("work", "works", "job"):
		return tieWork
	case f.has("where", "place"):
		return tiePlace
	}
	return tieNone
}
