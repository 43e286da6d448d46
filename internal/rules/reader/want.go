package reader

import (
	"slices"
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
	wantOrigin    want = "point of departure"
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
