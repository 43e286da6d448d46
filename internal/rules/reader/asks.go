package reader

import (
	"slices"
)

// hardWant finds types by their names, whose values have a shape of their own.
func (q *query) hardWant() want {
	number := q.any("number") || q.any("numbers")
	switch {
	case q.any("postcode", "postcodes", "postal", "zip", "zipcode") || q.pair("post", "code"):
		return wantPostcode
	case q.any("phone", "telephone") || q.pair("contact", "number") || number && q.any("call", "reach", "ring", "dial"):
		return wantPhone
	case q.any("reference", "confirmation") || q.pair("booking", "number") || q.pair("reservation", "number") || q.pair("booking", "code"):
		return wantReference
	case q.any("id") || q.lineNumber():
		return wantLine
	case q.any("address") && !q.any("email", "e-mail"), q.pair("where", "exactly"):
		return wantAddress
	case q.any("stars") || q.pair("star", "rating"):
		return wantStars
	}
	if w := q.countWant(); w != wantNone {
		return w
	}
	if q.timeOfDay(false) {
		return wantClock
	}
	if q.pair("price", "range") || q.pair("how", "expensive") || q.any("expensive") && q.any("cheap") {
		return wantPrice
	}
	return wantNone
}

// lineNumber reports whether the question is for the number of a train or its
// like.
func (q *query) lineNumber() bool {
	for i := range q.words {
		if q.low(i) == "number" && vehicles[q.low(i-1)] {
			return true
		}
	}
	return false
}

// countWant finds what a question for a number counts: what stands behind "how
// many", else what it speaks of otherwise.
func (q *query) countWant() want {
	at := -1
	for i := range q.words {
		next := q.low(i + 1)
		if q.low(i) == "how" && (next == "many" || next == "long" && q.any("nights")) || q.low(i) == "number" && next == "of" ||
			q.low(i) == "size" && next == "of" {
			at = i + 2
			if next == "long" {
				return wantNights
			}
		}
	}
	if at < 0 {
		return wantNone
	}
	if q.low(at) == "of" {
		at++
	}
	if w := countOf(q.low(at)); w != wantNone {
		return w
	}
	if at < len(q.words) && !q.words[at].punct && q.words[at].class == content {
		return wantNone // it counts something else
	}
	for i := range q.words {
		if w := countOf(q.low(i)); w != wantNone {
			return w
		}
	}
	if q.pair("are", "we") {
		return wantPeople
	}
	return wantNone
}

func countOf(low string) want {
	switch {
	case nightNouns[low]:
		return wantNights
	case peopleNouns[low]:
		return wantPeople
	}
	return wantNone
}

// softWant finds types whose values are words like others.
func (q *query) softWant() want {
	for i := range q.words {
		if q.low(i) == "day" && (questionWords[q.low(i-1)] || q.low(i-1) == "the" || q.low(i-1) == "same" || q.low(i-1) == "first") {
			return wantDay
		}
	}
	switch {
	case q.pair("how", "long") && q.any("stay", "staying"):
		return wantNights
	case q.asksWhen() || q.timeOfDay(true):
		return wantClock
	case q.any("fee", "fees", "admission", "fare", "pay", "charge", "cost", "costs") || q.pair("how", "much"):
		return wantFee
	case q.any("area", "district") || q.pair("part", "of") || q.pair("side", "of"):
		return wantArea
	case q.any("food", "cuisine", "cook", "menu", "serve"):
		return wantFood
	case q.any("car", "vehicle", "colour", "color") && !q.any("where"):
		return wantCar
	case q.pair("type", "of") || q.pair("kind", "of") || q.pair("sort", "of"):
		return wantPlaceKind
	case q.asksOrigin():
		return wantOrigin
	case q.any("destination") || q.any("where", "place", "station", "city") && q.any("go", "going", "take", "bring", "off", "heading"), q.pair("to", "which"):
		return wantGoal
	case q.any("name", "called", "where") || q.pair("which", "one") || q.focusLow != "" && venues[singular(q.focusLow)], q.pair("which", "is"):
		return wantName
	}
	return wantNone
}

// asksOrigin reports whether the question is where a journey begins: "from where",
// "which station does it depart from".
func (q *query) asksOrigin() bool {
	if !q.any("where", "place", "station", "city") {
		return false
	}
	for i := range q.words {
		last := i+1 == len(q.words) || q.words[i+1].punct
		if q.low(i) == "from" && (last || questionWords[q.low(i+1)]) {
			return true
		}
	}
	return q.pair("departure", "station") || q.pair("departure", "place")
}

// timeOfDay reports whether the question speaks of a time as what is asked for;
// loosely in "the time of my table", too.
func (q *query) timeOfDay(loosely bool) bool {
	for i := range q.words {
		before := q.low(i - 1)
		switch {
		case q.low(i) != "time" && q.low(i) != "hour" || notClock[before]:
		case loosely && before != "", q.low(i+1) != "of" && (questionWords[before] || before == "same" || before == "the" || leaveWords[before] || arriveWords[before]):
			return true
		}
	}
	return false
}

// asksWhen reports whether a sentence of the question asks when.
func (q *query) asksWhen() bool {
	for i := range q.words {
		if q.low(i) == "when" && (i == 0 || q.words[i-1].punct || q.low(i-1) == "by") {
			return true
		}
	}
	return false
}

// venues are nouns for places that are booked.
var venues = set("restaurant hotel guesthouse place hostel inn pub cafe bar attraction venue")

// senseOf tells which time of a journey is asked for.
func (q *query) senseOf() sense {
	for i := range q.words {
		low := q.low(i)
		switch {
		case arriveWords[low], low == "there" && (q.low(i-1) == "get" || q.low(i-1) == "me" || q.low(i-1) == "gets" || q.low(i-1) == "be" && q.low(i+1) == "with"), low == "into", low == "off":
			return arriving
		case leaveWords[low], low == "out" && q.low(i-1) == "pull", low == "platform" && !q.any("get"):
			return leaving
		}
	}
	return anyTime
}

// any reports whether the question has one of the words.
func (q *query) any(words ...string) bool {
	for i := range q.words {
		if slices.Contains(words, q.words[i].low) {
			return true
		}
	}
	return false
}

// pair reports whether the question has two words next to each other.
func (q *query) pair(first, second string) bool {
	for i := 1; i < len(q.words); i++ {
		if q.words[i].low == second && q.words[i-1].low == first {
			return true
		}
	}
	return false
}
