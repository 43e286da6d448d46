package offline

import (
	"cmp"
	"slices"
	"strings"
)

// A found is a value with the sentence that tells it.
type found struct {
	value
	candidate
	worth float64
}

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
	worthBound    = -2.0 // a limit of a wish, where a fact is wanted
	worthClose    = 0.8  // for a name right beside the value
	worthStranger = -0.8 // said of something else with a name
)

// strange is the share of what the question is about below which a line may be
// about something else.
const strange = 0.3

// worthService is for a line about the same kind of service as the question.
const worthService = 1.2

// typed answers a question for a value of a type, such as a telephone number or
// a time of day, from the lines that tell one. It has no answer to other
// questions, and none where no line has such a value.
func (q *query) typed(m *matcher, speakers []string) (string, []candidate) {
	d := q.demand(serves(speakers))
	if d.want == wantNone {
		return "", nil
	}
	q.about(&d)
	var all []found
	for _, c := range m.out {
		s := c.sentence()
		if s.image {
			continue
		}
		for _, v := range d.values(s) {
			if d.want != wantPlaceKind && q.repeats(s, v) {
				continue
			}
			all = append(all, found{v, c, q.worth(m, &d, c, v)})
		}
	}
	if len(all) == 0 {
		return "", nil
	}
	best := slices.MaxFunc(all, func(a, b found) int {
		return cmp.Or(cmp.Compare(a.worth, b.worth), cmp.Compare(b.order, a.order))
	})
	text := best.text
	if text == "" {
		words := best.sentence().words
		text = best.line.text[words[best.from].start:words[best.to-1].end]
	}
	c := best.candidate
	c.score = best.worth
	return text, []candidate{c}
}

// repeats reports whether a value only says what the question says.
func (q *query) repeats(s *sentence, v value) bool {
	if v.text != "" {
		return false
	}
	for i := v.from; i < v.to; i++ {
		w := &s.words[i]
		if !w.punct && w.class == content && !slices.ContainsFunc(q.words, func(x word) bool { return x.stem == w.stem }) {
			return false
		}
	}
	return true
}

// frame are the words that questions for values are made of. They say nothing
// of what a question is about.
var frame = set(`tell told say said give gave name named call called ask asked repeat need want wanted get know
number numbers phone telephone contact postcode address reference confirmation booking id time hour day type kind
sort part side area town price range expensive cheap moderate stars star rating rated people person guests party
nights food cuisine fee entrance admission cost pay charge reach serve cook lose lost book booked reserve reserved
settle settled end change changes latest last now word going agree agreed exactly again arrival departure arrive
arrives leave leaves depart departs pickup pick destination make colour color size travellers many name look make
expect tickets seats train taxi car table room reservation stay staying attraction restaurant hotel guesthouse place
ticket journey travelling valid same before usual mean group diners eat sleep nights`)

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

