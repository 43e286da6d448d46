package annotator

import (
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/annotate"
)

// nameKeys returns the keys under which a name is found: the whole, the part
// without words for what it is, and for people each part.
func nameKeys(low []string, person bool) []string {
	keys := []string{strings.Join(low, " ")}
	add := func(k string) {
		if k != "" {
			keys = lists.AddNew(keys, k)
		}
	}
	add(strings.Join(core(low), " "))
	if person {
		for _, w := range low {
			if !words().title(w) {
				add(w)
				add(words().short[w])
			}
		}
	} else if len(low) > 2 {
		add(strings.Join(low[len(low)-2:], " "))
	}
	return keys
}

// core drops the words of a name that say only what it is: "kerala restaurant".
func core(low []string) []string {
	for n := len(low); n > 1 && (words().places[low[n-1]] != "" || low[n-1] == "guest"); n-- {
		low = low[:n-1]
	}
	return low
}

// withoutTitle returns a name without the title before it, and whether it has one.
func withoutTitle(low []string) ([]string, bool) {
	if words().title(low[0]) && len(low) > 1 {
		return low[1:], true
	}
	return low, words().title(low[0])
}

// nameGender returns the gender that a name of a person tells.
func nameGender(low []string) annotate.Gender {
	if g := words().titles[low[0]]; g != "" {
		return g
	}
	low, _ = withoutTitle(low)
	return words().given[low[0]]
}

// mayBear reports whether a person with the names so far can have this one too:
// neither another given name nor another surname, nor a title of the other
// gender.
func (e *ent) mayBear(low []string) bool {
	if slices.ContainsFunc(e.names, func(n []string) bool { return slices.Equal(n, low) }) {
		return true
	}
	g := nameGender(low)
	return bearable(low) && (e.gender == "" || g == "" || g == e.gender) &&
		!slices.ContainsFunc(e.names, func(n []string) bool { return bearable(n) && !agree(n, low) })
}

// bearable reports whether tokens are a name and no label such as "speaker 1".
func bearable(low []string) bool {
	return !slices.Contains([]string{"speaker", "user", "system", "agent", "assistant"}, low[0]) && letters(low[len(low)-1])
}

// agree reports whether two names can be of one person.
func agree(a, b []string) bool {
	a, at := withoutTitle(a)
	b, bt := withoutTitle(b)
	first, last := sameGiven(a[0], b[0]), a[len(a)-1] == b[len(b)-1]
	switch {
	case len(a) > 1 && len(b) > 1:
		return first && last
	case len(a) == 1 && len(b) == 1:
		return first || at != bt // "Dr. Khan" may be Asha
	}
	return first || last
}

// sameGiven reports whether two first names may be forms of one.
func sameGiven(a, b string) bool {
	s := words().short
	return a == b || s[a] == b || s[b] == a || s[a] != "" && s[a] == s[b] ||
		len(a) > 2 && len(b) > 2 && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a)) && words().given[a] == words().given[b]
}

// namelike reports whether a speaker's label looks like the name of a person:
// "Anna", not "USER" or "Speaker 1".
func namelike(label string) bool {
	low := strings.ToLower(label)
	first, _, _ := strings.Cut(low, " ")
	return !strings.ContainsAny(label, "0123456789,") && label != strings.ToUpper(label) &&
		(words().given.has(first) || label != low && !words().common(first))
}

// vocative reports whether a name addresses somebody: "Hey Anna!", "Thanks,
// Anna".
func (s *sentence) vocative(e annotate.Entity) bool {
	after := s.word(e.End)
	switch p := s.pos(e.Start - 1); {
	case !s.is(e.End, "", ",", ":", "!", "?", ".", "...", "…", "-", "--"):
		return false
	case e.Start == 0: // a name alone is an answer as often as a call
		return e.End < len(s.Tokens)-1 || after != "" && after != "."
	case p == "UH", s.is(e.Start-1, "thanks", "you", "sorry", "dear"):
		return true
	case p == ",": // at the end, and no member of a list
		return after != "," && s.word(e.Start-3) != "," || after == "," && s.pos(e.Start-2) == "UH"
	default: // without a comma: "You look good Joe."
		return after != "," && (p == "RP" || adverb(p) && !s.is(e.Start-1, "not", "n't", "just", "only"))
	}
}

// introduces reports whether the speaker says that the name is his: "I'm Anna",
// "my name is Anna", "this is Anna from the agency".
func (s *sentence) introduces(e annotate.Entity) bool {
	i := e.Start - 1
	switch be := s.word(i); be {
	case "is", "'s":
		return s.word(i-1) == "name" && s.word(i-2) == "my" || s.word(i-1) == "this" && i == 1 && s.is(e.End, "from", "speaking", "calling")
	case "am", "'m":
		return s.word(i-1) == "i"
	case "me":
		return s.word(i-1) == "call"
	}
	return false
}

// called returns the participant whom a name in the vocative calls.
func (v *resolver) called(i int, e annotate.Entity) *ent {
	us, u := v.r.Utterances, v.sents[i].Utterance
	opens := e.Start <= 2 && (i == 0 || v.sents[i-1].Utterance != u)
	if (opens || u == 0) && u+1 < len(us) && us[u+1].Speaker != us[u].Speaker { // a call at the start asks for an answer
		return v.participant(us[u+1].Speaker)
	}
	return v.addressee(u)
}

// addressee returns the participant whom an utterance is said to; nil if that
// is open.
func (v *resolver) addressee(u int) *ent {
	us := v.r.Utterances
	speaker := us[u].Speaker
	for d := 1; d <= 3; d++ { // somebody else spoke just before, or answers
		for _, k := range [...]int{u - d, u + d} {
			if k >= 0 && k < len(us) && us[k].Speaker != speaker {
				return v.participant(us[k].Speaker)
			}
		}
	}
	// A request of one voice: the other participant, where only one is known.
	var other *ent
	for _, k := range v.r.Known {
		if k.Speaker && k.Name != speaker {
			if other != nil {
				return nil
			}
			other = v.speakers[k.Name]
		}
	}
	return other
}
