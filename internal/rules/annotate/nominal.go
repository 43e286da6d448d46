package annotate

import (
	"cmp"
	"slices"
	"strings"

	"recallbench/internal/door/annotate"
)

// kinOf maps everyday words for relatives to one.
var kinOf = map[string]string{
	"mom": "mother", "mum": "mother", "mommy": "mother", "mummy": "mother", "mama": "mother", "dad": "father", "daddy": "father", "papa": "father",
	"bro": "brother", "sis": "sister", "auntie": "aunt", "grandpa": "grandfather", "granddad": "grandfather", "grandma": "grandmother", "granny": "grandmother",
	"neighbour": "neighbor", "co-worker": "colleague", "coworker": "colleague", "flatmate": "roommate", "buddy": "friend", "pal": "friend", "mate": "friend",
	"kid": "child", "puppy": "dog", "kitten": "cat",
}

func kinKey(head string) string { return cmp.Or(kinOf[head], head) }

// nominal resolves a noun phrase whose head is no name and returns what it stands
// for.
func (v *resolver) nominal(i, k int, owner *ent) *ent {
	s := &v.sents[i]
	c := s.chunks[k]
	t := s.Tokens[c.head]
	if !noun(t.POS) {
		return nil
	}
	head := t.Lemma
	if head != strings.ToLower(head) {
		head = lower(head)
	}
	m := annotate.Mention{Sentence: i, Span: annotate.Span{Start: c.start, End: c.head + 1}, Kind: annotate.Nominal}
	plural := t.POS == "NNS" || t.POS == "NNPS"
	gender, person := words().people[head]
	first := s.low[c.start]
	if kind := words().places[head]; kind != "" && kind != "town" && kind != "place" && !plural {
		v.topic, v.topicAt = kind, i
	}
	var e *ent
	switch {
	case head == "god" || head == "goodness" || head == "gosh":
		return nil // "my God!"
	case owner != nil:
		e = v.possessed(i, c, owner, head, plural)
	case words().vague[head]:
		return nil
	case first == "the" || first == "that" || first == "this" || first == "these" || first == "those":
		e = v.definite(i, c, head, plural)
	}
	if e == nil {
		e = v.newEnt(s.span(c.start, c.head+1), "")
		e.plural = plural
		if person {
			e.typ, e.gender = "PERSON", gender
			e.plural = plural || head == "people"
		} else {
			e.gender = annotate.Neuter
		}
		e.keeps = (person || kindOf(head) != "") && (first == "the" || first == "that" || first == "this")
		if owner != nil {
			e.owner = owner.is()
			e.keeps = e.keeps || person || words().kin[head] || kindOf(head) != ""
			if e.owner.label != "" {
				e.label = e.owner.label + "'s " + s.span(c.head, c.head+1)
			}
		}
	}
	e = e.is()
	e.addHead(head)
	weight := 0.0
	switch {
	case kindOf(head) != "" || person:
		weight = 0.2
	case words().vague[head]:
		weight = -1
	}
	return v.mention(e, m, c.head, weight)
}

// possessed returns what somebody was said to have before: "my sister", "her
// hotel".
func (v *resolver) possessed(i int, c chunk, owner *ent, head string, plural bool) *ent {
	owner = owner.is()
	if e := v.owned(owner, head); e != nil && e.plural == plural && !v.contrast(i, c) {
		return e
	}
	if e := v.describedBefore(head, plural); e != nil {
		return e
	}
	for _, label := range append([]string{owner.label}, joined(owner.names)...) {
		for _, e := range v.byName["'s "+lower(label)+" "+head] {
			if e = e.is(); e.plural == plural {
				e.owner = owner
				return e
			}
		}
	}
	return nil
}

// describedBefore returns the one person with a name who was called so in earlier
// sessions, "my cousin Sasha"; nil where that was nobody or several.
func (v *resolver) describedBefore(head string, plural bool) *ent {
	if !words().kin[head] || plural {
		return nil
	}
	var found *ent
	for n := range v.r.Known {
		e := v.ents[n].is()
		if e.owner != nil || len(e.names) == 0 || e.speaker != "" || e.plural || !slices.ContainsFunc(e.heads, func(h string) bool { return kinKey(h) == kinKey(head) }) {
			continue
		}
		if found != nil {
			return nil
		}
		found = e
	}
	return found
}

