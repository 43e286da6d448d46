package annotaterules

import (
	"slices"
	"strings"

	"recallbench/internal/annotate"
)

// Bounds of the search for an antecedent.
const (
	maxLook     = 48 // mentions
	maxDistance = 12 // sentences
	maxKnown    = 64 // entities of earlier sessions
)

// A want is what a pronoun asks of its antecedent.
type want struct {
	gender annotate.Gender
	plural bool
	person bool
	thing  bool
	place  bool
}

// pronounWants are the pronouns of the third person.
var pronounWants = map[string]want{
	"he": {gender: annotate.Masculine, person: true}, "him": {gender: annotate.Masculine, person: true}, "his": {gender: annotate.Masculine, person: true}, "himself": {gender: annotate.Masculine, person: true},
	"she": {gender: annotate.Feminine, person: true}, "her": {gender: annotate.Feminine, person: true}, "hers": {gender: annotate.Feminine, person: true}, "herself": {gender: annotate.Feminine, person: true},
	"it": {gender: annotate.Neuter, thing: true}, "its": {gender: annotate.Neuter, thing: true}, "itself": {gender: annotate.Neuter, thing: true},
	"they": {plural: true}, "them": {plural: true}, "their": {plural: true}, "theirs": {plural: true}, "themselves": {plural: true},
	"there": {place: true},
}

// pronoun resolves a pronoun and returns what it stands for; nil where that is
// nothing that was mentioned.
func (v *resolver) pronoun(i, at int, possessive bool) *ent {
	s := &v.sents[i]
	m := annotate.Mention{Sentence: i, Span: annotate.Span{Start: at, End: at + 1}, Kind: annotate.Pronominal}
	u := s.Utterance
	speaker := v.r.Utterances[u].Speaker
	var e *ent
	switch w := s.low[at]; w {
	case "i", "me", "my", "mine", "myself":
		e = v.participant(speaker)
	case "you", "your", "yours", "yourself":
		if w == "you" && s.generic(at) {
			return nil
		}
		e = v.addressee(u)
	case "we", "us", "our", "ours", "ourselves":
		if w == "us" && s.word(at-1) == "let" {
			return nil
		}
		e = v.group(speaker)
	default:
		want, ok := pronounWants[w]
		if !ok || w == "it" && s.pleonastic(at) {
			return nil
		}
		e = v.antecedent(i, at, want, possessive)
		if e != nil && want.gender != "" && want.gender != annotate.Neuter && e.is().gender == "" {
			e.is().gender = want.gender
		}
		if e == nil && want.person { // somebody whom the session does not name yet
			e = v.newEnt(s.Tokens[at].Text, "PERSON")
			e.gender = want.gender
		}
	}
	if e == nil {
		return nil
	}
	return v.mention(e, m, at, 0)
}

// generic reports whether "you" addresses nobody: "you know", "you guys".
func (s *sentence) generic(at int) bool {
	switch s.word(at + 1) {
	case "know":
		return s.pos(at+2) == "," || at+2 >= len(s.Tokens) || s.pos(at+2) == "." || s.word(at+2) == "what"
	case "guys", "two", "all", "both", "folks", "people", "three":
		return true
	}
	return false
}

