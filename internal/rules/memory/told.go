package memory

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A told is a sentence of a talk, put in the third person.
type told struct {
	text   string // begins with a capital, without the mark at its end
	words  int
	stems  []uint64 // of the words that inform, each once
	weight float64  // how much it says: about one for each such word
	image  bool     // it says what an image shows
	loose  bool     // it says little without what stands before it
	idle   bool     // it is a courtesy or bids something
}

// What adds to the weight of a told sentence beside the words that inform, and
// what takes from it.
const (
	datedWeight    = 1.0  // a number, a time
	nameWeight     = 1.0  // a name
	likingWeight   = 1.0  // what somebody likes lasts
	ownWeight      = 0.5  // its subject is the speaker
	secondWeight   = -1.5 // it is about the one spoken to alone: praise and wishes, mostly
	generalWeight  = -1.5 // it is about nobody
	imageWeight    = -1.5 // it shows something, which is seldom a lasting fact
	guessWeight    = -1.0 // it says what would or might be
	orderWeight    = -2.0 // it bids or proposes
	verdictWeight  = -2.0 // it says only how somebody feels about what was said
	backwardWeight = -1.5 // it stands on something that was said before
	fragmentWeight = -0.5 // it has no verb
	courtesyWeight = -3.0
)

// weigh lists the words that inform in a clause and says how much it tells.
func (c clause) weigh(v *voices) (stems []uint64, weight float64) {
	words := c.words()
	seen := make(map[uint64]bool, len(words))
	dated, liking, guess, first, second, name := false, false, false, false, false, false
	for i := range words {
		w := &words[i]
		switch {
		case w.mark() || v.vocative(w):
			continue
		case w.proper(c.from+i == 0):
			name = true
		case w.Tag == "CD":
			dated = true
		}
		first = first || firstPerson[w.Low]
		second = second || strings.HasPrefix(w.Low, "you")
		liking = liking || likings[w.Low]
		guess = guess || hypotheses[w.Low]
		if w.informs() && !seen[w.Stem] {
			seen[w.Stem] = true
			stems = append(stems, w.Stem)
		}
	}
	if len(stems) == 0 {
		return nil, 0
	}
	from, to := words[0].Start, words[len(words)-1].End
	for _, e := range c.s.Times {
		dated = dated || e.Start >= from && e.End <= to
	}
	weight = float64(len(stems)) + when(dated, datedWeight) + when(name, nameWeight) +
		when(liking && len(stems) > 1, likingWeight) + when(guess, guessWeight)
	switch {
	case words[0].Low == "i" || words[0].Low == "we" || words[0].Low == "my":
		weight += ownWeight
	case first:
	case second:
		weight += secondWeight
	case !name:
		weight += generalWeight
	}
	return stems, weight + when(verdict(words), verdictWeight)
}

func when(on bool, x float64) float64 {
	if on {
		return x
	}
	return 0
}

// verdict reports whether a clause says how its speaker feels: "I'm so glad
// that ...", "so proud of you".
func verdict(words []Word) bool {
	const reach = 5
	for i := range min(reach, len(words)) {
		w := &words[i]
		if verdicts[w.Low] {
			return true
		}
		if w.Kind == Content && !w.adverb() {
			return false
		}
	}
	return false
}

// courtesy reports whether a clause is a thank, a wish or a farewell.
func courtesy(words []Word) bool {
	w := &words[0]
	if courtesies[w.Low] {
		// "Hope Street is closed" and "Welcome drinks are free" are none.
		return len(words) < 2 || !words[1].verb() || words[1].Tag == "VBG" || w.Kind == Filler
	}
	return slices.ContainsFunc(wishes, func(phrase []string) bool { return starts(words, 0, phrase) })
}

// order reports whether a clause bids or proposes: it begins with a verb that
// has no subject.
func order(words []Word) bool {
	w := &words[0]
	return w.Low == "let" || w.Low == "lets" || (w.Tag == "VB" && !likings[w.Low] && !auxiliaries[w.Low]) ||
		(w.Low == "do" && len(words) > 1 && words[1].Low == "n't")
}

