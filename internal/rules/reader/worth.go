package reader

import (
	"slices"
	"time"
)

// What speaks for a value beside its fit.
const (
	worthNamed    = 4.0 // share of what the question is about, in the line
	worthNear     = 2.5 // and in lines beside it, not in the line
	worthHere     = 1.0 // share in the sentence itself
	worthRank     = 1.5 // for the first passage
	worthAsks     = -1.0
	worthWish     = -1.5 // a wish, where a fact is wanted
	worthTeller   = 1.0  // said by the one whom the question says
	worthJourney  = 2.0
	worthNewer    = 0.3  // for the newest of dated lines
	worthNewest   = 2.5  // and where the question asks for it
	worthBound    = -2.0 // a limit of a wish, where a fact is wanted
	worthClose    = 0.8  // for a name right beside the value
	worthStranger = -0.8 // said of something else with a name
)

// strange is the share of what the question is about below which a line may be
// about something else.
const strange = 0.3

// worthService is for a line about the same kind of service as the question.
const worthService = 1.2

// frame are the words that questions for values are made of. They say nothing
// of what a question is about.
var frame = list("frame")

// about finds the terms of the question that say what it is about.
func (q *query) about(d *demand) {
	d.named = make([]bool, len(q.terms))
	for j := range q.terms {
		t := &q.terms[j]
		upper := false
		for i := 1; i < len(q.words); i++ {
			upper = upper || q.words[i].stem == t.stem && q.words[i].upper
		}
		d.named[j] = upper || !frame[t.low]
	}
	d.journey = q.journey()
}

// A lineWorth is what a line is worth to a question, whatever value it has.
type lineWorth struct {
	known bool
	share float64 // of what the question is about
	worth float64
}

// ofLine weighs a line.
func (q *query) ofLine(m *matcher, d *demand, l *said) lineWorth {
	own := m.row(l)
	share := d.share(q, own)
	if about := d.share(q, q.withAbout(own, l)); about > share {
		share += shareAbout * (about - share)
	}
	x := worthNamed*share + worthNear*max(0, d.nearby(q, m, l)-share)
	x += worthRank / (1 + float64(l.rank)/halfRank)
	x += d.recency(l) + kindred(q, l) + worthJourney*d.journey.holds(l)
	if d.mine != d.yours && parts[l.speaker] && asking[l.speaker] == d.mine {
		x += worthTeller
	}
	return lineWorth{known: true, share: share, worth: x}
}

// ofValue weighs a value in its sentence.
func (q *query) ofValue(m *matcher, d *demand, c candidate, v value, share float64) float64 {
	s, n := c.sentence(), len(q.terms)
	x := v.fit + worthHere*d.share(q, m.sentences[c.order*n:(c.order+1)*n])
	if s.question {
		x += worthAsks
	}
	if asking[c.line.speaker] || wish(s) {
		switch limit := d.sense != anyTime && !d.mine; {
		case d.fact() || limit && !bounded(s.words, v.from):
			x += worthWish
		case limit:
			x += worthWish + worthBound
		}
	}
	x += worthClose * q.closeness(d, s, v)
	if share < strange && d.names() && q.stranger(s, v) {
		x += worthStranger
	}
	return x
}

// shareAbout is what a name beside a line counts, of the same name in it.
const shareAbout = 0.9

// withAbout joins the names beside a line to its row.
func (q *query) withAbout(own []float64, l *said) []float64 {
	if len(l.about) == 0 {
		return own
	}
	row := slices.Clone(own)
	q.find(l.about, row)
	return row
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

// nearby is the share that a line has together with those before it in its
// passage.
func (d *demand) nearby(q *query, m *matcher, l *said) float64 {
	near := slices.Clone(m.row(l))
	for i, p := 0, l.prev; i < windowSize && p != nil; i, p = i+1, p.prev {
		for j, y := range m.row(p) {
			near[j] = max(near[j], y)
		}
	}
	return d.share(q, near)
}

// times lists when the lines were said, in order.
func times(lines []*said) []time.Time {
	var all []time.Time
	for _, l := range lines {
		if !l.time.IsZero() {
			all = append(all, l.time)
		}
	}
	slices.SortFunc(all, time.Time.Compare)
	return slices.CompactFunc(all, time.Time.Equal)
}

// recency is what a line is worth for being newer than others, as far as they say
// when they were said.
func (d *demand) recency(l *said) float64 {
	i, known := slices.BinarySearchFunc(d.times, l.time, time.Time.Compare)
	if !known || len(d.times) < 2 {
		return 0
	}
	share := float64(i) / float64(len(d.times)-1)
	if d.newest {
		return worthNewest * share
	}
	return worthNewer * share
}