// pleonastic reports whether "it" stands for nothing: weather, time, "it seems
// that", "it is hard to".
func (s *sentence) pleonastic(at int) bool {
	i := at + 1
	for i < len(s.Tokens) && (s.pos(i) == "MD" || strings.HasPrefix(s.pos(i), "RB") || s.low[i] == "does" || s.low[i] == "did" || s.low[i] == "'s" || s.Tokens[i].Lemma == "be" || s.Tokens[i].Lemma == "have") {
		i++
	}
	if at > 0 && (s.word(at-1) == "make" || s.word(at-1) == "made" || s.word(at-1) == "got") && (s.pos(i) == "IN" || s.pos(i) == "." || s.pos(i) == "CD") {
		return true
	}
	if at > 0 && s.word(at-1) == "get" && (s.word(at-2) == "i" || s.word(at-2) == "n't") {
		return true // "I get it"
	}
	be := i > at+1
	if !be && at > 0 && s.Tokens[at-1].Lemma == "be" {
		be = true
	}
	w := s.word(i)
	switch w {
	case "rain", "raining", "rains", "rained", "snow", "snowing", "snows", "snowed", "seem", "seems", "seemed", "matter", "matters", "sunny", "windy", "late", "time", "depends", "turns", "turned", "hot", "cold":
		return w != "hot" && w != "cold" && w != "late" || be && s.pos(i+1) != "NN" && (s.pos(i+1) == "." || s.word(i+1) == "today" || s.word(i+1) == "outside")
	case "takes", "took", "take":
		return true
	}
	if !be {
		return false
	}
	if strings.HasPrefix(s.pos(i), "JJ") || s.pos(i) == "VBN" && s.word(i) == "said" {
		for k := i + 1; k < min(i+4, len(s.Tokens)); k++ {
			switch s.low[k] {
			case "that", "if", "when", "how", "what":
				return true
			case "to":
				return verb(s.pos(k + 1))
			case "for":
				return s.pos(k+1) == "PRP"
			}
		}
		switch w {
		case "okay", "ok", "fine", "alright", "true", "sad", "funny", "strange", "weird", "crazy":
			return true
		}
	}
	return i < len(s.Tokens) && s.timely(i) || w == "like" || w == "just" && s.word(i+1) == "that"
}

// addressee returns the participant whom an utterance is said to; nil where that
// is open.
func (v *resolver) addressee(u int) *ent {
	us := v.r.Utterances
	speaker := us[u].Speaker
	// Somebody else spoke just before, or answers.
	for d := 1; d <= 3; d++ {
		if u-d >= 0 && us[u-d].Speaker != speaker {
			return v.participant(us[u-d].Speaker)
		}
		if u+d < len(us) && us[u+d].Speaker != speaker {
			return v.participant(us[u+d].Speaker)
		}
	}
	// A request of one voice: the other participant, where only one is known.
	var other *ent
	for i := range v.r.Known {
		if k := &v.r.Known[i]; k.Speaker && k.Name != speaker {
			if other != nil {
				return nil
			}
			other = v.speakers[k.Name]
		}
	}
	return other
}

// group returns those whom a speaker means by "we".
func (v *resolver) group(speaker string) *ent {
	e := v.groups[speaker]
	if e == nil {
		e = v.newEnt(speaker+andOthers, "PERSON")
		e.plural = true
		v.groups[speaker] = e
	}
	return e.is()
}

// antecedent returns the entity that a pronoun most likely stands for: of those
// that agree with it the most salient, by how near, in what role and how it was
// mentioned; of those of earlier sessions the last.
func (v *resolver) antecedent(i, at int, w want, possessive bool) *ent {
	s := &v.sents[i]
	speaker := v.speakers[v.r.Utterances[s.Utterance].Speaker].is()
	other := v.addressee(s.Utterance)
	role := ""
	if at < len(s.Dependencies) {
		role = s.Dependencies[at].Label
	}
	placed := w.plural && possessive && s.ofPlaces(at)
	var best *ent
	score := 0.0
	var done []*ent
	for n := len(v.order) - 1; n >= 0 && n >= len(v.order)-maxLook; n-- {
		o := v.order[n]
		e := o.ent.is()
		if i-o.sentence > maxDistance {
			break
		}
		if slices.Contains(done, e) || e == speaker || e == other && e.speaker != "" {
			continue
		}
		if o.sentence == i && !possessive && s.sameClause(o.token, at) && !reflexive(s.low[at]) {
			done = append(done, e)
			continue
		}
		if o.sentence == i && possessive && s.predicates(o.token, at) {
			continue
		}
		fit := w.fits(e)
		if fit == never {
			continue
		}
		done = append(done, e)
		x := fit + o.weight - 0.6*float64(i-o.sentence)
		if o.sentence == i {
			x += 0.1
		}
		switch {
		case o.subject:
			x += 0.5
			if strings.HasPrefix(role, "nsubj") {
				x += 0.2
			}
		case o.toldTo:
			x += 0.5
		case o.object:
			x += 0.3
		}
		if placed && e.placelike() {
			x++
		} else if placed {
			x--
		}
		if len(e.names) > 0 {
			x += 0.3
		}
		x += 0.05 * float64(min(len(e.mentions), 6))
		if best == nil || x > score {
			best, score = e, x
		}
	}
	if best != nil {
		return best
	}
	var loose *ent
	for n, looked := len(v.r.Known)-1, 0; n >= 0 && looked < maxKnown; n, looked = n-1, looked+1 {
		e := v.ents[n].is()
		if e == speaker || e == other || e.speaker != "" {
			continue
		}
		fit := w.fits(e)
		if fit < 0 || w.thing && len(e.names) == 0 && len(e.kinds) == 0 {
			continue
		}
		if fit >= 1 {
			return e
		}
		if loose == nil {
			loose = e
		}
	}
	return loose
}

