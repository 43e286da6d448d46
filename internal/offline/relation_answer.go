package offline

import (
	"cmp"
	"slices"
	"strings"
)

// A kinsman is somebody, or something, that may be the other end of a tie.
type kinsman struct {
	text      string
	best, sum float64
	from      candidate
}

// worth is what the best line says for one, and a little for each other.
func (k *kinsman) worth() float64 { return k.best + worthMore*(k.sum-k.best) }

// What speaks for the other end of a tie.
const (
	worthMore      = 0.2 // of further lines
	worthTold      = 1.5 // a name that the one asked about says
	worthCalls     = 0.6 // and calls somebody by
	worthOfTie     = 1.5 // a word of the tie in the sentence
	worthMy        = 4.0 // "my sister Ana", "Ana is my sister"
	worthSpeaks    = 0.3 // somebody who speaks at all
	worthSpeaksOf  = 1.6 // and names the one asked about
	worthYou       = 1.2 // whom the one asked about says "you" of the tie to
	worthBeside    = 1.5 // speaks right before or after
	worthNumber    = 2.0 // has the next number
	worthTogether  = 2.5 // named with the one asked about
	worthFirstRank = 0.4
	worthAbsent    = 0.5 // times, for ties to those whom one speaks of
)

// A kinship collects who may be the other end.
type kinship struct {
	bond
	name    []string // of the end that is named, in lower case
	speaker string   // the same, if somebody who speaks
	written map[string]string
	all     map[string]*kinsman
	keys    []string
}

// related answers a question about a relation between people: with a name that
// the lines give, or else, where several people talk, with the one of them that
// most speaks for. Names says how speakers are written.
func (q *query) related(m *matcher, speakers []string, names map[string]string) (string, []candidate) {
	b := q.bond()
	if b.tie == tieNone {
		return "", nil
	}
	k := &kinship{bond: b, written: names, all: make(map[string]*kinsman)}
	for _, w := range b.whose {
		k.name = append(k.name, w.low)
	}
	full := strings.Join(k.name, " ")
	talking := make(map[string]bool)
	for _, s := range speakers {
		for _, one := range speakersOf(s) {
			talking[one] = true
		}
	}
	if talking[full] {
		k.speaker = full
	}
	if _, _, ok := numbered(full); !ok && len(talking) < crowd {
		return "", nil
	}
	switch {
	case b.tie.personal():
		k.people(m)
	case b.tie == tieName:
		k.otherNames(m)
	default:
		k.things(m)
	}
	return k.answer()
}

// spokenOf are the ties to those of whom one rather speaks than with whom.
var spokenOf = map[relation]bool{tieLiked: true, tieDisliked: true, tieFamily: true, tieDate: true, tieBoss: true, tieChild: true, tieCouple: true}

// farApart is the distance of numbers from which on two hardly talk.
const farApart = 3

// crowd is how many must talk for guesses about who is who: in a chat of two, a
// question about a relation is about others.
const crowd = 3

func (k *kinship) answer() (string, []candidate) {
	var best *kinsman
	for _, key := range k.keys {
		if x := k.all[key]; best == nil || x.worth() > best.worth() {
			best = x
		}
	}
	switch {
	case best != nil:
	case k.tie.personal() || k.tie == tieName:
		return NoInformation, nil // no words of a sentence are one
	default:
		return "", nil
	}
	c := best.from
	c.score = best.worth()
	return best.text, []candidate{c}
}

// add counts what a sentence says for one.
func (k *kinship) add(text string, worth float64, c candidate) {
	var words []string
	for _, w := range split(text) {
		words = append(words, w.low)
	}
	key := strings.Join(words, " ")
	if k.is(key) {
		return
	}
	x := k.all[key]
	if x == nil {
		x = &kinsman{text: text}
		k.all[key] = x
		k.keys = append(k.keys, key)
	}
	if worth > x.best || x.from.line == nil {
		x.best, x.from = worth, c
	}
	x.sum += worth
}

// is reports whether a name is that of the end that the question names.
func (k *kinship) is(key string) bool {
	full := strings.Join(k.name, " ")
	return key == full || len(k.name) > 1 && k.speaker == "" && slices.Contains(k.name, key)
}

