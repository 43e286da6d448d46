package reader

import (
	"cmp"
	"slices"
)

// What speaks for a value beside its fit.
const (
	worthNamed   = 4.0 // share of what the question is about, in the line
	worthNear    = 2.5 // and in lines before it in its passage, not in the line
	worthHere    = 1.0 // share in the sentence itself
	worthRank    = 1.5 // for the first passage
	worthAsks    = -1.0
	worthJourney = 2.0
	worthService = 1.2  // for a line about the same kind of service as the question
	worthBound   = -2.0 // a limit of a wish, where a fact is wanted
	worthSense   = 1.0  // the time of the journey that is wanted; another one takes it away
	worthNewest  = 2.5  // for the newest of dated lines, where the question asks for it
	shareAbout   = 0.9  // what a name beside a line counts, of the same name in it
)

// A demand is what a question wants to know of a service.
type demand struct {
	want    want
	sense   sense
	named   []bool // the terms of the question that say what it is about
	journey journey
	// newest is set where the question asks for what holds now; oldest and latest
	// are when the first and the last line were said.
	newest         bool
	oldest, latest int64
}

// typed answers a question for a value of a type, such as a telephone number or a
// time of day, from the lines that tell one. It says which type that is. It has no
// answer to other questions, and none where no line has such a value.
func (q *query) typed(m *matcher, speakers []string) (text string, used []candidate, asked want) {
	d := demand{want: q.wanted(serves(speakers)), sense: q.senseOf(), journey: q.journey()}
	if d.want == wantNone {
		return "", nil, wantNone
	}
	for _, t := range q.terms {
		upper := slices.ContainsFunc(q.words[1:], func(w word) bool { return w.stem == t.stem && w.upper })
		d.named = append(d.named, upper || !frame[t.low])
	}
	d.newest = slices.ContainsFunc(q.words, func(w word) bool { return newest[w.low] })
	for i, l := range m.lines {
		at := l.time.Unix()
		if i == 0 {
			d.oldest, d.latest = at, at
		}
		d.oldest, d.latest = min(d.oldest, at), max(d.latest, at)
	}
	var line *said // the values of a line come one after another
	ofLine := 0.0
	best := candidate{}
	var at value
	for _, c := range m.out {
		s := c.sentence()
		if s.image {
			continue
		}
		for _, v := range s.values(c.line.text, d.want) {
			if d.want != wantKind && v.text == "" && q.repeats(s.words[v.from:v.to]) {
				continue
			}
			if c.line != line {
				line, ofLine = c.line, d.ofLine(q, m, c.line)
			}
			x := v.fit + ofLine + d.ofSentence(q, m, c, v)
			if best.line == nil || x > best.score {
				best, at = c, v
				best.score = x
			}
		}
	}
	if best.line == nil {
		return "", nil, d.want
	}
	return at.tell(best.sentence()), []candidate{best}, d.want
}

// spelled are values that are said in other words.
var spelled = pairs("no free me 1 myself 1")

// tell writes a value of a sentence as an answer.
func (v value) tell(s *sentence) string {
	return cmp.Or(spelled[v.text], v.text, plainly(s.words[v.from:v.to]))
}

// repeats reports whether words only say what the question says.
func (q *query) repeats(words []word) bool {
	return !slices.ContainsFunc(words, func(w word) bool {
		return !w.punct && w.class == content && !slices.ContainsFunc(q.words, func(x word) bool { return x.stem == w.stem })
	})
}

// ofLine weighs a line, whatever value it has.
func (d *demand) ofLine(q *query, m *matcher, l *said) float64 {
	near := slices.Clone(m.row(l))
	share := d.share(q, near)
	if len(l.about) > 0 {
		q.find(l.about, near)
		share += shareAbout * (d.share(q, near) - share)
	}
	for i, p := 0, l.prev; i < windowSize && p != nil; i, p = i+1, p.prev {
		atLeast(near, m.row(p))
	}
	x := worthNamed*share + worthNear*max(0, d.share(q, near)-share) + worthRank/(1+float64(l.rank)/halfRank)
	if d.newest && d.latest > d.oldest {
		x += worthNewest * float64(l.time.Unix()-d.oldest) / float64(d.latest-d.oldest)
	}
	return x + worthService*q.kindred(l) + worthJourney*d.journey.holds(l)
}

