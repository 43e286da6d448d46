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

// Bounds of the search for an antecedent.
const (
	maxLook     = 48 // mentions
	maxDistance = 12 // sentences
	maxKnown    = 64 // entities of earlier sessions
)

// A want is what a pronoun asks of its antecedent.
type want string

const (
	him   want = "him"
	her   want = "her"
	it    want = "it"
	them  want = "them"
	there want = "there"
)

// pronouns are those of the third person.
var pronouns = map[string]want{
	"he": him, "him": him, "his": him, "himself": him, "she": her, "her": her, "hers": her, "herself": her, "it": it, "its": it, "itself": it,
	"they": them, "them": them, "their": them, "theirs": them, "themselves": them, "there": there,
}

var genders = map[want]annotate.Gender{him: annotate.Masculine, her: annotate.Feminine}

// pronoun resolves a pronoun and returns what it stands for; nil if that is
// nothing that was mentioned.
func (v *resolver) pronoun(i, at int, possessive bool) *ent {
	s := &v.sents[i]
	speaker := v.r.Utterances[s.Utterance].Speaker
	var e *ent
	switch w := s.low[at]; w {
	case "i", "me", "my", "mine", "myself":
		e = v.participant(speaker)
	case "you", "your", "yours", "yourself":
		if w == "you" && (s.word(at+1) == "know" && s.is(at+2, "", ",", ".", "what") || s.is(at+1, "guys", "two", "all", "both", "folks", "people")) {
			return nil // addresses nobody
		}
		e = v.addressee(s.Utterance)
	case "we", "us", "our", "ours", "ourselves":
		if w == "us" && s.word(at-1) == "let" {
			return nil
		}
		if v.groups[speaker] == nil {
			v.groups[speaker] = v.newEnt(speaker+andOthers, "PERSON")
			v.groups[speaker].plural = true
		}
		e = v.groups[speaker]
	default:
		asked := pronouns[w]
		if asked == "" || w == "it" && s.pleonastic(at) {
			return nil
		}
		e = v.antecedent(i, at, asked, possessive)
		gender := genders[asked]
		if e == nil && gender != "" { // somebody whom the session does not name yet
			e = v.newEnt(s.Tokens[at].Text, "PERSON")
		}
		if e != nil && gender != "" && e.gender == "" {
			e.gender = gender
		}
	}
	if e == nil {
		return nil
	}
	return v.mention(e, annotate.Mention{Sentence: i, Span: annotate.Span{Start: at, End: at + 1}, Kind: annotate.Pronominal}, at, 0)
}

// pleonastic reports whether "it" stands for nothing: weather, time, "it seems
// that", "it is hard to".
func (s *sentence) pleonastic(at int) bool {
	i := at + 1
	for s.pos(i) == "MD" || adverb(s.pos(i)) || auxiliary(s.lemma(i)) || s.word(i) == "'s" {
		i++
	}
	w, be := s.word(i), i > at+1 || s.lemma(at-1) == "be"
	switch {
	case s.is(at-1, "make", "made", "got") && (s.pos(i) == "IN" || s.pos(i) == "." || s.pos(i) == "CD"), s.word(at-1) == "get" && s.is(at-2, "i", "n't"):
		return true // "I get it"
	case s.is(i, "rain", "raining", "rains", "rained", "snow", "snowing", "snows", "snowed", "seem", "seems", "seemed", "matter", "matters", "takes", "took", "take", "depends", "turns", "turned"):
		return true
	case !be:
		return false
	case adjective(s.pos(i)):
		return s.is(i+1, "that", "if", "when", "how") || s.word(i+1) == "to" && verb(s.pos(i+2)) || s.is(i, "okay", "ok", "fine", "alright", "true", "sad", "funny", "strange", "weird", "crazy", "sunny", "windy", "late")
	}
	return s.timely(i) || w == "like" || w == "time"
}

