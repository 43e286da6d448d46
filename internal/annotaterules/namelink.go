package annotaterules

import (
	"slices"
	"strings"

	"recallbench/internal/annotate"
)

// nameKeys returns the keys under which a name is found: the whole, the part
// without words for what it is, and for people each part.
func nameKeys(low []string, person bool) []string {
	keys := []string{strings.Join(low, " ")}
	add := func(k string) {
		if k != "" && !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	add(strings.Join(core(low), " "))
	if person {
		for _, w := range low {
			if _, title := words().titles[w]; !title {
				add(w)
				add(words().short[w])
			}
		}
		return keys
	}
	if len(low) > 2 {
		add(strings.Join(low[len(low)-2:], " "))
	}
	return keys
}

// core drops the words of a name that say only what it is: "the gandhi
// restaurant".
func core(low []string) []string {
	for len(low) > 1 && low[0] == "the" {
		low = low[1:]
	}
	for len(low) > 1 {
		last := low[len(low)-1]
		kind := words().places[last]
		if kind == "" || kind == "park" && len(low) < 2 {
			break
		}
		low = low[:len(low)-1]
		if last == "house" && low[len(low)-1] == "guest" && len(low) > 1 {
			low = low[:len(low)-1]
		}
	}
	return low
}

// nameGender returns the gender that a name of a person tells.
func nameGender(low []string) annotate.Gender {
	l := words()
	if g, ok := l.titles[low[0]]; ok {
		if g != "" || len(low) == 1 {
			return g
		}
		low = low[1:]
	}
	return l.given[low[0]]
}

// name resolves a named mention.
func (v *resolver) name(i int, e annotate.Entity, m annotate.Mention, before []string) *ent {
	s := &v.sents[i]
	var low []string
	for _, w := range s.low[e.Start:e.End] {
		if !mark(w) || w == "&" {
			low = append(low, strings.TrimSuffix(w, "."))
		}
	}
	if len(low) > 1 && low[0] == "the" {
		low = low[1:]
	}
	if len(low) == 0 {
		return nil
	}
	speaker := v.participant(v.r.Utterances[s.Utterance].Speaker)
	text := s.written(v.r.Utterances, e.Span)
	bearer := v.calledSo(i, e)
	other := slices.Contains(before, "other") || slices.Contains(before, "another") || slices.Contains(before, "different")
	vocative := e.Type == "PERSON" && s.vocative(e) && !v.echo(i, e)
	intro := e.Type == "PERSON" && s.introduces(e)
	var got *ent
	if !other || e.Type != "PERSON" {
		got = v.namesake(low, e.Type, speaker, intro)
	} else {
		got = v.otherNamed(low)
	}
	if got != nil && s.introducesAnother(e, before, got) {
		got = nil
	}
	switch {
	case bearer != nil && bearer.mayBear(low) && len(bearer.names) == 0:
		got = bearer // "my brother is called Alex"
	case intro:
		got = v.bear(speaker, got)
	case vocative:
		if to := v.called(i, e); to != nil && (got == nil || got.speaker == "") && to.mayBear(low) {
			got = v.bear(to, got)
		}
	}
	if got == nil {
		got = v.newEnt(text, e.Type)
		if e.Type == "FAC" && i-v.topicAt <= 6 && kindsOf(low) == "" && !street(low) {
			got.addKind(v.topic)
		}
	}
	got = got.is()
	got.keeps = true
	if got.typ == "" {
		got.typ = e.Type
	}
	if e.Type != "PERSON" && e.Type != "" && got.gender == "" && got.speaker == "" {
		got.gender = annotate.Neuter
	}
	v.addName(got, low)
	if got.speaker == "" && len(text) > len(got.label) || got.speaker == "" && len(got.names) == 1 && got.known == nil {
		got.label = text
	}
	return v.mention(got, m, e.End-1, 0.1)
}

func kindsOf(low []string) string {
	for _, w := range low {
		if k := words().places[w]; k != "" {
			return k
		}
	}
	return ""
}

// namesake returns the entity that a name most likely names.
func (v *resolver) namesake(low []string, typ string, speaker *ent, intro bool) *ent {
	var best *ent
	for _, key := range nameKeys(low, typ == "PERSON" || typ == "") {
		for _, e := range v.byName[key] {
			e = e.is()
			if e == speaker && !intro && namelike(e.label) || e.value != "" || !e.mayBe(low, typ) {
				continue
			}
			if best == nil || e.last > best.last || e.last == best.last && len(e.mentions) > len(best.mentions) || best.known != nil && e.known != nil && e.last == best.last {
				best = e
			}
		}
		if best != nil {
			return best
		}
	}
	if typ != "PERSON" {
		return nil
	}
	// Short forms: "Rach" for Rachel.
	if full := words().short[low[0]]; full != "" && len(low) == 1 {
		for _, e := range v.byName[full] {
			if e = e.is(); e != speaker && e.mayBe(low, typ) {
				return e
			}
		}
	}
	return nil
}

// introducesAnother reports whether words before a name bring in another one of
// that name: who is "my cousin Sasha" to one speaker takes no part in the talk,
// and was not spoken of without that.
func (s *sentence) introducesAnother(e annotate.Entity, before []string, got *ent) bool {
	if len(before) < 2 || closed[before[0]] != "PRP$" {
		return false
	}
	head := s.Tokens[e.Start-1].Lemma
	if _, person := words().people[head]; !person || slices.Contains(got.heads, head) {
		return false
	}
	return got.speaker != "" || len(got.mentions) > 0 && len(got.heads) == 0
}

// otherNamed returns the one of two of a name who was not mentioned last; nil
// where only one was.
func (v *resolver) otherNamed(low []string) *ent {
	var last, other *ent
	for _, e := range v.byName[strings.Join(low, " ")] {
		switch e = e.is(); {
		case last == nil || e.last > last.last:
			last, other = e, last
		case e != last && (other == nil || e.last > other.last):
			other = e
		}
	}
	return other
}

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

// at returns the entity that was mentioned with a token as its head; nil for none.
func (v *resolver) at(i, token int) *ent {
	for n := len(v.order) - 1; n >= 0 && v.order[n].sentence == i; n-- {
		if v.order[n].token == token {
			return v.order[n].ent.is()
		}
	}
	return nil
}

// mayBe reports whether a name can be one of an entity's.
func (e *ent) mayBe(low []string, typ string) bool {
	if typ != "" && e.typ != "" && typ != e.typ && (typ == "PERSON") != (e.typ == "PERSON") {
		return false
	}
	if e.person() || typ == "PERSON" {
		return e.mayBear(low)
	}
	for _, n := range e.names {
		if equal(n, low) || equal(core(n), core(low)) {
			return true
		}
		short, long := low, n
		if len(short) > len(long) {
			short, long = long, short
		}
		if len(short) > 1 && equal(short, long[len(long)-len(short):]) {
			return true
		}
	}
	return false
}

// mayBear reports whether a person with the names so far can have this one too:
// neither another given name nor another surname, nor a title of the other
// gender.
func (e *ent) mayBear(low []string) bool {
	for _, n := range e.names {
		if equal(n, low) {
			return true
		}
	}
	if !bearable(low) {
		return false
	}
	if e.gender != "" {
		if g := nameGender(low); g != "" && g != e.gender {
			return false
		}
	}
	for _, n := range e.names {
		if !bearable(n) {
			continue
		}
		if !agree(n, low) {
			return false
		}
	}
	return true
}

// bearable reports whether tokens are a name and no label such as "speaker 1".
func bearable(low []string) bool {
	if low[0] == "speaker" || low[0] == "user" || low[0] == "system" || low[0] == "agent" || low[0] == "assistant" {
		return false
	}
	return letters(low[len(low)-1])
}

// agree reports whether two names can be of one person.
func agree(a, b []string) bool {
	_, at := words().titles[a[0]]
	_, bt := words().titles[b[0]]
	x, y := a, b
	if at && len(a) > 1 {
		x = a[1:]
	}
	if bt && len(b) > 1 {
		y = b[1:]
	}
	switch {
	case len(x) > 1 && len(y) > 1:
		return sameGiven(x[0], y[0]) && x[len(x)-1] == y[len(y)-1]
	case len(x) == 1 && len(y) == 1:
		return sameGiven(x[0], y[0]) || at != bt // "Dr. Khan" may be Asha
	case len(x) > 1:
		x, y = y, x
	}
	return sameGiven(x[0], y[0]) || x[0] == y[len(y)-1]
}

// sameGiven reports whether two first names may be forms of one.
func sameGiven(a, b string) bool {
	if a == b {
		return true
	}
	s := words().short
	if s[a] == b || s[b] == a || s[a] != "" && s[a] == s[b] {
		return true
	}
	return len(a) > 2 && len(b) > 2 && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a)) && words().given[a] == words().given[b]
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
