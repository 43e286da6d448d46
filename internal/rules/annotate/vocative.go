package annotate

import (
	"slices"
	"strings"

	"recallbench/internal/door/annotate"
)

// calledSo returns whom a sentence gives a name: "my brother is called Alex", "a
// dog named Rex", "her name is Nina". It is nil where it gives nobody one.
func (v *resolver) calledSo(i int, e annotate.Entity) *ent {
	s := &v.sents[i]
	k := e.Start - 1
	switch s.word(k) {
	case "called", "named":
		if s.pos(k-1) != "" && s.Tokens[k-1].Lemma == "be" {
			k--
		}
		return v.at(i, k-1)
	case "is", "was", "'s":
		if s.word(k-1) != "name" {
			return nil
		}
		if s.pos(k-2) == "POS" {
			return v.at(i, k-3)
		}
		return v.at(i, k-2)
	}
	return nil
}

// bear makes a name that of a participant, with what was said of it before.
func (v *resolver) bear(to, got *ent) *ent {
	if got == nil || got.is() == to.is() {
		return to
	}
	if got.is().speaker != "" || !v.merge(to, got) {
		return got
	}
	return to.is()
}

// echo reports whether a name that is a whole sentence repeats one of the
// utterance before: "Nina Patel?" after "I met Nina" does.
func (v *resolver) echo(i int, e annotate.Entity) bool {
	s := &v.sents[i]
	if e.Start > 0 || e.End < len(s.Tokens)-1 {
		return false
	}
	for k := i - 1; k >= 0 && v.sents[k].Utterance >= s.Utterance-1; k-- {
		if slices.Contains(v.sents[k].low, s.low[e.Start]) {
			return true
		}
	}
	return false
}

// vocative reports whether a name addresses somebody: "Hey Anna!", "Thanks,
// Anna".
func (s *sentence) vocative(e annotate.Entity) bool {
	after := s.word(e.End)
	closes := e.End >= len(s.Tokens) || after == "," || after == "!" || after == "?" || after == "." || after == "..." || after == "…" || after == "-" || after == "--" || after == ":"
	if !closes {
		return false
	}
	before := s.word(e.Start - 1)
	if e.Start == 0 {
		// A name alone is an answer as often as a call.
		return e.End < len(s.Tokens)-1 || after == "!" || after == "?" || after == "…" || after == "..."
	}
	if s.pos(e.Start-1) == "UH" || before == "thanks" || before == "you" && s.word(e.Start-2) == "thank" || before == "sorry" || before == "dear" || before == "morning" || before == "evening" {
		return true
	}
	if after != "," && after != ":" { // at the end without a comma: "You look good Joe."
		switch p := s.pos(e.Start - 1); {
		case p == "RP", strings.HasPrefix(p, "RB") && before != "not" && before != "n't" && before != "just" && before != "only", p == "JJ" && !(e.Start > 1 && (s.pos(e.Start-2) == "DT" || s.pos(e.Start-2) == "PRP$")), before == "that" && e.Start > 1:
			return true
		case p == "VBG" && before == "coming" || before == "right" || before == "alright":
			return true
		}
	}
	if before == "right" && s.word(e.Start-2) == "all" {
		return true
	}
	if before != "," {
		return false
	}
	// Behind a comma at the end, and no member of a list.
	if e.End < len(s.Tokens) && after == "," {
		return e.Start <= 3 && s.pos(e.Start-2) == "UH"
	}
	for k := e.Start - 2; k >= 0; k-- {
		if s.Tokens[k].Text == "," && k+2 >= e.Start-1 {
			return false
		}
	}
	return true
}

// introduces reports whether the speaker says that the name is his: "I'm Anna",
// "my name is Anna", "this is Anna from the agency".
func (s *sentence) introduces(e annotate.Entity) bool {
	i := e.Start - 1
	if i < 1 {
		return e.Start == 0 && s.word(e.End) == "here" && e.End+2 >= len(s.Tokens)
	}
	switch be := s.low[i]; be {
	case "is", "'s":
		if s.low[i-1] == "name" && s.word(i-2) == "my" {
			return true
		}
		return s.low[i-1] == "this" && i == 1 && s.word(e.End) != "'s" && s.pos(e.End) != "POS" && (s.word(e.End) == "from" || s.word(e.End) == "speaking" || s.word(e.End) == "calling")
	case "am", "'m":
		return s.low[i-1] == "i"
	case "me":
		return s.low[i-1] == "call"
	}
	return false
}

// called returns the participant whom a name in the vocative calls.
func (v *resolver) called(i int, e annotate.Entity) *ent {
	us := v.r.Utterances
	u := v.sents[i].Utterance
	if e.Start <= 2 && v.opensUtterance(i) || u == 0 { // a call at the start asks for an answer
		if u+1 < len(us) && us[u+1].Speaker != us[u].Speaker {
			return v.participant(us[u+1].Speaker)
		}
	}
	return v.addressee(u)
}

func (v *resolver) opensUtterance(i int) bool {
	return i == 0 || v.sents[i-1].Utterance != v.sents[i].Utterance
}

// endearments resolves words that call somebody instead of a name: "Hi, honey!".
func (v *resolver) endearments(i int) {
	s := &v.sents[i]
	for k, w := range s.low {
		e := annotate.Entity{Span: annotate.Span{Start: k, End: k + 1}}
		if !words().endearments[w] || v.at(i, k) != nil || !s.vocative(e) {
			continue
		}
		if to := v.called(i, e); to != nil {
			v.mention(to, annotate.Mention{Sentence: i, Span: e.Span, Kind: annotate.Nominal}, k, 0)
		}
	}
}
