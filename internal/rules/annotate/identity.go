package annotate

import (
	"strings"

	"recallbench/internal/door/annotate"
)

// nounBeforeName returns the noun for a person before a name in a phrase, or -1.
func (s *sentence) nounBeforeName(c chunk, inside []annotate.Entity) int {
	for _, e := range inside {
		if n := e.Start - 1; e.Type == "PERSON" && n >= c.start {
			lemma := s.Tokens[n].Lemma
			if _, ok := words().people[lemma]; ok || words().kin[lemma] {
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
