package reader

import (
	"slices"
	"time"

	"recallbench/internal/text/timex"
)

// A lineFeature is one thing that speaks for or against a line.
type lineFeature int

// The features of a line. Shares are of the question's words, rare words
// counting more.
const (
	lOwn      lineFeature = iota // share found in the line
	lSentence                    // share found in its best sentence
	lReply                       // share found in the question that it replies to, and not in the line
	lPrev                        // share found in the line before, and not in the line
	lVerb                        // the main verb is in it
	lFocus                       // the noun asked for is in it
	lImage                       // share found in remarks on images
	lPerson                      // said by the person asked about
	lOther                       // said by somebody whom the question does not name
	lDay                         // said on a day that the question names
	lAbout                       // speaks of a time that the question names
	lNoDate                      // the question names a time, and the line has nothing to do with it
	lAsks                        // ends with a question
	lShort                       // is shorter than five words
	lRank                        // high rank of its passage: 1 for the first, 1/2 for the ninth
	lWhen                        // has an expression of time, where one is asked for
	lNumber                      // has a number, where one is asked for
	lProper                      // has a name, where one is asked for
	lFirst                       // has a word of the first person
	lWindow                      // share found within four lines, and not in the line
	numLine
)

// A lineVec holds the features of a line.
type lineVec [numLine]float64

const (
	halfRank   = 8                   // the rank, from 0, at which lRank is a half
	shortLine  = 5                   // words
	windowSize = 4                   // lines to each side
	aftermath  = 14 * 24 * time.Hour // how long after an event people still tell of it
	mentioned  = 32 * 24 * time.Hour // the longest time that counts as one that a line is about
)

// describe sets the features of a line but those of its sentences.
func (m *matcher) describe(l *said, v *lineVec) {
	q, own := m.q, m.row(l)
	v[lOwn] = m.share(own)
	if l.prev != nil {
		x := m.beyond(m.row(l.prev), own)
		if l.prev.asks() {
			v[lReply] = x
		} else {
			v[lPrev] = x
		}
	}
	v[lWindow] = m.window(l, own)
	for j, y := range own {
		if q.terms[j].stem == q.verb {
			v[lVerb] = y
		}
		if q.terms[j].stem == q.focus {
			v[lFocus] = y
		}
	}
	if len(q.persons) > 0 {
		v[lPerson] = indicator(l.speaker == q.persons[0])
		v[lOther] = indicator(!slices.Contains(q.persons, l.speaker))
	}
	words := 0
	for k := range l.sentences {
		s := &l.sentences[k]
		if !s.image {
			words += len(s.words)
		}
		q.types(s, v)
	}
	q.dated(l, v)
	v[lAsks] = indicator(l.asks())
	v[lShort] = indicator(words < shortLine)
	if !m.unranked {
		v[lRank] = 1 / (1 + float64(l.rank)/halfRank)
	}
}

// window is the share of the question that the lines around l have and l does
// not.
func (m *matcher) window(l *said, own []float64) float64 {
	clear(m.near)
	join := func(s *said) *said {
		if s == nil {
			return nil
		}
		for j, y := range m.row(s) {
			m.near[j] = max(m.near[j], y)
		}
		return s
	}
	before, after := l, l
	for range windowSize {
		if before != nil {
			before = join(before.prev)
		}
		if after != nil {
			after = join(after.next)
		}
	}
	return m.beyond(m.near, own)
}

// dated sets the features of the times that the question names.
func (q *query) dated(l *said, v *lineVec) {
	if len(q.dates) == 0 {
		return
	}
	period := false
	for _, d := range q.dates {
		if !l.time.IsZero() {
			inside := !l.time.Before(d.From) && l.time.Before(d.To)
			if inside && d.Grain < timex.Month {
				v[lDay] = 1
			}
			since := l.time.Sub(d.To)
			period = period || inside || (since >= 0 && since < aftermath)
		}
		for k := range l.sentences {
			for _, e := range l.sentences[k].exprs {
				if !e.Vague && e.Overlaps(d.From, d.To) && e.To.Sub(e.From) <= mentioned {
					v[lAbout] = 1
				}
			}
		}
	}
	if v[lDay]+v[lAbout] == 0 && !period {
		v[lNoDate] = 1
	}
}

// types sets the features of what a sentence has of the kind asked for.
func (q *query) types(s *sentence, v *lineVec) {
	if s.question {
		return
	}
	if q.kind == askWhen || q.kind == askHowLong || q.kind == askHowOften {
		for _, e := range s.exprs {
			switch {
			case q.kind == askWhen && e.Resolved(),
				q.kind == askHowLong && (e.Kind == timex.Duration || e.Resolved()),
				q.kind == askHowOften && e.Kind == timex.Frequency:
				v[lWhen] = 1
			}
		}
	}
	named := q.kind == askWho || q.kind == askWhere || q.asksName
	for i := range s.words {
		w := &s.words[i]
		switch {
		case w.tag == "CD" && q.kind == askHowMany:
			v[lNumber] = 1
		case i > 0 && w.upper && isNoun(w.tag) && named:
			v[lProper] = 1
		case w.low == "i" || w.low == "my" || w.low == "we" || w.low == "our":
			v[lFirst] = 1
		}
	}
}