// people weighs who may be the person asked for.
func (k *kinship) people(m *matcher) {
	words := tieWords[k.tie]
	lines := slices.SortedFunc(slices.Values(m.out), func(a, b candidate) int { return cmp.Compare(a.order, b.order) })
	first := make(map[*said]bool)
	for _, c := range lines {
		s := c.sentence()
		if s.image {
			continue
		}
		rank := worthFirstRank / (1 + float64(c.line.rank)/halfRank)
		them, us := c.tells(words.them), s.tells(words.us)
		own := slices.Contains(speakersOf(c.line.speaker), k.speaker) && k.speaker != ""
		spoken, mentioned := s.phrase(k.name)
		names := s.callings()
		if own {
			for _, n := range names {
				if s.presents(n) {
					continue
				}
				x := worthTold + rank + worthOfTie*indicator(them)
				if n.address {
					x = worthCalls + rank + worthOfTie*indicator(them)
				}
				if s.mine(n, words.them, ours) {
					x += worthMy
				}
				k.add(n.text(c.line, s), x, c)
			}
			k.besides(c, worthBeside+rank+worthYou*indicator(them && s.second()))
			continue
		}
		others := mentioned && them && !s.first() && slices.ContainsFunc(names, func(n called) bool { return !n.address && !k.within(n, spoken) })
		for _, one := range speakersOf(c.line.speaker) {
			x := rank + worthSpeaks*indicator(!first[c.line]) + worthOfTie*indicator(us)/2
			if d := apart(one, k.speaker); d >= 0 && k.speaker != "" {
				near := worthNumber
				if spokenOf[k.tie] {
					near *= worthAbsent
				}
				x += near / float64(max(d*d, 1))
				if d > farApart {
					x -= near / 4
				}
			}
			if mentioned && !others {
				x += worthSpeaksOf + worthOfTie*indicator(us)
				if s.mine(spoken, words.us, ours) {
					x += worthMy
				}
			}
			if one != "" {
				k.add(cmp.Or(k.written[one], one), x, c)
			}
		}
		first[c.line] = true
		if mentioned {
			for _, n := range names {
				if k.within(n, spoken) {
					continue
				}
				x := worthTogether + rank + worthOfTie*indicator(them) + worthSpeaksOf*indicator(others || s.joined(n, spoken)) - worthCalls*indicator(n.address)
				if s.mine(n, words.them, k.owner()) || s.mine(spoken, words.us, set(s.words[n.to-1].low)) {
					x += worthMy + worthSpeaksOf
				}
				k.add(n.text(c.line, s), x, c)
			}
			k.besides(c, worthBeside*indicator(spoken.address))
		}
	}
}

// within reports whether a name is a part of where the question's stands.
func (k *kinship) within(n, spoken called) bool { return n.from < spoken.to && spoken.from < n.to }

// joined reports whether two names stand with one word between: "Ana and Ben".
func (s *sentence) joined(a, b called) bool {
	return a.to+1 == b.from && at(s.words, a.to) == "and" || b.to+1 == a.from && at(s.words, b.to) == "and"
}

// first reports whether a sentence speaks of the one who says it.
func (s *sentence) first() bool {
	return slices.ContainsFunc(s.words, func(w word) bool {
		return w.low == "i" || w.low == "me" || ours[w.low] || w.low == "we" || w.low == "us"
	})
}

// owner is the last word of the name that the question gives.
func (k *kinship) owner() map[string]bool { return set(k.name[len(k.name)-1]) }

// besides counts those who speak right before and after.
func (k *kinship) besides(c candidate, worth float64) {
	for _, l := range []*said{c.line.prev, c.line.next} {
		if l != nil && l.speaker != c.line.speaker && !l.told {
			for _, one := range speakersOf(l.speaker) {
				k.add(cmp.Or(k.written[one], one), worth, c)
			}
		}
	}
}

