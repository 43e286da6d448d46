package annotate

import (
	"strings"

	"recallbench/internal/door/annotate"
)

// pronounWants are the pronouns of the third person.
var pronounWants = map[string]want{
	"he": {gender: annotate.Masculine, person: true}, "him": {gender: annotate.Masculine, person: true}, "his": {gender: annotate.Masculine, person: true}, "himself": {gender: annotate.Masculine, person: true},
	"she": {gender: annotate.Feminine, person: true}, "her": {gender: annotate.Feminine, person: true}, "hers": {gender: annotate.Feminine, person: true}, "herself": {gender: annotate.Feminine, person: true},
	"it": {gender: annotate.Neuter, thing: true}, "its": {gender: annotate.Neuter, thing: true}, "itself": {gender: annotate.Neuter, thing: true},
	"they": {plural: true}, "them": {plural: true}, "their": {plural: true}, "theirs": {plural: true}, "themselves": {plural: true},
	"there": {place: true},
}

// pronoun resolves a pronoun and returns what it stands for; nil where that is
// nothing that was mentioned.
func (v *resolver) pronoun(i, at int, possessive bool) *ent {
	s := &v.sents[i]
	m := annotate.Mention{Sentence: i, Span: annotate.Span{Start: at, End: at + 1}, Kind: annotate.Pronominal}
	u := s.Utterance
	speaker := v.r.Utterances[u].Speaker
	var e *ent
	switch w := s.low[at]; w {
	case "i", "me", "my", "mine", "myself":
		e = v.participant(speaker)
	case "you", "your", "yours", "yourself":
		if w == "you" && s.generic(at) {
			return nil
		}
		e = v.addressee(u)
	case "we", "us", "our", "ours", "ourselves":
		if w == "us" && s.word(at-1) == "let" {
			return nil
		}
		e = v.group(speaker)
	default:
		want, ok := pronounWants[w]
		if !ok || w == "it" && s.pleonastic(at) {
			return nil
		}
		e = v.antecedent(i, at, want, possessive)
		if e != nil && want.gender != "" && want.gender != annotate.Neuter && e.is().gender == "" {
			e.is().gender = want.gender
		}
		if e == nil && want.person { // somebody whom the session does not name yet
			e = v.newEnt(s.Tokens[at].Text, "PERSON")
			e.gender = want.gender
		}
	}
	if e == nil {
		return nil
	}
	return v.mention(e, m, at, 0)
}

// generic reports whether "you" addresses nobody: "you know", "you guys".
func (s *sentence) generic(at int) bool {
	switch s.word(at + 1) {
	case "know":
		return s.pos(at+2) == "," || at+2 >= len(s.Tokens) || s.pos(at+2) == "." || s.word(at+2) == "what"
	case "guys", "two", "all", "both", "folks", "people", "three":
		return true
	}
	return false
}

// pleonastic reports whether "it" stands for nothing: weather, time, "it seems
// that", "it is hard to".
func (s *sentence) pleonastic(at int) bool {
	i := at + 1
	for i < len(s.Tokens) && (s.pos(i) == "MD" || strings.HasPrefix(s.pos(i), "RB") || s.low[i] == "does" || s.low[i] == "did" || s.low[i] == "'s" || s.Tokens[i].Lemma == "be" || s.Tokens[i].Lemma == "have") {
		i++
	}
	if at > 0 && (s.word(at-1) == "make" || s.word(at-1) == "made" || s.word(at-1) == "got") && (s.pos(i) == "IN" || s.pos(i) == "." || s.pos(i) == "CD") {
		return true
	}
	if at > 0 && s.word(at-1) == "get" && (s.word(at-2) == "i" || s.word(at-2) == "n't") {
		return true // "I get it"
	}
	be := i > at+1
	if !be && at > 0 && s.Tokens[at-1].Lemma == "be" {
		be = true
	}
	w := s.word(i)
	switch w {
	case "rain", "raining", "rains", "rained", "snow", "snowing", "snows", "snowed", "seem", "seems", "seemed", "matter", "matters", "sunny", "windy", "late", "time", "depends", "turns", "turned", "hot", "cold":
		return w != "hot" && w != "cold" && w != "late" || be && s.pos(i+1) != "NN" && (s.pos(i+1) == "." || s.word(i+1) == "today" || s.word(i+1) == "outside")
	case "takes", "took", "take":
		return true
	}
	if !be {
		return false
	}
	if strings.HasPrefix(s.pos(i), "JJ") || s.pos(i) == "VBN" && s.word(i) == "said" {
		for k := i + 1; k < min(i+4, len(s.Tokens)); k++ {
			switch s.low[k] {
			case "that", "if", "when", "how", "what":
				return true
			case "to":
				return verb(s.pos(k + 1))
			case "for":
				return s.pos(k+1) == "PRP"
			}
		}
		switch w {
		case "okay", "ok", "fine", "alright", "true", "sad", "funny", "strange", "weird", "crazy":
			return true
		}
	}
	return i < len(s.Tokens) && s.timely(i) || w == "like" || w == "just" && s.word(i+1) == "that"
}

// addressee returns the participant whom an utterance is said to; nil where that
// is open.
func (v *resolver) addressee(u int) *ent {
	us := v.r.Utterances
	speaker := us[u].Speaker
	// Somebody else spoke just before, or answers.
	for d := 1; d <= 3; d++ {
		if u-d >= 0 && us[u-d].Speaker != speaker {
			return v.participant(us[u-d].Speaker)
		}
		if u+d < len(us) && us[u+d].Speaker != speaker {
			return v.participant(us[u+d].Speaker)
		}
	}
	// A request of one voice: the other participant, where only one is known.
	var other *ent
	for i := range v.r.Known {
		if k := &v.r.Known[i]; k.Speaker && k.Name != speaker {
			if other != nil {
				return nil
			}
			other = v.speakers[k.Name]
		}
	}
	return other
}

// group returns those whom a speaker means by "we".
func (v *resolver) group(speaker string) *ent {
	e := v.groups[speaker]
	if e == nil {
		e = v.newEnt(speaker+andOthers, "PERSON")
		e.plural = true
		v.groups[speaker] = e
	}
	return e.is()
}

// there resolves a "there" that points at a place.
func (v *resolver) there(i, at int) {
	e := v.antecedent(i, at, pronounWants["there"], false)
	if e == nil {
		return
	}
	v.mention(e, annotate.Mention{Sentence: i, Span: annotate.Span{Start: at, End: at + 1}, Kind: annotate.Pronominal}, at, 0)
}
