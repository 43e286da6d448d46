package annotator

import (
	"cmp"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/annotate"
)

// sentence resolves the mentions of a sentence from left to right.
func (v *resolver) sentence(i int) {
	s := &v.sents[i]
	rest := s.Entities
	heads := make(map[int]*ent, len(s.chunks))
	entity := func(e annotate.Entity, before []string) *ent {
		got := v.entity(i, e, before)
		heads[e.End-1] = got
		return got
	}
	for k := range s.chunks {
		c := s.chunks[k]
		for len(rest) > 0 && rest[0].Start < c.start {
			entity(rest[0], nil)
			rest = rest[1:]
		}
		var owner, named *ent
		if c.owner >= 0 {
			owner = v.pronoun(i, c.owner, true)
		} else if c.ownerOf >= 0 {
			owner = heads[s.chunks[c.ownerOf].head]
		}
		role, headNamed := -1, false // the noun before a name that says who it is
		for len(rest) > 0 && rest[0].Start < c.end {
			e := rest[0]
			rest = rest[1:]
			got := entity(e, s.low[c.start:max(c.start, e.Start)])
			headNamed = headNamed || e.Start <= c.head && c.head < e.End
			if got != nil && !isValue(e.Type) && !isQuality(e.Type) {
				named = got
				if n := e.Start - 1; e.Type == "PERSON" && n >= c.start && (words().people.has(s.lemma(n)) || words().relatives[s.lemma(n)]) {
					role = n
				}
			}
		}
		switch head := s.lemma(c.head); {
		case s.pos(c.head) == "PRP":
			heads[c.head] = v.pronoun(i, c.head, false)
		case headNamed && named != nil && role >= 0: // "my sister Rachel"
			v.describe(named, owner, s.lemma(role))
			if owner != nil { // kept as a mention, for a later "my sister"
				v.mention(named, annotate.Mention{Sentence: i, Span: annotate.Span{Start: c.start, End: role + 1}, Kind: annotate.Nominal}, role, 0)
			}
		case headNamed:
		case named != nil && words().kindOf(head) != "" && c.ownerOf < 0 && named.typ != "GPE" && !named.person(): // "the Kerala restaurant" is the Kerala
			named.addHead(head)
			heads[c.head] = named
		case noun(s.pos(c.head)) && !(c.end-c.start == 1 && words().endearments[head] && s.vocative(annotate.Entity{Span: annotate.Span{Start: c.start, End: c.end}})):
			heads[c.head] = v.nominal(i, c, owner)
		}
		if k > 0 {
			v.pair(i, s.chunks[k-1], c, heads)
		}
	}
	for _, e := range rest {
		entity(e, nil)
	}
	for k, w := range s.low {
		span := annotate.Span{Start: k, End: k + 1}
		switch called := (annotate.Entity{Span: span}); {
		case w == "there" && s.pos(k) == "RB" && !s.is(k-1, "over", "out") && s.lemma(k+1) != "be" && !(k == 1 && verb(s.pos(0))):
			if e := v.antecedent(i, k, pronouns["there"], false); e != nil {
				v.mention(e, annotate.Mention{Sentence: i, Span: span, Kind: annotate.Pronominal}, k, 0)
			}
		case words().endearments[w] && v.at(i, k) == nil && s.vocative(called): // "Hi, honey!"
			if e := v.called(i, called); e != nil {
				v.mention(e, annotate.Mention{Sentence: i, Span: span, Kind: annotate.Nominal}, k, 0)
			}
		}
	}
	v.links(i, heads)
}

// pair makes a group of people joined by "and", for a "they" to come.
func (v *resolver) pair(i int, a, b chunk, heads map[int]*ent) {
	s := &v.sents[i]
	x, y := heads[a.head], heads[b.head]
	if b.start-a.end != 1 || s.word(a.end) != "and" || x == nil || y == nil || !x.person() || !y.person() || x == y {
		return
	}
	span := annotate.Span{Start: a.start, End: b.end}
	e := v.newEnt(s.written(v.r.Utterances, span), "PERSON")
	e.plural = true
	v.mention(e, annotate.Mention{Sentence: i, Span: span, Kind: annotate.Nominal}, b.head, 0.5)
}

// links notes what a sentence says that somebody is: "Anna is my sister".
func (v *resolver) links(i int, heads map[int]*ent) {
	s := &v.sents[i]
	for k := 1; k < len(s.chunks); k++ {
		a, b := s.chunks[k-1], s.chunks[k]
		x, head := heads[a.head], s.lemma(b.head)
		if x == nil || x.value != "" || b.start-a.end != 1 || !verb(s.pos(a.end)) || s.lemma(a.end) != "be" || s.question {
			continue
		}
		if words().people.has(head) || words().kindOf(head) != "" {
			x.addHead(head)
		}
	}
}