// tells reports whether a sentence has one of the words, or the next one has, of
// whom it spoke of: "Ana? I love her."
func (c candidate) tells(words map[string]bool) bool {
	if c.sentence().tells(words) {
		return true
	}
	if c.at+1 >= len(c.line.sentences) {
		return false
	}
	next := &c.line.sentences[c.at+1]
	return next.tells(words) && next.tells(thirdPerson)
}

var thirdPerson = set("he she him her his hers they them their")

// tells reports whether a sentence has one of the words.
func (s *sentence) tells(words map[string]bool) bool {
	return slices.ContainsFunc(s.words, func(w word) bool { return words[w.low] })
}

// second reports whether a sentence speaks to somebody.
func (s *sentence) second() bool {
	return slices.ContainsFunc(s.words, func(w word) bool { return w.low == "you" || w.low == "your" || w.low == "you're" })
}

// mine reports whether a sentence says that a name is somebody's: "my sister
// Ana", "Ana is my sister", "my sister, Ana"; and "Ben's sister is Ana" where the
// owner is Ben.
func (s *sentence) mine(n called, words, owner map[string]bool) bool {
	i := n.from - 1
	if i >= 0 && s.words[i].punct {
		i--
	}
	if i >= 0 && (s.words[i].low == "is" || s.words[i].low == "'s") {
		i--
	}
	if words[at(s.words, i)] && owns(s.words, i, owner) {
		return true
	}
	for j := n.to; j < min(n.to+4, len(s.words)); j++ {
		if words[s.words[j].low] && owns(s.words, j, owner) {
			return true
		}
	}
	return false
}

// ours are the words by which a speaker owns.
var ours = set("my our")

// owns reports whether an owner stands shortly before a word.
func owns(words []word, i int, owner map[string]bool) bool {
	for j := i - 1; j >= max(0, i-3); j-- {
		if owner[words[j].low] && (ours[words[j].low] || at(words, j+1) == "'s") {
			return true
		}
	}
	return false
}

// What speaks for another name.
const (
	worthPresents = 5.0 // "I'm Ana", said by the one asked about
	worthFull     = 3.0 // two words that stand alone, said by that one
	worthThird    = 0.3 // two words, said by that one
	worthVocative = 1.0
	worthShares   = 4.0 // has a part of the name
)

// otherNames weighs what else one may be called.
func (k *kinship) otherNames(m *matcher) {
	for _, c := range m.out {
		s := c.sentence()
		if s.image {
			continue
		}
		rank := worthFirstRank / (1 + float64(c.line.rank)/halfRank)
		own := slices.Contains(speakersOf(c.line.speaker), k.speaker) && k.speaker != ""
		for _, n := range slices.Concat(s.callings(), s.endearing()) {
			text := n.text(c.line, s)
			switch {
			case own && s.presents(n):
				k.add(text, worthPresents+rank, c)
			case own && n.to == n.from+2 && n.address && !greetings[at(s.words, n.from-1)]:
				k.add(text, worthFull+rank, c)
			case own && n.to == n.from+2 && !n.address:
				k.add(text, worthThird+rank, c)
			case own:
			case k.speaker == "" && k.part(text):
				k.add(text, worthShares+rank, c)
			case n.address && k.speaker != "":
				d := apart(c.line.speaker, k.speaker)
				x := worthVocative + rank
				switch {
				case k.beside(c.line):
					x += worthBeside
				case d > farApart:
					continue
				case d >= 0:
					x += worthNumber / float64(max(d*d, 1))
				}
				k.add(text, x, c)
			}
		}
	}
}

// beside reports whether the one asked about speaks right before or after.
func (k *kinship) beside(l *said) bool {
	return k.speaker != "" && (l.prev != nil && l.prev.speaker == k.speaker || l.next != nil && l.next.speaker == k.speaker)
}

// part reports whether a name has a part of the one that the question names, or
// a short form of it.
func (k *kinship) part(text string) bool {
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		if slices.ContainsFunc(k.name, func(n string) bool {
			return n == word || len(n) >= 3 && strings.HasPrefix(word, n) || len(word) >= 3 && strings.HasPrefix(n, word)
		}) {
			return true
		}
	}
	return false
}
