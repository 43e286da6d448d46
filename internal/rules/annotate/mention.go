package annotate

import (
	"recallbench/internal/door/annotate"
)

const andOthers = " and others"

// sentence resolves the mentions of a sentence from left to right.
func (v *resolver) sentence(i int) {
	s := &v.sents[i]
	named := 0 // entities before are done
	heads := make(map[int]*ent, len(s.chunks))
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
			v.there(i, k)
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
		if isValue(e.Type) || isQuality(e.Type) || got == nil {
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
		if n := s.nounBeforeName(c, inside); n >= 0 {
			v.describe(named, owner, s.Tokens[n].Lemma)
			if owner != nil { // kept as a mention, for a later "my sister"
				v.mention(named, annotate.Mention{Sentence: i, Span: annotate.Span{Start: c.start, End: n + 1}, Kind: annotate.Nominal}, n, 0)
			}
		}
		return result
	case headNamed:
		return result
	case named != nil && kindOf(head) != "" && c.ownerOf < 0 && named.typ != "GPE" && !named.person():
		// "the Kerala restaurant" is the Kerala.
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

// entity resolves a named mention or a value.
func (v *resolver) entity(i int, e annotate.Entity, before []string) *ent {
	s := &v.sents[i]
	m := annotate.Mention{Sentence: i, Span: e.Span, Kind: annotate.Named}
	if isValue(e.Type) {
		return v.valueMention(s, e, m)
	}
	if isQuality(e.Type) {
		return v.simple(s, e, m)
	}
	return v.name(i, e, m, before)
}
