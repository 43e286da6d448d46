package reader

import "strings"

// A called is a name in a sentence.
type called struct {
	from, to int
	address  bool // it calls somebody
}

// greetings are the words that a call stands behind.
var greetings = set("hey hi hello oh ok okay yeah yes no well thanks bye please come wow uh um yo ah so right night morning goodbye god")

// titles are what stands before a name.
var titles = set("mr mrs ms miss dr doctor professor aunt uncle judge president")

// callings finds the names in a sentence: of people as far as spelling tells.
func (s *sentence) callings() []called {
	var out []called
	words := s.words
	for i := 0; i < len(words); {
		if !nameWord(words, i) {
			i++
			continue
		}
		end := i + 1
		for end < len(words) && (nameWord(words, end) || words[end].low == "." && titles[words[end-1].low] && end+1 < len(words) && nameWord(words, end+1)) {
			end++
		}
		if at(words, end) == "the" && end+1 < len(words) && nameWord(words, end+1) && !words[end].upper {
			end += 2 // "Ana the Baker"
			for end < len(words) && nameWord(words, end) {
				end++
			}
		}
		address := addressed(words, i, end)
		if s.question && i == 0 && end == len(words) {
			address = false // "Ana? I like her": spoken of
		}
		if i > 0 || address || words[i].tag == "NNP" {
			out = append(out, called{from: i, to: end, address: address})
		}
		i = end
	}
	return out
}

// nameWord reports whether a word could be one of a name.
func nameWord(words []word, i int) bool {
	w := &words[i]
	if w.punct || hesitates(w.low) || !w.upper || len(w.low) < 2 || w.class != content && !titles[w.low] || greetings[w.low] || weekdays[w.low] || places[w.low] || strings.HasPrefix(w.low, "'") {
		return false
	}
	if i == 0 || words[i-1].punct {
		return w.tag == "NNP" || w.tag == "NNPS"
	}
	return isNoun(w.tag) || w.tag == "JJ" || w.tag == "UH" || w.tag == "FW" || w.tag == "CD" || strings.HasPrefix(w.tag, "VB")
}

// hesitates reports whether a word is none: a stammer, a sound, a mumble; nor has
// a name of somebody a number.
func hesitates(low string) bool {
	a, b, ok := strings.Cut(low, "-")
	if strings.ContainsAny(low, "0123456789") {
		return true
	}
	return sounds[low] || ok && (strings.HasPrefix(b, a) || sounds[a]) || strings.Contains(low, "'")
}

var sounds = list("sounds")

// addressed reports whether words from i to end stand apart, as a call does:
// between marks, at an end, behind a greeting.
func addressed(words []word, i, end int) bool {
	open := i == 0 || words[i-1].punct && words[i-1].low != "-" || greetings[words[i-1].low] || end == len(words) && callsAfter[words[i-1].low]
	shut := end == len(words) || words[end].punct && words[end].low != "-"
	return open && shut
}

// callsAfter are words that end a clause, so that a name behind them calls.
var callsAfter = set("up you it again doing going go here there now today me")

// endearing finds calls without a name, such as "buddy".
func (s *sentence) endearing() []called {
	var out []called
	for i := range s.words {
		before, shut := at(s.words, i-1), i+1 == len(s.words) || s.words[i+1].punct
		open := i == 0 || s.words[i-1].punct
		if endearments[s.words[i].low] && (open || shut && !determined[before] && !strings.HasPrefix(s.words[i-1].tag, "JJ")) {
			out = append(out, called{from: i, to: i + 1, address: true})
		}
	}
	return out
}

// determined are the words behind which a noun calls nobody.
var determined = set("a an the my your his her our their this that of is be as 's any some every for with by to in")

// presents finds the name that a sentence gives the one who says it: "I'm Ana",
// "my name is Ana", "call me Ana".
func (s *sentence) presents(name called) bool {
	words := s.words
	before := func(list ...string) bool {
		for k, low := range list {
			if at(words, name.from-len(list)+k) != low {
				return false
			}
		}
		return true
	}
	shut := name.to == len(words) || words[name.to].punct || words[name.to].low == "and" || words[name.to].low == "from"
	switch {
	case !shut:
		return false
	case before("i", "'m"), before("i", "am"), before("my", "name", "is"), before("my", "name", "'s"):
		return true
	case before("this", "is"), before("it", "'s"), before("it", "is"):
		return name.from == 2 && name.to == len(words)
	}
	return at(words, name.from-1) == "me" && callsBy[at(words, name.from-2)]
}

// callsBy are the verbs of "they call me Ana".
var callsBy = set("call calls called calling")

// text returns a name as it is written.
func (n called) text(l *said, s *sentence) string {
	return l.text[s.words[n.from].start:s.words[n.to-1].end]
}

// overlaps reports whether two names share a word.
func (n called) overlaps(o called) bool { return n.from < o.to && o.from < n.to }

// tieWords are the nouns and verbs by which the ends of a tie speak of it: those
// for the one who is asked for, and for the one who is named.
func tieWords(t relation) (them, us map[string]bool) {
	them, us = lists["them "+string(t)], lists["us "+string(t)]
	if us == nil {
		us = them
	}
	return them, us
}

// endearments are what people are called without a name.
var endearments = list("endearments")
