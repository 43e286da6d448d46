package reader

import (
	"cmp"
	"slices"
)

// What speaks for a person. The weights were made on the dev split of DialogRE-L.
const (
	worthTold     = 1.5 // a name that the one asked about says
	worthCalls    = 0.6 // and calls somebody by
	worthOfTie    = 1.5 // a word of the tie in the sentence
	worthMy       = 4.0 // "my sister Ana", "Ana is my sister"
	worthSpeaks   = 0.3 // somebody who speaks at all
	worthSpeaksOf = 1.6 // and names the one asked about
	worthTogether = 2.5 // named with the one asked about
)

// people weighs who may be the person asked for.
func (k *kinship) people(m *matcher) {
	inOrder := slices.SortedFunc(slices.Values(m.out), func(a, b candidate) int { return cmp.Compare(a.order, b.order) })
	var last *said
	for _, c := range inOrder {
		if c.sentence().image {
			continue
		}
		if k.says(c.line) {
			k.own(c)
			continue
		}
		k.others(c, c.line != last)
		last = c.line
	}
}

// says reports whether the one asked about says a line.
func (k *kinship) says(l *said) bool {
	return k.speaker != "" && slices.Contains(speakersOf(l.speaker), k.speaker)
}

// own weighs what the one asked about says: whom it names, and to whom.
func (k *kinship) own(c candidate) {
	s := c.sentence()
	them, _ := tieWords(k.tie)
	spoken := c.tells(them)
	for _, n := range s.callings() {
		if s.presents(n) {
			continue
		}
		x := worthTold
		if n.address {
			x = worthCalls
		}
		if s.mine(n, them, ours) {
			x += worthMy
		}
		k.add(n.text(c.line, s), x+c.early()+worthOfTie*indicator(spoken), c)
	}
}

// others weighs what somebody else says: the speaker, once for the first sentence
// of a line, and whom it names with the one asked about.
func (k *kinship) others(c candidate, first bool) {
	s := c.sentence()
	them, us := tieWords(k.tie)
	told := s.tells(us)
	names := s.callings()
	spoken, mentioned := s.phrase(k.name)
	// "Ana and Ben are dating" is of two others, whoever says so.
	apartFrom := mentioned && c.tells(them) && !s.first() &&
		slices.ContainsFunc(names, func(n called) bool { return !n.address && !n.overlaps(spoken) })
	for _, one := range speakersOf(c.line.speaker) {
		if one == "" {
			continue
		}
		x := c.early() + worthSpeaks*indicator(first) + worthOfTie*indicator(told)/2
		if mentioned && !apartFrom {
			x += worthSpeaksOf + worthOfTie*indicator(told) + worthMy*indicator(s.mine(spoken, us, ours))
		}
		k.add(cmp.Or(k.written[one], one), x, c)
	}
	if !mentioned {
		return
	}
	for _, n := range names {
		if n.overlaps(spoken) {
			continue
		}
		x := worthTogether + c.early() + worthOfTie*indicator(c.tells(them)) +
			worthSpeaksOf*indicator(apartFrom || s.joined(n, spoken)) - worthCalls*indicator(n.address)
		if s.mine(n, them, k.owner()) || s.mine(spoken, us, set(s.words[n.to-1].low)) {
			x += worthMy + worthSpeaksOf
		}
		k.add(n.text(c.line, s), x, c)
	}
}

// owner is the last word of the name that the question gives.
func (k *kinship) owner() map[string]bool { return set(k.name[len(k.name)-1]) }
