package annotaterules

import (
	"strings"

	"recallbench/internal/annotate"
)

const andOthers = " and others"

// sentence resolves the mentions of a sentence from left to right.
func (v *resolver) sentence(i int) {
	s := &v.sents[i]
	named := 0 // entities before are done
	heads := make(map[int]*ent, len(s.chunks))
	from := len(v.order)
	for k := range s.chunks {
		c := s.chunks[k]
		for named < len(s.Entities) && s.Entities[named].Start < c.start {
			if s.Entities[named].End <= c.start || !isValue(s.Entities[named].Type) {
				heads[s.Entities[named].End-1] = v.entity(i, s.Entities[named], nil)
			}
			named++
		}
		var owner *ent
		if c.owner >= 0 {
			owner = v.pronoun(i, c.owner, true)
		} else if c.ownerOf >= 0 {
			owner = heads[s.chunks[c.ownerOf].head]
		}
		var inside []annotate.Entity
		for named < len(s.Entities) && s.Entities[named].Start < c.end {
			inside = append(inside, s.Entities[named])
			named++
		}
		heads[c.head] = v.phrase(i, k, owner, inside, heads)
		v.conjoined(i, k, heads)
	}
	for ; named < len(s.Entities); named++ {
		heads[s.Entities[named].End-1] = v.entity(i, s.Entities[named], nil)
	}
	for k := range s.Tokens {
		if s.low[k] == "there" && s.Tokens[k].POS == "RB" && s.word(k-1) != "over" && s.word(k-1) != "out" && !s.exists(k) {
			v.there(i, k, from)
		}
	}
	for k := range s.low {
		v.same(i, k)
	}
	v.endearments(i)
	v.links(i, heads)
}

// exists reports whether a "there" says that something is: "there are two".
func (s *sentence) exists(k int) bool {
	if k+1 >= len(s.Tokens) {
		return false
	}
	before := s.pos(k - 1)
	return (s.Tokens[k+1].Lemma == "be" || s.pos(k+1) == "MD") && before != "IN" && !verb(before) || before == "VBZ" && k == 1 || before == "VBP" && k == 1
}

