package annotate

import (
	"slices"
	"strings"

	"recallbench/internal/door/annotate"
)

// name resolves a named mention.
func (v *resolver) name(i int, e annotate.Entity, m annotate.Mention, before []string) *ent {
	s := &v.sents[i]
	var low []string
	for _, w := range s.low[e.Start:e.End] {
		if !mark(w) || w == "&" {
			low = append(low, strings.TrimSuffix(w, "."))
		}
	}
	if low = withoutArticle(low); len(low) == 0 {
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
		if slices.Equal(n, low) || slices.Equal(core(n), core(low)) {
			return true
		}
		short, long := low, n
		if len(short) > len(long) {
			short, long = long, short
		}
		if len(short) > 1 && slices.Equal(short, long[len(long)-len(short):]) {
			return true
		}
	}
	return false
}
