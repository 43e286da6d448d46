package reader

import (
	"slices"
	"strings"

	"recallbench/internal/text/timex"
)

var (
	auxiliaries   = set("is are was were do does did has have had can could will would should may might must am")
	questionWords = list("questionWords")
	likelyWords   = set("likely probably might")
	plans         = set("will going plan plans planning planned upcoming")
)

// classify finds the kind of the question from its first question word, or
// from the auxiliary that it begins with.
func (q *query) classify() {
	at := slices.IndexFunc(q.words, func(w word) bool { return questionWords[w.low] })
	likely := false
	for _, w := range q.words {
		q.planned = q.planned || plans[w.low]
		likely = likely || likelyWords[w.low] || (w.low == "would" && at < 0)
	}
	switch {
	case at != 0 && auxiliaries[q.low(0)]:
		q.kind = askYesNo
		q.findVerb(1)
		if likely && (at < 0 || at > 3) {
			q.kind = askLikely
		}
		q.findChoice()
		return
	case at < 0:
		q.kind = askStatement
		return
	}
	q.ask(at)
	q.findVerb(at + 1)
	q.members = members[q.focus]
	q.asksName = q.kind == askThing && named[singular(q.focusLow)]
	switch {
	case q.members != nil:
	case q.kind == askWhere:
		q.members = places
	case q.verbLow == "feel":
		q.members = members[hash(stem("emotion"))]
	}
	if q.kind == askThing && q.focus == 0 && q.verbLow == "do" {
		q.kind = askDo
	}
}

// ask sets the kind by the question word at i.
func (q *query) ask(i int) {
	switch q.low(i) {
	case "when":
		q.kind = askWhen
	case "where":
		q.kind = askWhere
	case "why":
		q.kind = askWhy
	case "who", "whom", "whose":
		q.kind = askWho
	case "how":
		switch q.low(i + 1) {
		case "long":
			q.kind = askHowLong
		case "often", "frequently":
			q.kind = askHowOften
		case "many", "much", "old":
			q.kind = askHowMany
			q.findFocus(i + 2)
		default:
			q.kind = askHow
		}
	default:
		q.kind = askThing
		q.findFocus(i + 1)
		switch q.focusLow {
		case "year":
			q.kind, q.grain = askWhen, timex.Year
		case "month":
			q.kind, q.grain = askWhen, timex.Month
		case "date", "day", "week", "weekend":
			q.kind = askWhen
		case "city", "country", "state", "place", "location", "town", "area", "region", "spot", "continent":
			q.kind = askWhere
		case "person", "friend":
			q.kind = askWho
		case "reason":
			q.kind = askWhy
		}
	}
}

// setFocus makes a word the focus.
func (q *query) setFocus(w word) {
	q.focus, q.focusLow, q.plural = w.stem, w.low, isPlural(w)
}

// findFocus reads the noun after "what", "which" or "how many", which end
// before word i: the last noun before the verb, also behind "kind of" and its
// like.
func (q *query) findFocus(i int) {
	switch q.low(i) {
	case "is", "was", "are", "were", "'s":
		q.copular(i + 1)
		return
	}
	for ; i < len(q.words); i++ {
		w := q.words[i]
		verb := strings.HasPrefix(w.tag, "V")
		if auxiliaries[w.low] || w.punct || (verb && q.focus != 0) {
			return
		}
		if isNoun(w.tag) || (q.focus == 0 && w.class == content && !verb) {
			q.setFocus(w)
			continue
		}
		joins := w.low == "of" || w.low == "the" || w.low == "or" || w.low == "and" || w.low == "'s"
		if w.class == function && !joins && q.focus != 0 {
			return
		}
	}
}

// copular reads the noun phrase after "what is": "the name of ...", "Ana's
// favourite film".
func (q *query) copular(i int) {
	for ; i < len(q.words); i++ {
		w := q.words[i]
		switch {
		case w.low == "'s":
			q.focus, q.focusLow, q.plural = 0, "", false
		case isNoun(w.tag):
			q.setFocus(w)
		case q.focus == 0:
		case w.punct, w.tag == "IN", w.tag == "TO", w.low == "that", strings.HasPrefix(w.tag, "V"):
			return
		}
	}
}

// findVerb finds the main verb from word i on: the first verb behind an
// auxiliary, or "do" and "have" where they are the main verb.
func (q *query) findVerb(i int) {
	behind := i > 0 && auxiliaries[q.words[i-1].low]
	for ; i < len(q.words); i++ {
		w := q.words[i]
		switch {
		case auxiliaries[w.low]:
			if q.verb == 0 && (w.low == "do" || w.low == "have") && i > 0 && q.words[i-1].class != function {
				q.verb, q.verbLow = w.stem, w.low
			}
			behind = true
		case strings.HasPrefix(w.tag, "V") && behind:
			q.verb, q.verbLow = w.stem, lemma(w.low)
			return
		}
	}
}

// findChoice reads "A or B" in a yes-or-no question: up to four words before
// "or", and what follows it.
func (q *query) findChoice() {
	or := slices.IndexFunc(q.words, func(w word) bool { return w.low == "or" })
	if or < 1 || q.low(or+1) == "not" {
		return
	}
	from, to := or, or+1
	for from > max(0, or-4) {
		w := q.words[from-1]
		if w.punct || strings.HasPrefix(w.tag, "V") || (w.class != content && w.tag != "DT") {
			break
		}
		from--
	}
	for to < len(q.words) && !q.words[to].punct {
		to++
	}
	if from < or && to > or+1 {
		q.options = [2][]word{q.words[from:or], q.words[or+1 : to]}
		q.kind = askChoice
	}
}

// named are nouns whose instances have names.
var named = list("named")
