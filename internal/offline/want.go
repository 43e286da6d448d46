package offline

import (
	"slices"
	"strings"
	"time"
)

// A want is the type of a value that somebody asks a service for. Values of a
// type have a shape, so that they are found wherever they stand.
type want string

// The types of values.
const (
	wantNone      want = ""
	wantReference want = "reference"   // of a booking: letters and digits
	wantLine      want = "line number" // of a train, flight or bus
	wantPhone     want = "phone number"
	wantPostcode  want = "postcode"
	wantAddress   want = "address"
	wantStars     want = "stars"
	wantPeople    want = "people" // how many
	wantNights    want = "nights" // how many
	wantClock     want = "time of day"
	wantDay       want = "day of the week"
	wantPrice     want = "price range"
	wantFee       want = "fee"
	wantArea      want = "part of town"
	wantFood      want = "kind of food"
	wantCar       want = "car"
	wantPlaceKind want = "kind of place"
	wantGoal      want = "destination"
	wantName      want = "name of a place"
)

// A sense is which of two times of a journey is meant.
type sense int

// The senses of times.
const (
	anyTime sense = iota
	leaving
	arriving
)

// A demand is what a question wants to know of a service.
type demand struct {
	want  want
	sense sense
	// named are the words of the question that say what it is about, and not what
	// is asked for: by the index of their terms.
	named []bool
	// mine is set when the one who asks has told the value, and yours when the
	// other has.
	mine, yours bool
	journey     journey
	// newest is set when the question asks for what holds now, and times are when
	// the lines were said, in order.
	newest bool
	times  []time.Time
}

var (
	peopleNouns = set("people person persons guest guests us traveller travellers traveler travelers diner diners ticket tickets seat seats passenger passengers adult adults party group myself")
	nightNouns  = set("night nights")
	vehicles    = set("train flight bus coach tram ferry")
	leaveWords  = set("leave leaves leaving left depart departs departing departed departure pick pickup pick-up picks picked start starts collect")
	arriveWords = set("arrive arrives arriving arrived arrival arrivals reach reaches reaching")
	// notClock are the words before "time" with which it is no time of day.
	notClock = set("last first next long every some any free spare good full this a of more much in second third")
)

// demand reads what the question wants of a service. Types whose values could be
// anything are only looked for where a service speaks.
func (q *query) demand(service bool) demand {
	d := demand{want: q.hardWant()}
	if d.want == wantNone && service {
		d.want = q.softWant()
	}
	if d.want == wantClock {
		d.sense = q.senseOf()
	}
	d.newest = q.any("latest", "last", "end", "now", "newest", "currently", "current", "finally", "recent")
	d.mine, d.yours = q.told("i"), q.told("you")
	return d
}

// told reports whether the question says that somebody told the value.
func (q *query) told(who string) bool {
	for i := range q.words {
		if q.low(i) == who && telling[q.low(i+1)] {
			return true
		}
	}
	return false
}

// telling are the verbs of what was told.
var telling = set("say said tell told give gave ask asked want wanted name book")

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
	case q.any("destination") || q.any("where", "place") && q.any("go", "going", "take", "bring", "off", "heading"), q.pair("to", "which"):
		return wantGoal
	case q.any("name", "called", "where") || q.pair("which", "one") || q.focusLow != "" && venues[singular(q.focusLow)], q.pair("which", "is"):
		return wantName
	}
	return wantNone
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

// serves reports whether one of the speakers goes by a part and not by a name:
// the conversation is one with a service.
func serves(speakers []string) bool {
	return slices.ContainsFunc(speakers, func(s string) bool { return parts[s] })
}

// parts are what speakers are called by the part that they have in a service, and
// asking those of them who want something.
var (
	parts  = set("user customer client caller guest assistant agent system operator service clerk bot wizard")
	asking = set("user customer client caller guest")
)

// isNumber reports whether a word is a small number, and returns it without what
// a hyphen joins to it: "4-star".
func isNumber(w *word) (number, joined string, ok bool) {
	head, tail, _ := strings.Cut(w.low, "-")
	if smallNumbers[head] {
		return head, tail, true
	}
	if len(head) == 0 || len(head) > 2 {
		return "", "", false
	}
	for _, c := range []byte(head) {
		if c < '0' || c > '9' {
			return "", "", false
		}
	}
	return head, tail, true
}

var smallNumbers = set("one two three four five six seven eight nine ten eleven twelve")
