package reader

import (
	"slices"
	"strings"
)

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
		rank, own := c.early(), k.says(c.line)
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
				k.add(text, worthVocative+rank, c)
			}
		}
	}
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