// share is the part of what the question is about that a row has.
func (d *demand) share(q *query, row []float64) float64 {
	sum, total := 0.0, 0.0
	for j, y := range row {
		if d.named[j] {
			sum += q.terms[j].weight * y
			total += q.terms[j].weight
		}
	}
	if total == 0 {
		return 0
	}
	return sum / total
}

// ofSentence weighs the sentence that a value stands in.
func (d *demand) ofSentence(q *query, m *matcher, c candidate, v value) float64 {
	s, n := c.sentence(), len(q.terms)
	x := worthHere*d.share(q, m.sentences[c.order*n:(c.order+1)*n]) + worthAsks*indicator(s.question)
	if d.want != wantClock || d.sense == anyTime {
		return x
	}
	if limits[at(s.words, v.from-1)] && askers[c.line.speaker] {
		x += worthBound
	}
	switch said := senseAt(s.words, v.from); {
	case said == d.sense:
		x += worthSense
	case said != anyTime:
		x -= 4 * worthSense
	}
	return x
}

// services are the kinds of services by the words that tell them.
var services = []map[string]bool{list("dining"), list("lodging"), list("rail"), list("cabs"), list("sights")}

// kindred says whether a line speaks of the service that the question is about: 1
// where it does, -1 where it speaks of others only.
func (q *query) kindred(l *said) float64 {
	asked, same, other := false, false, false
	for _, words := range services {
		in := tells(q.words, words)
		on := slices.ContainsFunc(l.sentences, func(s sentence) bool { return tells(s.words, words) })
		asked, same, other = asked || in, same || in && on, other || on && !in
	}
	switch {
	case asked && same:
		return 1
	case asked && other:
		return -1
	}
	return 0
}

// tells reports whether words have one of a list.
func tells(words []word, of map[string]bool) bool {
	return slices.ContainsFunc(words, func(w word) bool { return of[w.low] })
}

// A journey is where a question says that one goes from and to: the first words
// of the names.
type journey struct{ from, to string }

// journey reads "from A to B" in the question.
func (q *query) journey() (j journey) {
	for i := range q.words {
		name := i + 1
		if q.low(name) == "the" {
			name++
		}
		if name >= len(q.words) || !q.words[name].upper {
			continue
		}
		switch {
		case q.low(i) == "from":
			j.from = q.low(name)
		case q.low(i) == "to" && j.from != "":
			j.to = q.low(name)
		}
	}
	return j
}

// holds says whether a line tells of the journey, from -1 for the way back to 1.
func (j journey) holds(l *said) float64 {
	x := 0.0
	for k := range l.sentences {
		words := l.sentences[k].words
		for i := range words {
			before := at(words, i-1)
			if before == "the" {
				before = at(words, i-2)
			}
			switch low := words[i].low; {
			case low == j.from && low != "":
				x += indicator(fromWords[before]) - indicator(toWords[before])
			case low == j.to && low != "":
				x += indicator(toWords[before]) - indicator(fromWords[before])
			}
		}
	}
	return max(-1, min(1, x/2))
}

var (
	limits      = set("after before by around until to than")
	newest      = set("latest last end now newest currently current finally recent")
	frame       = list("frame")
	fromWords   = set("from leaving departing leave leaves depart departs departure")
	toWords     = set("to into towards arriving arrive arrives at destination")
	leaveWords  = list("leaving")
	arriveWords = list("arriving")
	weekdays    = set("monday tuesday wednesday thursday friday saturday sunday today tomorrow")
)
