package annotator

import (
	"cmp"
	"slices"
	"strings"

	"recallbench/internal/door/annotate"
	"recallbench/internal/text/english"
)

func kinKey(head string) string { return cmp.Or(words().kin[head], head) }

// nominal resolves a noun phrase whose head is not a name and returns what it stands
// for; nil for nothing.
func (v *resolver) nominal(i int, c chunk, owner *ent) *ent {
	s, l := &v.sents[i], words()
	head := english.Lower(s.lemma(c.head))
	plural := strings.HasSuffix(s.pos(c.head), "S")
	first, kind, person := s.low[c.start], l.kindOf(head), l.people.has(head)
	if k := l.places[head]; k != "" && k != "town" && k != "place" && !plural {
		v.topic, v.topicAt = k, i
	}
	definite := s.is(c.start, "the", "that", "this", "these", "those")
	var e *ent
	switch {
	case head == "god" || head == "goodness": // "my God!"
		return nil
	case owner != nil:
		e = v.possessed(owner, head, plural)
	case l.vague[head]:
		return nil
	case definite && !s.is(c.start+1, "other", "next", "second", "new"):
		e = v.definite(i, c, head, plural)
	}
	if e == nil {
		e = v.newEnt(s.span(c.start, c.head+1), "")
		e.plural = plural || head == "people"
		e.gender = annotate.Neuter
		if person {
			e.typ, e.gender = "PERSON", l.people[head]
		}
		e.keeps = (person || kind != "") && definite && first[0] == 't' && len(first) < 5
		if owner != nil {
			e.owner = owner
			e.keeps = person || l.relatives[head] || kind != ""
			e.label = e.owner.label + "'s " + s.low[c.head]
		}
	}
	e.addHead(head)
	weight := 0.0
	if kind != "" || person {
		weight = 0.2
	} else if l.vague[head] {
		weight = -1
	}
	return v.mention(e, annotate.Mention{Sentence: i, Span: annotate.Span{Start: c.start, End: c.head + 1}, Kind: annotate.Nominal}, c.head, weight)
}

// possessed returns what somebody was said to have before: "my sister", "her
// hotel".
func (v *resolver) possessed(owner *ent, head string, plural bool) *ent {
	if e := v.owned(owner, head); e != nil && e.plural == plural {
		return e
	}
	if words().relatives[head] && !plural { // the one person with a name who was called so in earlier sessions
		var found []*ent
		for n := range v.r.Known {
			if e := v.ents[n]; e.owner == nil && len(e.names) > 0 && e.speaker == "" && !e.plural && e.hasHead(head) {
				found = append(found, e)
			}
		}
		if len(found) == 1 {
			return found[0]
		}
	}
	return nil
}

// owned returns the last entity of an owner with a head.
func (v *resolver) owned(owner *ent, head string) *ent {
	const most = 256
	for n := len(v.ents) - 1; n >= 0 && n >= len(v.ents)-most; n-- {
		if e := v.ents[n]; e.owner != nil && e.owner == owner && e.hasHead(head) {
			return e
		}
	}
	return nil
}

func (e *ent) hasHead(head string) bool {
	return slices.ContainsFunc(e.heads, func(h string) bool { return kinKey(h) == kinKey(head) })
}

// definite returns what "the hotel", "that place" or "the same restaurant as last
// time" was mentioned as before.
func (v *resolver) definite(i int, c chunk, head string, plural bool) *ent {
	s := &v.sents[i]
	kind := words().kindOf(head)
	lasting := kind != "" || words().people.has(head)
	var best *ent
	score := 0.0
	again := s.is(c.head-1, "same", "last", "previous") && s.is(c.head+1, "as", "again") || s.is(c.start+1, "last", "previous")
	for n := len(v.order) - 1; n >= 0 && n >= len(v.order)-2*maxLook && !again; n-- {
		o := v.order[n]
		e, far := o.ent, i-o.sentence
		if far > maxDistance && !lasting || far > 3*maxDistance {
			break
		}
		if e.value != "" || e.plural != plural || e.speaker != "" || kind == "" && (e.owner != nil || s.word(c.head+1) == "of") {
			continue
		}
		if fit := e.goesBy(head, kind); fit > 0 && (best == nil || fit-0.1*float64(far) > score) {
			best, score = e, fit-0.1*float64(far)
		}
	}
	if best == nil && (lasting || again) {
		return v.lastOf(head, kind)
	}
	return best
}

// lastOf returns the last entity of earlier sessions that a noun fits, those with
// names first.
func (v *resolver) lastOf(head, kind string) *ent {
	var loose *ent
	for n := len(v.r.Known) - 1; n >= max(0, len(v.r.Known)-4*maxKnown); n-- {
		e := v.ents[n]
		if e.value != "" || e.plural || e.speaker != "" || e.goesBy(head, kind) < 0.6 {
			continue
		}
		if len(e.names) > 0 {
			return e
		}
		loose = cmp.Or(loose, e)
	}
	return loose
}

// goesBy says how well a noun fits an entity: 1 where it was called so, less
// where it only could be, 0 for not.
func (e *ent) goesBy(head, kind string) float64 {
	switch {
	case slices.Contains(e.heads, head):
		return 1
	case kind != "" && kind != "place" && slices.Contains(e.kinds, kind), e.hasHead(head):
		return 0.9
	case e.person() || e.typ == "NORP":
		return 0
	case kind == "place" && e.typ != "GPE" && e.placelike(), kind == "town" && e.typ == "GPE":
		return 0.7
	case words().places[head] != "" && kind != "town" && e.typ == "FAC" && len(e.kinds) == 0:
		return 0.6
	}
	return 0
}