// same resolves a "same" without a noun, "the same as last time", to the last
// place or organisation with a name of earlier sessions.
func (v *resolver) same(i, k int) {
	s := &v.sents[i]
	if s.low[k] != "same" || s.word(k+1) != "as" || s.word(k+2) != "last" && s.word(k+2) != "before" && s.word(k+2) != "usual" && s.word(k+2) != "always" {
		return
	}
	for n := len(v.r.Known) - 1; n >= 0 && n >= len(v.r.Known)-4*maxKnown; n-- {
		e := v.ents[n].is()
		if len(e.names) == 0 || e.person() || e.typ == "GPE" || !e.placelike() {
			continue
		}
		span := annotate.Span{Start: k, End: k + 1}
		if s.word(k-1) == "the" {
			span.Start--
		}
		v.mention(e, annotate.Mention{Sentence: i, Span: span, Kind: annotate.Nominal}, k, 0)
		return
	}
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

// phrase resolves a noun phrase and returns what its head stands for; nil for
// nothing.
func (v *resolver) phrase(i, k int, owner *ent, inside []annotate.Entity, heads map[int]*ent) *ent {
	s := &v.sents[i]
	c := s.chunks[k]
	if s.Tokens[c.head].POS == "PRP" {
		return v.pronoun(i, c.head, false)
	}
	var named, result *ent
	headNamed := false
	for _, e := range inside {
		got := v.entity(i, e, s.chunkWords(c, e))
		heads[e.End-1] = got
		if isValue(e.Type) || e.Type == "NORP" || got == nil {
			if e.Start <= c.head && c.head < e.End {
				headNamed, result = true, got
			}
			continue
		}
		named = got
		if e.Start <= c.head && c.head < e.End {
			headNamed, result = true, got
		}
	}
	head := s.Tokens[c.head].Lemma
	switch {
	case headNamed && named != nil:
		// "my sister Rachel": what stands before the name says who it is.
		if n := v.nounBeforeName(s, c, inside); n >= 0 {
			v.describe(named, owner, s.Tokens[n].Lemma)
			if owner != nil { // kept as a mention, for a later "my sister"
				v.mention(named, annotate.Mention{Sentence: i, Span: annotate.Span{Start: c.start, End: n + 1}, Kind: annotate.Nominal}, n, 0)
			}
		}
		return result
	case headNamed:
		return result
	case named != nil && kindOf(head) != "" && c.ownerOf < 0 && named.typ != "GPE" && !named.person():
		// "the Gandhi restaurant" is the Gandhi.
		named.is().addHead(head)
		return named
	case s.Tokens[c.head].POS == "CD":
		return nil
	case c.end-c.start == 1 && words().endearments[s.low[c.head]] && s.vocative(annotate.Entity{Span: annotate.Span{Start: c.start, End: c.end}}):
		return nil
	}
	return v.nominal(i, k, owner)
}

// chunkWords returns the words of a noun phrase before a name in it.
func (s *sentence) chunkWords(c chunk, e annotate.Entity) []string {
	if e.Start <= c.start {
		return nil
	}
	return s.low[c.start:e.Start]
}

// nounBeforeName returns the noun for a person before a name in a phrase, or -1.
func (v *resolver) nounBeforeName(s *sentence, c chunk, inside []annotate.Entity) int {
	for _, e := range inside {
		if n := e.Start - 1; e.Type == "PERSON" && n >= c.start {
			if _, ok := words().people[s.Tokens[n].Lemma]; ok {
				return n
			}
			if words().kin[s.Tokens[n].Lemma] {
				return n
			}
		}
	}
	return -1
}

// describe notes what somebody is to another.
func (v *resolver) describe(e, owner *ent, head string) {
	e = e.is()
	if g, ok := words().people[head]; ok && g != "" && e.gender == "" {
		e.gender = g
	}
	if owner == nil {
		e.addHead(head)
		return
	}
	if had := v.owned(owner, head); had != nil && had != e && len(had.names) == 0 {
		v.merge(e, had)
		e = e.is()
	}
	e.addHead(head)
	if e.owner == nil && e != owner.is() {
		e.owner = owner.is()
	}
}

// entity resolves a named mention or a value.
func (v *resolver) entity(i int, e annotate.Entity, before []string) *ent {
	s := &v.sents[i]
	m := annotate.Mention{Sentence: i, Span: e.Span, Kind: annotate.Named}
	if isValue(e.Type) {
		return v.valueMention(s, e, m)
	}
	if e.Type == "NORP" {
		return v.simple(s, e, m)
	}
	return v.name(i, e, m, before)
}

// simple resolves a name that stands for no single thing: equal words are one.
func (v *resolver) simple(s *sentence, e annotate.Entity, m annotate.Mention) *ent {
	key := "=" + s.span(e.Start, e.End)
	got := v.byValue[key]
	if got == nil {
		for _, c := range v.byName[s.span(e.Start, e.End)] {
			if c = c.is(); c.typ == e.Type {
				got = c
			}
		}
	}
	if got == nil {
		got = v.newEnt(s.written(v.r.Utterances, e.Span), e.Type)
		got.keeps, got.value = true, key
	}
	v.byValue[key] = got
	return v.mention(got, m, e.End-1, 0)
}

// valueMention resolves a value: one cluster for all that say the same. A number
// goes with what it counts where both say it.
func (v *resolver) valueMention(s *sentence, e annotate.Entity, m annotate.Mention) *ent {
	key := e.Type + ":" + s.normal(e)
	got := v.byValue[key]
	if e.Type == "CARDINAL" {
		counted := ""
		if n := e.End; n < len(s.Tokens) && noun(s.Tokens[n].POS) {
			counted = s.Tokens[n].Lemma
		}
		if counted != "" {
			if exact := v.byValue[key+" "+counted]; exact != nil {
				got = exact
			} else if got != nil && len(got.heads) > 0 {
				got = nil
			}
		}
		if got == nil {
			got = v.newEnt(s.written(v.r.Utterances, e.Span), e.Type)
		}
		if counted != "" {
			got.heads = []string{counted}
			v.byValue[key+" "+counted] = got
		}
	} else if got == nil {
		got = v.newEnt(s.written(v.r.Utterances, e.Span), e.Type)
	}
	got.keeps, got.value = true, key
	v.byValue[key] = got
	return v.mention(got, m, e.End-1, 0)
}

// deictic reports whether words name a day by its distance from now, so that
// they mean another one in another session.
func (s *sentence) deictic(from, to int) bool {
	for _, w := range s.low[from:to] {
		if words().deictic[w] {
			return true
		}
	}
	return false
}

// conjoined makes a group of people joined by "and", for a "they" to come.
func (v *resolver) conjoined(i, k int, heads map[int]*ent) {
	if k == 0 {
		return
	}
	s := &v.sents[i]
	c, before := s.chunks[k], s.chunks[k-1]
	if c.start-before.end != 1 || s.word(before.end) != "and" {
		return
	}
	a, b := heads[before.head], heads[c.head]
	if a == nil || b == nil || !a.is().person() || !b.is().person() || a.is() == b.is() {
		return
	}
	span := annotate.Span{Start: before.start, End: c.end}
	e := v.newEnt(s.written(v.r.Utterances, span), "PERSON")
	e.plural = true
	v.mention(e, annotate.Mention{Sentence: i, Span: span, Kind: annotate.Nominal}, c.head, 0.5)
}

// links joins what a sentence says to be the same: "Anna is my sister", "her
// name is Anna".
func (v *resolver) links(i int, heads map[int]*ent) {
	s := &v.sents[i]
	for k := 1; k < len(s.chunks); k++ {
		a, b := s.chunks[k-1], s.chunks[k]
		if b.start-a.end != 1 || !strings.HasPrefix(s.pos(a.end), "VB") || s.Tokens[a.end].Lemma != "be" || s.question {
			continue
		}
		x, y := heads[a.head], heads[b.head]
		if x == nil || x.is().value != "" {
			continue
		}
		head := s.Tokens[b.head].Lemma
		_, person := words().people[head]
		switch {
		case y != nil && y.is().person() && len(y.is().names) > 0 && x.is().speaker != "" && s.Tokens[a.head].POS == "PRP" && x.is() != y.is():
			if s.low[a.head] == "i" {
				v.introduce(x, y)
			}
		case y != nil && y.is() != x.is() && len(x.is().names) > 0 != (len(y.is().names) > 0) && (person || kindOf(head) != "") && s.pos(b.start) != "DT":
			if !v.merge(x, y) {
				continue
			}
		case person || kindOf(head) != "":
			x.is().addHead(head)
		}
	}
}

// introduce gives somebody a name that was taken for another person's.
func (v *resolver) introduce(e, named *ent) {
	e, named = e.is(), named.is()
	if e == named || named.speaker != "" && e.speaker != "" {
		return
	}
	if e.speaker != "" && named.known != nil && e.known == nil && named.speaker == "" && len(named.mentions) > 1 {
		return // spoken of before as somebody else
	}
	v.merge(e, named)
}
