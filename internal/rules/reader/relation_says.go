package reader

import "slices"

// phrase reports whether the words of a name stand in a sentence.
func (s *sentence) phrase(name []string) (called, bool) {
	for i := 0; i+len(name) <= len(s.words); i++ {
		if slices.EqualFunc(s.words[i:i+len(name)], name, func(w word, low string) bool { return w.low == low }) {
			return called{from: i, to: i + len(name), address: addressed(s.words, i, i+len(name))}, true
		}
	}
	return called{}, false
}

// has reports whether the words of a name stand in a sentence.
func (s *sentence) has(name []string) bool {
	_, ok := s.phrase(name)
	return ok
}

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

// tells reports whether a sentence has one of the words, or the next one has, of
// whom it spoke of, as in "Ana? I love her".
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
	if !equates[at(s.words, n.to)] {
		return false
	}
	for j := n.to + 1; j < min(n.to+4, len(s.words)); j++ {
		if words[s.words[j].low] && owns(s.words, j, owner) {
			return true
		}
	}
	return false
}

// equates are what stands between two names of one.
var equates = set("is 's was , are")

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
