package reader

import (
	"slices"
	"strings"
)

// names reports whether the question says what it is about.
func (d *demand) names() bool { return slices.Contains(d.named, true) }

// closeness tells how near to a value its sentence has a word that the question
// is about: 1 right beside it, 1/2 four words away, 0 for none.
func (q *query) closeness(d *demand, s *sentence, v value) float64 {
	best := 0.0
	for i := range s.words {
		if s.words[i].punct || i >= v.from && i < v.to {
			continue
		}
		for j := range q.terms {
			if d.named[j] && q.terms[j].stem == s.words[i].stem {
				away := max(v.from-i, i-v.to+1) - 1
				best = max(best, 1/(1+float64(away)/4))
			}
		}
	}
	return best
}

// stranger reports whether a sentence has a name that the question has not.
func (q *query) stranger(s *sentence, v value) bool {
	for i := range s.words {
		w := &s.words[i]
		if i == 0 || i >= v.from && i < v.to || !w.upper || w.punct || w.class != content || !nameable(w) || w.text == strings.ToUpper(w.text) || s.words[i-1].punct {
			continue
		}
		if _, digits, _ := makeup(s.words[i-1].text); digits > 0 || q.mentions(w) || i+1 < len(s.words) && streets[s.words[i+1].low] || streets[w.low] {
			continue
		}
		return true
	}
	return false
}

// mentions reports whether the question has a word.
func (q *query) mentions(w *word) bool {
	return slices.ContainsFunc(q.words, func(x word) bool { return x.stem == w.stem })
}

// fact reports whether what is wanted is so whatever anybody wishes.
func (d *demand) fact() bool {
	switch d.want {
	case wantStars, wantPrice, wantArea, wantFood, wantPlaceKind, wantFee, wantAddress, wantPostcode, wantPhone, wantReference, wantLine, wantCar:
		return true
	case wantPeople, wantNights, wantClock, wantDay, wantGoal, wantOrigin, wantName, wantNone:
	}
	return false
}

// wish reports whether a sentence says what somebody would like.
func wish(s *sentence) bool {
	for i := range s.words {
		low := s.words[i].low
		next := at(s.words, i+1)
		switch {
		case low == "need" || low == "want" || low == "prefer" || low == "looking" && next == "for":
			return true
		case (low == "would" || low == "'d") && (next == "like" || next == "prefer") && at(s.words, i-1) != "you":
			return true
		}
	}
	return false
}

// kinds of services with the words that tell them.
var services = []map[string]bool{
	set("restaurant restaurants table food eat dine dining dinner lunch cuisine serves serve diners"),
	set("hotel hotels guesthouse guesthouses room rooms stay staying nights night lodging sleep check"),
	set("train trains ticket tickets station platform"),
	set("taxi taxis cab car driver pick"),
	set("attraction attractions sight sights admission entrance visit fee"),
}

// kindred says whether a line speaks of the service that the question is about:
// more than 0 where it does, less where it speaks of others only.
func kindred(q *query, l *said) float64 {
	asked, same, other := false, false, false
	for _, words := range services {
		in := false
		for i := range q.words {
			in = in || words[q.words[i].low]
		}
		on := false
		for k := range l.sentences {
			for i := range l.sentences[k].words {
				on = on || words[l.sentences[k].words[i].low]
			}
		}
		asked = asked || in
		same = same || in && on
		other = other || on && !in
	}
	switch {
	case !asked:
		return 0
	case same:
		return worthService
	case other:
		return -worthService
	}
	return 0
}