// describe notes what somebody is to another.
func (v *resolver) describe(e, owner *ent, head string) {
	e.gender = cmp.Or(e.gender, words().people[head])
	if e.owner == nil && e != owner {
		e.owner = owner
	}
	e.addHead(head)
}

// entity resolves a named mention or a value.
func (v *resolver) entity(i int, e annotate.Entity, before []string) *ent {
	s := &v.sents[i]
	key := e.Type + ":" + s.normal(e)
	switch {
	case isQuality(e.Type): // stands for no single thing: equal words are one
		key = "=" + s.span(e.Start, e.End)
	case !isValue(e.Type):
		return v.name(i, e, before)
	case e.Type == "CARDINAL" && noun(s.pos(e.End)): // goes with what it counts
		key += " " + s.lemma(e.End)
	}
	got := v.byValue[key]
	if got == nil {
		got = v.newEnt(s.written(v.r.Utterances, e.Span), e.Type)
	}
	got.keeps, got.value = true, key
	v.byValue[key] = got
	if e.Type == "CARDINAL" { // "for 4 people, yes, 4"
		v.byValue[e.Type+":"+s.normal(e)] = got
	}
	return v.mention(got, annotate.Mention{Sentence: i, Span: e.Span, Kind: annotate.Named}, e.End-1, 0)
}

// name resolves a named mention.
func (v *resolver) name(i int, e annotate.Entity, before []string) *ent {
	s := &v.sents[i]
	low := cleaned(s.low[e.Start:e.End])
	if len(low) == 0 {
		return nil
	}
	person := e.Type == "PERSON"
	speaker := v.participant(v.r.Utterances[s.Utterance].Speaker)
	text := s.written(v.r.Utterances, e.Span)
	intro := person && s.introduces(e)
	got := v.namesake(low, e.Type, speaker, intro)
	if role := s.lemma(e.Start - 1); got != nil && len(before) > 1 && words().closed[before[0]] == "PRP$" && words().people.has(role) && !got.hasHead(role) &&
		(got.speaker != "" || len(got.mentions) > 0 && len(got.heads) == 0) {
		got = nil // "my cousin Sasha" is another one
	}
	if bearer := v.calledSo(i, e); bearer != nil && len(bearer.names) == 0 && bearer.mayBear(low) {
		got = bearer // "my brother is called Alex"
	} else if fresh := got == nil || got.speaker == "" && got.known == nil; intro && fresh {
		got = speaker
	} else if person && fresh && s.vocative(e) {
		if to := v.called(i, e); to != nil && to.mayBear(low) {
			got = to
		}
	}
	if got == nil {
		got = v.newEnt(text, e.Type)
		plain := !slices.ContainsFunc(low, func(w string) bool { return words().places[w] != "" })
		if e.Type == "FAC" && i-v.topicAt <= 6 && plain {
			got.addKind(v.topic)
		}
	}
	got.keeps = true
	got.typ = cmp.Or(got.typ, e.Type)
	if !person && e.Type != "" && got.gender == "" && got.speaker == "" {
		got.gender = annotate.Neuter
	}
	v.addName(got, low)
	if got.speaker == "" && (len(text) > len(got.label) || len(got.names) == 1 && got.known == nil) {
		got.label = text
	}
	return v.mention(got, annotate.Mention{Sentence: i, Span: e.Span, Kind: annotate.Named}, e.End-1, 0.1)
}

// namesake returns the entity that a name most likely names.
func (v *resolver) namesake(low []string, typ string, speaker *ent, intro bool) *ent {
	for _, key := range nameKeys(low, typ == "PERSON" || typ == "") {
		var best *ent
		for _, e := range v.byName[key] {
			if e == speaker && !intro && namelike(e.label) || e.value != "" || !e.mayBe(low, typ) {
				continue
			}
			if best == nil || e.last > best.last || e.last == best.last && best.known != nil && e.known != nil {
				best = e
			}
		}
		if best != nil {
			return best
		}
	}
	return nil
}

// mayBe reports whether a name can be one of an entity's, which a key found.
func (e *ent) mayBe(low []string, typ string) bool {
	if typ != "" && e.typ != "" && (typ == "PERSON") != (e.typ == "PERSON") {
		return false
	}
	return !e.person() && typ != "PERSON" || e.mayBear(low)
}

// calledSo returns whom a sentence gives a name: "my brother is called Alex", "a
// dog named Rex", "her name is Nina". It is nil if it gives nobody one.
func (v *resolver) calledSo(i int, e annotate.Entity) *ent {
	s := &v.sents[i]
	k := e.Start - 1
	switch {
	case s.is(k, "called", "named") && s.lemma(k-1) == "be":
		return v.at(i, k-2)
	case s.is(k, "called", "named"):
		return v.at(i, k-1)
	case s.lemma(k) == "be" && s.word(k-1) == "name" && s.pos(k-2) == "POS":
		return v.at(i, k-3)
	case s.lemma(k) == "be" && s.word(k-1) == "name":
		return v.at(i, k-2)
	}
	return nil
}

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
