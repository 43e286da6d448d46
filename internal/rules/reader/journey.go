package reader

import (
	"slices"
	"strings"
)

// A journey is where a question says that one goes from and to.
type journey struct{ from, to []string }

var (
	fromWords = set("from leaving departing leave leaves depart departs departure")
	toWords   = set("to into towards in for arriving arrive arrives at destination")
	onlyFrom  = set("from leaving departing")
	onlyTo    = set("to into towards")
	bound     = set("headed heading bound leaving departing")
	between   = set("between")
	going     = set("going go travel traveling travelling heading headed take taking ride")
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
	}{{j.from, fromWords, onlyTo}, {j.to, toWords, onlyFrom}} {
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
	case low == "for" && behind(words, i, 3, bound), low == "for" && d.journey.in(words, i):
	case (low == "in" || low == "at") && behind(words, i, 6, arriveWords):
	case low == "and" && d.journey.in(words, i) && behind(words, i, 8, between):
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
	end, ok := placeName(words, from, moves(words, i))
	if !ok {
		return value{}, false
	}
	v := value{from: from, to: end, fit: possible}
	switch {
	case stated:
		v.fit = sure
	case words[from].upper, behind(words, i, 3, going):
		v.fit = likely
	}
	return v, true
}

// origin finds a name behind "from" and its like.
func origin(words []word, i int) (value, bool) {
	if !onlyFrom[words[i].low] && words[i].low != "departs" && words[i].low != "leaves" {
		return value{}, false
	}
	from := i + 1
	for from < len(words) && (words[from].low == "from" || words[from].low == "the") && from < i+3 {
		from++
	}
	end, ok := placeName(words, from, true)
	if !ok {
		return value{}, false
	}
	v := value{from: from, to: end, fit: possible}
	if words[from].upper {
		v.fit = likely
	}
	return v, true
}

// placeName returns where the name of a place that begins at word from ends. Behind a
// word of motion also a word that looks like a verb may be one, as taggers know
// few names without capitals.
func placeName(words []word, from int, moving bool) (end int, ok bool) {
	end = from
	for end < len(words) && end < from+7 {
		w := &words[end]
		joins := nameJoins[w.low] || w.low == "from" && end > from && words[end-1].upper && end+1 < len(words) && words[end+1].upper
		if w.low == "and" && end+1 < len(words) && !words[end+1].upper {
			break
		}
		verb := !w.upper && (end == from && doing[w.low] || strings.HasPrefix(w.tag, "VB") && (end > from && w.tag != "VB" || !moving))
		if w.punct && !joins || !joins && (w.class != content || verb || weekdays[w.low] || clockDigits(w.low)) {
			break
		}
		end++
	}
	for end > from && (words[end-1].class == function || words[end-1].punct) {
		end--
	}
	if end == from {
		return 0, false
	}
	last := &words[end-1]
	return end, isNoun(last.tag) || last.upper || strings.HasPrefix(last.tag, "JJ") || words[from].upper || moving
}

// nameJoins are what stands inside names of places.
var nameJoins = set("of the and 's & -")

// moves reports whether what stands before a "to" says that one goes somewhere.
func moves(words []word, i int) bool {
	low := at(words, i-1)
	return motion[low] || vehicles[low] || motion[at(words, i-2)] || low == "me" || low == "us"
}

var (
	motion = list("motion")
	// doing are verbs that stand behind "to".
	doing = list("doing")
)

// in reports whether the start of the journey stands right before word i.
func (j journey) in(words []word, i int) bool {
	return slices.Contains(j.from, at(words, i-1))
}