// tell puts a clause, trimmed and not empty, in the third person. The weight is
// that of its words.
func (c clause) tell(v voice, all *voices) told {
	words := c.words()
	var t told
	t.stems, t.weight = c.weigh(all)
	lead, from := "", c.from
	subject, form := c.missing()
	if subject {
		t.weight += ownWeight - generalWeight // it is about the speaker
	}
	switch {
	case courtesy(words):
		t.weight += courtesyWeight
		t.idle = true
	case order(words):
		t.weight += orderWeight
		t.idle = true
	case subject && form != "":
		lead, from = v.speaker+" "+form, c.from+1
	case subject:
		lead = v.speaker
	}
	h := &shifter{voice: v, named: lead != ""}
	text := h.run(c.s, from, c.to)
	if lead != "" {
		t.text = lead + " " + lowerFirst(text, c.s, from)
	} else {
		t.text = text
	}
	if t.loose = pointsBack(&words[0]); t.loose {
		t.weight += backwardWeight
	}
	switch named := strings.Contains(t.text, v.speaker); {
	case lead == "" && !c.finite():
		t.loose = true
		t.weight += fragmentWeight
		t.text = v.speaker + " said: " + lowerFirst(text, c.s, from)
	case !named:
		t.text = v.speaker + " said " + lowerFirst(text, c.s, from)
	}
	t.text = upperFirst(t.text)
	t.words = strings.Count(t.text, " ") + 1
	return t
}

// missing reports whether the clause lacks its subject, which is then the
// speaker: "Went home", "Just got back". The form, where there is one, is what
// its first word becomes behind the name.
func (c clause) missing() (subject bool, form string) {
	words := c.words()
	i := 0
	for i < len(words)-1 && words[i].adverb() && !words[i].verb() {
		i++
	}
	w := &words[i]
	past := w.Tag == "VBD" || i > 0 && w.Tag == "VBN" || irregularPast[w.Low] && i+1 < len(words) && (words[i+1].Kind == Function || words[i+1].Tag == "VBG")
	switch {
	case i == 0 && likings[w.Low] && (w.Tag == "VB" || w.Tag == "VBP" || w.Tag == "NN" || w.Tag == "NNP") && w.Low != "like":
		return true, third(&Word{Low: w.Low, Tag: "VBP"})
	case past && !auxiliaries[w.Low] && !slices.ContainsFunc(words, func(w Word) bool { return w.Low == "me" || w.Low == "us" }):
		return true, ""
	case i == 0 && w.Low == "been" && len(words) > 1 && (words[1].Tag == "VBG" || words[1].Tag == "IN" || words[1].Tag == "TO"):
		return true, "has been"
	case i == 0 && w.Low == "gonna":
		return true, "is going to"
	case i == 0 && w.Tag == "VBG" && len(words) > 1 && words[1].Kind == Function && !c.finite() && !is(words):
		return true, "is " + w.Low
	}
	return false, ""
}

// is reports whether a "'s" among the words stands for "is", whatever its tag:
// no noun or adjective follows at once.
func is(words []Word) bool {
	for i := range words {
		if words[i].Low == "'s" && (i+1 == len(words) || words[i+1].Kind == Function) {
			return true
		}
	}
	return false
}

// lowerFirst puts the first letter in lower case, unless its word is a name.
func lowerFirst(text string, s *Sentence, from int) string {
	if from >= len(s.Words) {
		return text
	}
	w := &s.Words[from]
	if w.Kind == Content && (w.Tag == "NNP" || w.Tag == "NNPS") || !strings.HasPrefix(text, s.Text[w.Start:w.End]) {
		return text // a name, or something put in the word's place
	}
	r, size := utf8.DecodeRuneInString(text)
	next, _ := utf8.DecodeRuneInString(text[size:])
	if unicode.IsUpper(next) { // an abbreviation
		return text
	}
	return string(unicode.ToLower(r)) + text[size:]
}

func upperFirst(text string) string {
	r, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[size:]
}