func joined(names [][]string) []string {
	var out []string
	for _, n := range names {
		out = append(out, strings.Join(n, " "))
	}
	return out
}

// owned returns the last entity of an owner with a head.
func (v *resolver) owned(owner *ent, head string) *ent {
	owner = owner.is()
	key := kinKey(head)
	for n := len(v.ents) - 1; n >= 0 && n >= len(v.ents)-256; n-- {
		e := v.ents[n].is()
		if e.owner == nil || e.owner.is() != owner {
			continue
		}
		for _, h := range e.heads {
			if kinKey(h) == key {
				return e
			}
		}
	}
	return nil
}

// contrast reports whether a phrase tells its entity from one that was mentioned
// before.
func (v *resolver) contrast(i int, c chunk) bool {
	for _, w := range v.sents[i].low[c.start:c.head] {
		switch w {
		case "other", "another", "different", "new", "second", "next", "younger", "older", "elder":
			return true
		}
	}
	return false
}

// definite returns what "the hotel", "that place" or "the same restaurant as last
// time" was mentioned as before.
func (v *resolver) definite(i int, c chunk, head string, plural bool) *ent {
	s := &v.sents[i]
	if v.contrast(i, c) {
		return nil
	}
	kind := kindOf(head)
	_, person := words().people[head]
	nation := ""
	same := false
	for k := c.start; k < c.head; k++ {
		if words().nations[s.low[k]] {
			nation = s.low[k]
		}
		same = same || s.low[k] == "same" || s.low[k] == "last" || s.low[k] == "previous"
	}
	again := same && (s.word(c.head+1) == "as" || s.word(c.head+1) == "again" || s.low[c.start] == "that" || s.word(c.start+1) == "last" || s.word(c.start+1) == "previous")
	if again {
		if e := v.lastOf(head, kind); e != nil {
			return e
		}
	}
	var best *ent
	score := 0.0
	var done []*ent
	for n := len(v.order) - 1; n >= 0 && n >= len(v.order)-2*maxLook; n-- {
		o := v.order[n]
		e := o.ent.is()
		if i-o.sentence > maxDistance && kind == "" && !person || i-o.sentence > 3*maxDistance {
			break
		}
		if slices.Contains(done, e) || e.value != "" || e.plural != plural || e.speaker != "" {
			continue
		}
		fit := e.goesBy(head, kind)
		if fit <= 0 || kind == "" && (e.owner != nil || s.word(c.head+1) == "of") {
			continue
		}
		done = append(done, e)
		if nation != "" && len(e.names) == 0 && !strings.Contains(e.label, nation) {
			fit -= 0.5
		}
		if x := fit - 0.1*float64(i-o.sentence); best == nil || x > score {
			best, score = e, x
		}
	}
	if best != nil {
		return best
	}
	if kind == "" && !person {
		return nil
	}
	return v.lastOf(head, kind)
}

// lastOf returns the last entity of earlier sessions that a noun fits, those with
// names first.
func (v *resolver) lastOf(head, kind string) *ent {
	var loose *ent
	for n, looked := len(v.r.Known)-1, 0; n >= 0 && looked < 4*maxKnown; n, looked = n-1, looked+1 {
		e := v.ents[n].is()
		if e.value != "" || e.plural || e.speaker != "" {
			continue
		}
		if fit := e.goesBy(head, kind); fit >= 0.6 {
			if len(e.names) > 0 {
				return e
			}
			if loose == nil {
				loose = e
			}
		}
	}
	return loose
}

// goesBy says how well a noun fits an entity: 1 where it was called so, less
// where it only could be, 0 for not.
func (e *ent) goesBy(head, kind string) float64 {
	if slices.Contains(e.heads, head) {
		return 1
	}
	if kind != "" && slices.Contains(e.kinds, kind) && kind != "place" {
		return 0.9
	}
	for _, h := range e.heads {
		if kinKey(h) == kinKey(head) {
			return 0.9
		}
	}
	if e.person() || e.typ == "NORP" {
		return 0
	}
	if kind == "place" && e.typ != "GPE" && e.placelike() {
		return 0.7
	}
	if kind != "" && words().places[head] != "" && kind != "town" && e.typ == "FAC" && len(e.kinds) == 0 {
		return 0.6
	}
	if kind == "town" && e.typ == "GPE" {
		return 0.7
	}
	return 0
}