// ofPlaces reports whether what "their" goes with is rather a place's than
// people's: "their phone number".
func (s *sentence) ofPlaces(at int) bool {
	for k := at + 1; k < min(at+4, len(s.low)); k++ {
		switch s.Tokens[k].Lemma {
		case "phone", "address", "postcode", "number", "menu", "website", "price", "food", "hour", "email", "service", "staff":
			return true
		}
	}
	return false
}

func reflexive(w string) bool { return strings.HasSuffix(w, "self") || strings.HasSuffix(w, "selves") }

// sameClause reports whether two tokens depend on the same predicate, so that a
// plain pronoun cannot stand for the other.
func (s *sentence) sameClause(a, b int) bool {
	if a >= len(s.Dependencies) || b >= len(s.Dependencies) {
		return false
	}
	x, y := s.Dependencies[a], s.Dependencies[b]
	return x.Head == y.Head && x.Head >= 0 && x.Label != "conj" && y.Label != "conj"
}

// never is a fit that rules an entity out.
const never = -9

// predicates reports whether an owner stands in what is said of a subject: "she
// is their lawyer".
func (s *sentence) predicates(subject, owner int) bool {
	if owner >= len(s.Dependencies) {
		return false
	}
	x, y := s.Dependencies[subject], s.Dependencies[owner]
	return x.Head == y.Head && x.Label == "nsubj"
}

// fits says how well an entity agrees with a pronoun: 1 for well, less for
// perhaps, never for not.
func (w want) fits(e *ent) float64 {
	if e.value != "" {
		if w.thing && e.typ == "CODE" && letters(e.label) {
			return 0.6 // a train goes by its number
		}
		return never
	}
	switch {
	case w.place:
		if e.person() || e.plural || !e.placelike() || slices.Contains(e.kinds, "street") {
			return never
		}
		return 1
	case w.thing:
		if e.person() || e.plural || e.gender == annotate.Masculine || e.gender == annotate.Feminine || slices.Contains(e.kinds, "street") {
			return never
		}
		switch {
		case e.typ == "GPE":
			return 0.3
		case e.typ == "ORG" && len(e.kinds) == 0:
			return 0.5
		case len(e.names) > 0, len(e.kinds) > 0:
			return 1
		}
		return 0.3
	case w.person:
		if !e.person() || e.plural || e.gender != "" && e.gender != w.gender {
			return never
		}
		if e.gender == "" {
			return 0.4
		}
		return 1
	case w.plural:
		switch {
		case e.plural && e.person():
			return 1.2
		case e.plural:
			return 0.9
		case e.typ == "GPE":
			return never
		case e.person():
			return -2
		case slices.Contains(e.kinds, "street"):
			return never
		case len(e.names) > 0 && e.typ != "GPE" || e.placelike():
			return 0.5
		case slices.ContainsFunc(e.heads, func(h string) bool { return words().groups[h] }):
			return 0.8
		}
	}
	return never
}

func (e *ent) placelike() bool {
	if e.typ == "FAC" || e.typ == "GPE" || e.typ == "LOC" || e.typ == "ORG" {
		return true
	}
	for _, h := range e.heads {
		if words().places[h] != "" {
			return true
		}
	}
	return false
}

// there resolves a "there" that points at a place.
func (v *resolver) there(i, at, from int) {
	e := v.antecedent(i, at, pronounWants["there"], false)
	if e == nil {
		return
	}
	v.mention(e, annotate.Mention{Sentence: i, Span: annotate.Span{Start: at, End: at + 1}, Kind: annotate.Pronominal}, at, 0)
	_ = from
}