// antecedent returns the entity that a pronoun most likely stands for: of those
// that agree with it the most salient, by how near, in what role and how it was
// mentioned; of those of earlier sessions the last.
func (v *resolver) antecedent(i, at int, w want, possessive bool) *ent {
	s := &v.sents[i]
	utterance := s.Utterance
	talks := func(e *ent) bool { // with whom, and of whom one says "I" and "you"
		return e == v.participant(v.r.Utterances[utterance].Speaker) || e == v.addressee(utterance) && e.speaker != ""
	}
	subject := strings.HasPrefix(s.Dependencies[at].Label, "nsubj")
	reflexive := strings.HasSuffix(s.low[at], "self") || strings.HasSuffix(s.low[at], "selves")
	var best *ent
	score := 0.0
	var done []*ent
	for n := len(v.order) - 1; n >= 0 && n >= len(v.order)-maxLook; n-- {
		o := v.order[n]
		e := o.ent
		if i-o.sentence > maxDistance {
			break
		}
		if slices.Contains(done, e) || talks(e) {
			continue
		}
		if o.sentence == i && !reflexive && s.siblings(o.token, at, possessive) {
			if !possessive {
				done = append(done, e)
			}
			continue
		}
		fit := w.fits(e)
		if fit == never {
			continue
		}
		done = append(done, e)
		x := fit + o.weight + o.role - 0.6*float64(i-o.sentence) + 0.05*float64(min(len(e.mentions), 6))
		if subject && o.role >= 0.5 {
			x += 0.2
		}
		if len(e.names) > 0 {
			x += 0.3
		}
		if best == nil || x > score {
			best, score = e, x
		}
	}
	if best != nil {
		return best
	}
	for n := len(v.r.Known) - 1; n >= max(0, len(v.r.Known)-maxKnown); n-- {
		e := v.ents[n]
		if talks(e) || e.speaker != "" || w == it && len(e.names) == 0 && len(e.kinds) == 0 {
			continue
		}
		switch fit := w.fits(e); {
		case fit >= 1:
			return e
		case fit >= 0 && best == nil:
			best = e
		}
	}
	return best
}

// siblings reports whether two tokens depend on the same predicate, so that a
// plain pronoun cannot stand for the other. An owner in what is said of a subject
// cannot either: "she is their lawyer".
func (s *sentence) siblings(a, b int, possessive bool) bool {
	x, y := s.Dependencies[a], s.Dependencies[b]
	return x.Head == y.Head && x.Head >= 0 && x.Label != "conj" && y.Label != "conj" && (!possessive || x.Label == "nsubj")
}

// never is a fit that rules an entity out.
const never = -9

// fits says how well an entity agrees with a pronoun: 1 for well, less for
// perhaps, never for not.
func (w want) fits(e *ent) float64 {
	named := len(e.names) > 0
	switch {
	case e.value != "" && w == it && e.typ == "CODE" && letters(e.label):
		return 0.6 // a train goes by its number
	case e.value != "", e.plural && w != them:
	case w == there && !e.person() && e.placelike():
		return 1
	case w == it && !e.person() && e.gender != annotate.Masculine && e.gender != annotate.Feminine:
		switch {
		case e.typ == "GPE":
			return 0.3
		case e.typ == "ORG" && len(e.kinds) == 0:
			return 0.5
		case named || len(e.kinds) > 0:
			return 1
		}
		return 0.3
	case (w == him || w == her) && e.person() && e.gender == "":
		return 0.4
	case w == him && e.person() && e.gender == annotate.Masculine, w == her && e.person() && e.gender == annotate.Feminine:
		return 1
	case w == them && e.plural && e.person():
		return 1.2
	case w == them && e.plural:
		return 0.9
	case w == them && e.typ != "GPE":
		switch {
		case e.person():
			return -2
		case named || e.placelike():
			return 0.5
		case slices.ContainsFunc(e.heads, func(h string) bool { return words().groups[h] }):
			return 0.8
		}
	}
	return never
}
