package memory

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"recallbench/internal/text/english"
)

// A told is a sentence of a talk, put in the third person.
type told struct {
	text   string // begins with a capital, without the mark at its end
	stems  []uint64
	weight float64 // how much it says: about one for each word that informs
	image  bool    // it says what an image shows
	loose  bool    // it says little without what stands before it
	idle   bool    // it is a courtesy or bids something
	line   int     // the index of the line that it is from
}

func (t *told) words() int { return strings.Count(t.text, " ") + 1 }

// What adds to the weight of a told sentence beside the words that inform, and
// what takes from it.
const (
	datedWeight    = 1.0  // a number, a time
	nameWeight     = 1.0  // a name
	likingWeight   = 1.0  // what somebody likes lasts
	ownWeight      = 0.5  // its subject is the speaker
	generalWeight  = -1.5 // it is about nobody, or the one spoken to
	imageWeight    = -1.5 // it shows something, which is seldom a lasting fact
	idleWeight     = -3.0 // it is a courtesy or bids something
	backwardWeight = -1.5 // it stands on something that was said before
	fragmentWeight = -0.5 // it has no verb
)

// weigh lists the words that inform in a clause and says how much it tells.
func (c clause) weigh(v *voices) (informing []uint64, weight float64) {
	words := c.words()
	informing = stems(words)
	if len(informing) == 0 {
		return nil, 0
	}
	dated, liking, first, name := false, false, false, false
	for i := range words {
		w := &words[i]
		named := w.Upper && w.Kind == Content && w.noun() && (c.from+i > 0 || strings.HasPrefix(w.Tag, "NNP"))
		name = name || named && !v.vocative(w)
		dated = dated || w.Tag == "CD"
		first = first || firstPerson[w.Low]
		liking = liking || likings[w.Low] && len(informing) > 1
	}
	for _, e := range c.s.Times {
		dated = dated || e.Start >= words[0].Start && e.End <= words[len(words)-1].End
	}
	weight = float64(len(informing)) + when(dated, datedWeight) + when(name, nameWeight) + when(liking, likingWeight)
	switch low := words[0].Low; {
	case low == "i" || low == "we" || low == "my":
		weight += ownWeight
	case first:
	case !name:
		weight += generalWeight
	}
	return informing, weight
}

// idle reports whether a clause is a thank, a wish or a farewell, bids or
// proposes something: it begins with a verb that has no subject.
func idle(words []Word) bool {
	w := &words[0]
	return courtesies[w.Low] && (len(words) < 2 || !words[1].finite() || w.Kind == Filler) || starts(words, wishes) > 0 || // "Welcome drinks are free" is none
		w.Low == "let" || w.Tag == "VB" && !likings[w.Low] && !auxiliaries[w.Low] || w.Low == "do" && len(words) > 1 && words[1].Low == "n't"
}

// tell puts a clause, trimmed and not empty, in the third person. The weight is
// that of its words.
func (c clause) tell(v voice, all *voices) told {
	words := c.words()
	t := told{idle: idle(words), loose: backward[words[0].Low]}
	t.stems, t.weight = c.weigh(all)
	t.weight += when(t.idle, idleWeight) + when(t.loose, backwardWeight)
	lead, from := "", c.from
	if subject, form := c.missing(); subject && !t.idle {
		t.weight += ownWeight - generalWeight // it is about the speaker
		lead = v.speaker + " "
		if form != "" {
			lead += form + " "
			from++
		}
	}
	h := &shifter{voice: v, named: lead != ""}
	text := h.run(c.s, from, c.to)
	low := lowerFirst(text, c.s, from)
	switch {
	case lead != "":
		text = lead + low
	case !c.finite():
		t.loose = true
		t.weight += fragmentWeight
		text = v.speaker + " said: " + low
	case !strings.Contains(text, v.speaker):
		text = v.speaker + " said " + low
	}
	t.text = upperFirst(text)
	return t
}

// missing reports whether the clause lacks its subject, which is then the
// speaker: "Went home", "Just got back". The form, where there is one, is what
// its first word becomes behind the name.
func (c clause) missing() (subject bool, form string) {
	words := c.words()
	i := 0
	for i < len(words)-1 && words[i].adverb() {
		i++
	}
	w := &words[i]
	past := w.Tag == "VBD" || i > 0 && w.Tag == "VBN" || english.Past(w.Low) && i+1 < len(words) && (words[i+1].Kind == Function || words[i+1].Tag == "VBG")
	switch {
	case past && !auxiliaries[w.Low]:
		return true, ""
	case i == 0 && likings[w.Low] && (w.Tag == "VB" || w.Tag == "VBP") && w.Low != "like":
		return true, third(w)
	case i == 0 && w.Tag == "VBG" && len(words) > 1 && words[1].Kind == Function && !c.finite():
		return true, "is " + w.Low
	}
	return false, ""
}

// lowerFirst puts the first letter in lower case, unless its word is a name or
// was put in the place of another.
func lowerFirst(text string, s *Sentence, from int) string {
	if from >= len(s.Words) {
		return text
	}
	w := &s.Words[from]
	if w.Kind == Content && strings.HasPrefix(w.Tag, "NNP") || !strings.HasPrefix(text, s.Text[w.Start:w.End]) {
		return text
	}
	r, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToLower(r)) + text[size:]
}

func upperFirst(text string) string {
	if text == "" {
		return ""
	}
	r, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[size:]
}
