package reader

import (
	"cmp"
	"slices"
	"strings"
)

// How much a mention counts by where it stands, from 0 to 1.
const (
	laterWeight = 0.95 // behind the type and name of a node
	labelWeight = 0.20 // as the label of a field
	asideWeight = 0.45 // beside the matter: "near the park"
)

// How many words a denial and a preposition reach.
const (
	denyReach  = 4
	asideReach = 3
)

// A mention is a term of a premise. The weight is in (0, 1].
type mention struct {
	term   uint64
	weight float32
}

// An activation says how far a premise speaks of a concept.
type activation struct {
	concept uint16
	level   float32
	named   bool // by a word that names it
}

// A premise is an analysed text. All lists are sorted, and hold a key once.
type premise struct {
	terms  []mention // stems, phrases and roots
	denied []mention // the same, of what the text denies
	active []activation
	absent []activation // concepts that it denies
}

// weightOf returns the weight of a term in a list, 0 where it is not there.
func weightOf(list []mention, term uint64) float64 {
	i, ok := slices.BinarySearchFunc(list, term, func(m mention, t uint64) int { return cmp.Compare(m.term, t) })
	if !ok {
		return 0
	}
	return float64(list[i].weight)
}

// activated returns the activation of a concept in a list.
func activated(list []activation, c uint16) activation {
	i, ok := slices.BinarySearchFunc(list, c, func(a activation, c uint16) int { return cmp.Compare(a.concept, c) })
	if !ok {
		return activation{}
	}
	return list[i]
}

// analyse reads a premise.
func (e *Entailer) analyse(text string) *premise {
	d := &desk{levels: make([]level, len(e.lexicon.concepts))}
	d.tokens = e.tokens(strings.ToValidUTF8(text, " "))
	place(d.tokens)
	scope(d.tokens)
	return e.collect(d)
}

// A desk is what an analysis works on.
type desk struct {
	tokens []lexeme
	levels []level // of each concept
	premise
}

// place weighs words by the part of a node's text that they stand in. Up to
// three words before a colon are a label: of a field, or of a node's type when
// they begin with a capital.
func place(tokens []lexeme) {
	start, later := 0, false
	for i := range tokens {
		t := &tokens[i]
		if t.mark == colon {
			if i-start <= 3 && !tokens[start].upper {
				for j := start; j < i; j++ {
					tokens[j].weight = labelWeight
				}
			}
			start = i
		}
		if t.mark == segment {
			start, later = i, true
		}
		if later {
			t.weight = laterWeight
		}
	}
}

// scope finds what is denied and what is only nearby. "nut-free" denies the
// word before it.
func scope(tokens []lexeme) {
	deny, aside := 0, 0
	for i := range tokens {
		t := &tokens[i]
		if t.mark >= comma && t.mark != either {
			deny, aside = 0, 0
		}
		switch {
		case t.deny:
			// "non-stop" denies one word.
			deny = denyReach
			continue
		case t.aside:
			aside = asideReach
			continue
		case t.low == "free" && t.joined:
			tokens[i-1].denied = true
			continue
		case t.low == "but" || t.low == "with":
			deny, aside = 0, 0
		}
		if t.class != content {
			continue
		}
		if deny > 0 {
			t.denied = true
			deny--
		}
		if aside > 0 {
			t.weight *= asideWeight
			aside--
		}
	}
}

// A level gathers what a premise says about a concept.
type level struct {
	best  float32
	named bool
}

// collect gathers the terms and concepts of the tokens.
func (e *Entailer) collect(d *desk) *premise {
	for tokens := d.tokens; len(tokens) > 0; {
		links, h, n := e.phrase(tokens)
		part := tokens[:n]
		tokens = tokens[n:]
		weight, denied := part[0].weight, false
		for _, t := range part {
			weight = min(weight, t.weight)
			denied = denied || t.denied
		}
		d.mention(part, h, weight, denied)
		if denied {
			for _, l := range links {
				d.absent = append(d.absent, activation{concept: l.concept, level: l.strength * weight, named: l.name})
			}
			continue
		}
		for _, l := range links {
			d.levels[l.concept].add(l, weight)
		}
	}
	e.exclude(d)
	for c := range d.levels {
		if l := &d.levels[c]; l.best > 0 {
			d.active = append(d.active, activation{concept: uint16(c), level: l.best, named: l.named})
		}
	}
	return d.finished()
}

// mention records the words of a phrase and the phrase.
func (d *desk) mention(part []lexeme, h uint64, weight float32, denied bool) {
	list := &d.terms
	if denied {
		list = &d.denied
	}
	if len(part) > 1 {
		*list = append(*list, mention{term: h, weight: weight})
	}
	for _, t := range part {
		if t.class != content {
			continue
		}
		*list = append(*list, mention{term: t.stem, weight: weight})
	}
}

// add takes in that a term of the premise belongs to the concept.
func (l *level) add(k link, weight float32) {
	l.named = l.named || k.name && weight > labelWeight
	l.best = max(l.best, min(maxLevel, k.strength*weight))
}

// maxLevel is the highest level of a concept.
const maxLevel = 0.92

// excludedFactor is what is left of a concept that a premise denies: of meat in
// a "vegan burger".
const excludedFactor = 0.25

// exclude lowers the concepts that a premise denies, by naming them ("no nuts")
// or an absence ("vegetarian").
func (e *Entailer) exclude(d *desk) {
	for _, a := range d.absent {
		if a.named {
			d.levels[a.concept].best *= excludedFactor
		}
	}
	for c, l := range d.levels {
		if !l.named {
			continue
		}
		for _, a := range e.lexicon.concepts[c].absent {
			d.levels[a].best *= excludedFactor
			d.absent = append(d.absent, activation{concept: a, level: l.best})
		}
	}
}

// finished returns the premise that lies on the desk, with its lists sorted and
// the strongest of equals kept.
func (d *desk) finished() *premise {
	return &premise{
		terms:  tidy(d.terms, func(a, b mention) int { return cmp.Compare(a.term, b.term) }, func(m mention) float32 { return m.weight }),
		denied: tidy(d.denied, func(a, b mention) int { return cmp.Compare(a.term, b.term) }, func(m mention) float32 { return m.weight }),
		absent: tidy(d.absent, func(a, b activation) int { return cmp.Compare(a.concept, b.concept) }, func(a activation) float32 { return a.level }),
		active: d.active, // made in order
	}
}

// tidy returns a list sorted by key, with the element of the largest value of
// those with one key.
func tidy[E any](list []E, key func(a, b E) int, value func(E) float32) []E {
	slices.SortFunc(list, func(a, b E) int {
		if c := key(a, b); c != 0 {
			return c
		}
		return cmp.Compare(value(b), value(a))
	})
	return slices.CompactFunc(list, func(a, b E) bool { return key(a, b) == 0 })
}