// worth weighs a value.
func (q *query) worth(m *matcher, d *demand, c candidate, v value) float64 {
	x := v.fit
	own := m.row(c.line)
	n := len(q.terms)
	share := d.share(q, own)
	if about := d.share(q, q.withAbout(own, c.line)); about > share {
		share += shareAbout * (about - share)
	}
	x += worthNamed * share
	x += worthHere * d.share(q, m.sentences[c.order*n:(c.order+1)*n])
	x += worthNear * max(0, d.nearby(q, m, c.line)-share)
	x += worthRank / (1 + float64(c.line.rank)/halfRank)
	s := c.sentence()
	wishes := asking[c.line.speaker] || wish(s)
	if s.question {
		x += worthAsks
	}
	switch {
	case !wishes:
	case d.fact():
		x += worthWish
	case d.sense != anyTime && !d.mine:
		x += worthWish
		if bounded(s.words, v.from) {
			x += worthBound
		}
	}
	x += worthClose * q.closeness(d, s, v)
	if share < strange && d.names() && q.stranger(s, v) {
		x += worthStranger
	}
	if d.mine != d.yours && len(parts) > 0 && parts[c.line.speaker] && asking[c.line.speaker] == d.mine {
		x += worthTeller
	}
	x += worthJourney * d.journey.holds(c.line)
	x += kindred(q, c.line)
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

// nearby is the share that a line and the lines before it in its passage have.
func (d *demand) nearby(q *query, m *matcher, l *said) float64 {
	near := slices.Clone(m.row(l))
	for i, p := 0, l.prev; i < windowSize && p != nil; i, p = i+1, p.prev {
		for j, y := range m.row(p) {
			near[j] = max(near[j], y)
		}
	}
	return d.share(q, near)
}

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
	case wantPeople, wantNights, wantClock, wantDay, wantGoal, wantName, wantNone:
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
	set("attraction attractions museum museums college admission entrance visit fee"),
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

// A journey is where a question says that one goes from and to.
type journey struct{ from, to []string }

var (
	fromWords = set("from leaving departing leave leaves depart departs departure")
	toWords   = set("to into towards in for arriving arrive arrives at destination")
)

// journey reads "from A to B" in the question.
func (q *query) journey() journey {
	var j journey
	for i := range q.words {
		if q.low(i) != "from" && (q.low(i) != "to" || len(j.from) == 0) {
			continue
		}
		var words []string
		k := i + 1
		for k < len(q.words) && (q.words[k].upper || q.low(k) == "the" || q.low(k) == "of" || q.low(k) == "and" || q.low(k) == "&") {
			if q.words[k].upper && q.words[k].class == content && !q.words[k].punct {
				words = append(words, q.words[k].low)
			}
			k++
		}
		if q.low(i) == "from" {
			j.from = words
		} else {
			j.to = words
		}
	}
	return j
}

// holds says whether a line tells of the journey, from -1 for the way back to 1.
func (j journey) holds(l *said) float64 {
	x := 0.0
	for _, end := range []struct {
		words      []string
		good, evil map[string]bool
	}{{j.from, fromWords, set("to into towards")}, {j.to, toWords, set("from leaving departing")}} {
		if len(end.words) == 0 {
			continue
		}
		best := 0.0
		for k := range l.sentences {
			words := l.sentences[k].words
			for i := range words {
				if words[i].low != end.words[0] {
					if best == 0 && j.elsewhere(words, i, end.good) {
						best = -0.5
					}
					continue
				}
				p := i - 1
				for p >= 0 && p > i-3 && (words[p].low == "the" || words[p].tag == "VBG" && !end.good[words[p].low] && !end.evil[words[p].low]) {
					p--
				}
				switch {
				case end.good[at(words, p)]:
					best = 0.5
				case end.evil[at(words, p)] && best <= 0:
					best = -0.5
				}
			}
		}
		x += best
	}
	return x
}

// elsewhere reports whether word i begins the name of another end of a journey.
func (j journey) elsewhere(words []word, i int, before map[string]bool) bool {
	w := &words[i]
	return w.upper && !w.punct && w.class == content && nameable(w) && before[at(words, i-1)] && at(words, i-1) != "for" && at(words, i-1) != "in" && at(words, i-1) != "at" &&
		!slices.Contains(j.from, w.low) && !slices.Contains(j.to, w.low)
}

// goal finds a name behind "to".
func (d *demand) goal(words []word, i int) (value, bool) {
	low := words[i].low
	stated := false
	from := i + 1
	switch {
	case low == "to", low == "into", low == "towards", low == "toward":
	case low == "for" && behind(words, i, 3, set("headed heading bound leaving departing")), low == "for" && d.journey.in(words, i):
	case (low == "in" || low == "at") && behind(words, i, 6, set("arriving arrive arrives arrival")):
	case low == "and" && d.journey.in(words, i) && behind(words, i, 8, set("between")):
		stated = true
	case low == "destination":
		for from < len(words) && (words[from].punct || words[from].low == "is" || words[from].low == "will" || words[from].low == "be" || words[from].low == "of" || words[from].low == "to") {
			from++
		}
		stated = true
	default:
		return value{}, false
	}
	for from < len(words) && (words[from].low == "the" || words[from].low == "go" || words[from].low == "get" || words[from].low == "to") && from < i+4 {
		from++
	}
	end := from
	for end < len(words) && end < from+7 {
		w := &words[end]
		joins := w.low == "of" || w.low == "the" || w.low == "and" || w.low == "'s" || w.low == "&" || w.low == "-" || w.low == "from" && end > from && words[end-1].upper && end+1 < len(words) && words[end+1].upper
		if w.low == "and" && end+1 < len(words) && !words[end+1].upper {
			break
		}
		verb := strings.HasPrefix(w.tag, "VB") && !w.upper && (doing[w.low] || end > from || !moves(words, i))
		if w.punct && !joins || !joins && (w.class != content || verb || weekdays[w.low] || clockDigits(w.low)) {
			break
		}
		end++
	}
	for end > from && (words[end-1].class == function || words[end-1].punct) {
		end--
	}
	if end == from || !isNoun(words[end-1].tag) && !words[end-1].upper && !strings.HasPrefix(words[end-1].tag, "JJ") && !words[from].upper && !moves(words, i) {
		return value{}, false
	}
	v := value{from: from, to: end, fit: possible}
	switch {
	case stated:
		v.fit = sure
	case words[from].upper, behind(words, i, 3, set("going go travel traveling travelling heading headed take taking ride")):
		v.fit = likely
	}
	return v, true
}

// moves reports whether what stands before a "to" says that one goes somewhere.
func moves(words []word, i int) bool {
	low := at(words, i-1)
	return motion[low] || vehicles[low] || motion[at(words, i-2)] || low == "me" || low == "us"
}

var (
	motion = set(`go going goes went come travel traveling travelling heading headed head get getting take takes taking
taxi cab ride trip ticket tickets trains back bound depart leave leaving from bring brings`)
	// doing are verbs that stand behind "to".
	doing = set(`book leave arrive find visit eat stay travel see reserve commute know depart confirm try pick return
check use help look start pay reach buy change cancel dine try`)
)

// in reports whether the start of the journey stands right before word i.
func (j journey) in(words []word, i int) bool {
	return slices.Contains(j.from, at(words, i-1))
}
