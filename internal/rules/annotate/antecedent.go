package annotate

import (
	"slices"
	"strings"

	"recallbench/internal/door/annotate"
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
