package multiwozlong

import (
	"slices"
	"strings"

	"recallbench/datasets/multiwoz"
)

// The categories of questions.
const (
	catSettled   = "settled"
	catUpdated   = "updated"
	catEllipsis  = "ellipsis"
	catReference = "reference"
)

// A candidate is a question that could be asked.
type candidate struct {
	category string
	how      how
	kind     string // of the entity, which is the service
	slot     string
	entity   string // its key
	fact     statement
	// evidence are the turns beside the fact's that the answer rests on.
	evidence []place
	// session is the one that settles the answer, from 0.
	session int
	// names are what the entity asked about is called, the one in the question
	// first.
	names []string
	// table holds the sentences, and phrase what stands for {}.
	table  []string
	phrase string
}

// changeable are slots of which a later value replaces an earlier one. Of others
// two values are a contradiction, and neither is asked for.
var changeable = []string{"booktime", "bookday", "bookpeople", "bookstay", "day", "leaveat", "arriveby", "ref"}

// A record is what is told of a slot of an entity in a conversation.
type record struct {
	entity, slot string
	told         []statement // in order
}

// records groups what is told, in the order of first telling.
func (v *conversation) records() []record {
	var all []record
	index := make(map[[2]string]int)
	for _, s := range v.told {
		k := [2]string{s.entity, s.slot}
		i, ok := index[k]
		if !ok {
			i = len(all)
			index[k] = i
			all = append(all, record{entity: s.entity, slot: s.slot})
		}
		all[i].told = append(all[i].told, s)
	}
	return all
}

// newest returns the statement that settles the slot, and whether it replaced
// another value. It is none where the last word is a wish, where the value is told
// in several sessions, so that nothing says how far back it is, where it does not
// stand literally in its turn, or where an earlier value came back.
func (r record) newest() (s statement, changed, ok bool) {
	last := r.told[len(r.told)-1]
	session, literal, isSettled := last.session, false, false
	for _, t := range r.told {
		switch {
		case t.value != last.value:
			changed = true
			if literal || isSettled {
				return statement{}, false, false // it came back
			}
			continue
		case t.session != session:
			return statement{}, false, false
		}
		isSettled = isSettled || t.settled
		if t.end > 0 && !literal {
			s, literal = t, true
		}
	}
	for _, t := range r.told {
		if t.value != last.value && accepts(last, t.value) {
			return statement{}, false, false
		}
	}
	if !last.settled && !isSettled || !literal || changed && !slices.Contains(changeable, r.slot) {
		return statement{}, false, false
	}
	s.variants = append(slices.Clone(s.variants), last.variants...)
	return s, changed, true
}

// accepts tells whether a value is among the variants of a statement.
func accepts(s statement, value string) bool {
	c := classes[s.slot]
	for _, w := range s.variants {
		if other, ok := c.canonical(w); ok && other == value {
			return true
		}
	}
	return false
}

// candidates returns the questions that could be asked of a conversation, in the
// order in which their answers are told.
func (v *conversation) candidates() []candidate {
	var all []candidate
	last := v.last()
	for _, r := range v.records() {
		fact, changed, ok := r.newest()
		if !ok {
			continue
		}
		kind := kindOf(r.entity)
		c := candidate{kind: kind, slot: r.slot, entity: r.entity, fact: fact, session: fact.session}
		if c.names, ok = v.names(&c); !ok {
			continue
		}
		byNames := c
		byNames.how, byNames.phrase = byName, c.names[0]
		named := v.alone(r.entity) || kind == "train" || kind == "taxi"
		switch phrase := sentence(phrases, kind, r.slot); {
		case !named:
		case changed && phrase != "":
			byNames.category, byNames.table = catUpdated, updated
			byNames.phrase = strings.ReplaceAll(phrase, "{}", byNames.phrase)
			all = append(all, byNames)
		case !changed:
			byNames.category, byNames.table = catSettled, sentences(settled, kind, r.slot)
			all = append(all, byNames)
		}
		if last[kind] == r.entity && !changed {
			all = append(all, references(c)...)
		}
	}
	all = append(all, v.venueNames()...)
	all = append(all, v.sameAgain()...)
	return slices.DeleteFunc(all, func(c candidate) bool { return len(c.table) == 0 })
}

func sentence(table map[string]string, kind, slot string) string {
	if s := table[kind+" "+slot]; s != "" {
		return s
	}
	return table[slot]
}

// references asks about what was mentioned last of its kind by a description and
// by a pronoun.
func references(c candidate) []candidate {
	c.category, c.how = catReference, byNominal
	var all []candidate
	c.table = sentences(settled, c.kind, c.slot)
	for _, d := range descriptions[c.kind] {
		c.phrase = d
		all = append(all, c)
	}
	c.how, c.phrase, c.table = byPronoun, "", pronouns[c.kind+" "+c.slot]
	return append(all, c)
}

// names returns what the entity of a candidate is called, and makes the turn that
// names it evidence where the fact's turn does not.
func (v *conversation) names(c *candidate) ([]string, bool) {
	if c.kind == "train" || c.kind == "taxi" {
		from, _, _ := strings.Cut(c.entity[strings.Index(c.entity, ":")+1:], " > ")
		name := journeyName(c.entity)
		if c.slot == "destination" {
			name = "the " + c.kind + " from " + title(from)
			for _, s := range v.told {
				if s.entity != c.entity && strings.HasPrefix(s.entity, c.kind+":"+from+" > ") {
					return nil, false // from there another goes elsewhere
				}
			}
		}
		return []string{name}, true
	}
	name := v.called(c.entity)
	if name == "" {
		return nil, false
	}
	names := []string{name}
	var near *place
	for i, m := range v.mentions {
		if m.key != c.entity {
			continue
		}
		if m.how == byName {
			if s := v.text(m.session, m.turn)[m.start:m.end]; !slices.Contains(names, s) {
				names = append(names, s)
			}
		}
		if m.how == byName && v.chain[m.session].story == c.fact.story && m.turn <= c.fact.turn {
			near = &v.mentions[i]
		}
	}
	if near == nil {
		return nil, false // only named later: the fact's turn does not say whose it is
	}
	if near.turn != c.fact.turn {
		c.evidence = append(c.evidence, *near)
	}
	return names, true
}

// last returns the entity of each kind that the conversation mentions last; none
// for a kind where the last turn mentions several.
func (v *conversation) last() map[string]string {
	all := make(map[string]string)
	where := make(map[string][2]int)
	note := func(kind, key string, session, turn int) {
		at := [2]int{session, turn}
		if w, ok := where[kind]; ok && w == at && all[kind] != key {
			key = "" // several
		}
		all[kind], where[kind] = key, at
	}
	for _, m := range v.mentions {
		note(m.kind(), m.key, m.session, m.turn)
	}
	// Journeys have no names: the dialogue says which is spoken of.
	for i, p := range v.chain {
		for turn := p.from; turn < p.to; turn++ {
			for _, kind := range []string{"train", "taxi"} {
				if !slices.ContainsFunc(p.Turns[turn].Acts, func(a multiwoz.Act) bool { return strings.HasPrefix(strings.ToLower(a.Name), kind+"-") }) {
					continue
				}
				key := ""
				for _, a := range p.told {
					if kindOf(a.entity) == kind {
						if key != "" && key != a.entity {
							key = ""
							break
						}
						key = a.entity
					}
				}
				note(kind, key, i, turn)
			}
		}
	}
	return all
}

// venueNames asks for the names of restaurants and hotels by what was booked
// there.
func (v *conversation) venueNames() []candidate {
	var all []candidate
	for _, r := range v.bookings {
		by := described(r)
		if by == "" || slices.ContainsFunc(v.bookings, func(o reservation) bool {
			return o.kind == r.kind && (o.story != r.story || o.turn != r.turn) && (described(o) == by || described(o) == "")
		}) {
			continue
		}
		c, ok := v.venue(r)
		if !ok {
			continue
		}
		c.category, c.how = catSettled, byNominal
		c.table, c.phrase = settled[r.kind+" name"], by
		all = append(all, c)
	}
	return all
}

// described says what tells a booking from others; empty where it is not known.
func described(r reservation) string {
	day, ok := r.details["bookday"]
	if !ok || day.end == 0 {
		return ""
	}
	switch r.kind {
	case "restaurant":
		if t, ok := r.details["booktime"]; ok && t.end > 0 {
			return day.value + " at " + t.value
		}
	case "hotel":
		if n, ok := r.details["bookstay"]; ok && n.end > 0 {
			if n.value == "1" {
				return "from " + day.value + " for 1 night"
			}
			return "from " + day.value + " for " + n.value + " nights"
		}
	}
	return ""
}

// venue asks for the name of what was booked. The turn that names it must be of
// the session in which it was booked.
func (v *conversation) venue(r reservation) (candidate, bool) {
	var at *place
	names := []string{v.called(r.entity)}
	for i, m := range v.mentions {
		if m.key == r.entity && m.how == byName {
			if m.session == r.session && m.turn <= r.turn {
				at = &v.mentions[i]
			}
			if s := v.text(m.session, m.turn)[m.start:m.end]; !slices.Contains(names, s) {
				names = append(names, s)
			}
		}
	}
	if at == nil {
		return candidate{}, false
	}
	c := candidate{kind: r.kind, slot: "name", entity: r.entity, session: r.session, names: names}
	c.fact = statement{
		assertion: assertion{entity: r.entity, slot: "name", value: names[0], variants: names[1:], turn: at.turn, settled: true, start: at.start, end: at.end},
		session:   r.session, story: r.story,
	}
	if at.turn != r.turn {
		c.evidence = append(c.evidence, place{session: r.session, turn: r.turn})
	}
	return c, true
}

// sameAgain asks for what the last booking of each kind had.
func (v *conversation) sameAgain() []candidate {
	var all []candidate
	for _, kind := range []string{"restaurant", "hotel", "train"} {
		var r *reservation
		for i := range v.bookings {
			if v.bookings[i].kind == kind {
				r = &v.bookings[i]
			}
		}
		if r == nil || v.later(*r) {
			continue
		}
		for _, slot := range []string{"bookday", "bookpeople", "bookstay", "booktime", "day"} {
			fact, ok := r.details[slot]
			if !ok || fact.end == 0 {
				continue
			}
			c := candidate{
				category: catEllipsis, how: byOmitted, kind: kind, slot: slot, entity: r.entity,
				fact: fact, session: fact.session, table: omitted[kind+" "+slot],
			}
			if c.names, ok = v.names(&c); ok {
				all = append(all, c)
			}
		}
		if kind == "train" {
			continue
		}
		if c, ok := v.venue(*r); ok {
			c.category, c.how, c.table = catEllipsis, byOmitted, omitted[kind+" name"]
			all = append(all, c)
		}
	}
	return all
}

// later tells whether something was to be booked of the kind after the last
// booking, so that "last time" could mean that.
func (v *conversation) later(r reservation) bool {
	for i := r.session; i < len(v.chain); i++ {
		p := v.chain[i]
		for turn := p.from; turn < p.to; turn++ {
			if i == r.session && turn <= r.turn {
				continue
			}
			for _, a := range p.Turns[turn].Acts {
				service, _, _ := strings.Cut(strings.ToLower(a.Name), "-")
				if a.Slot == "ref" && a.Value != "?" && (service == r.kind || service == "booking" && booking(&p.Turns[turn-1]) == r.kind) {
					return true
				}
			}
			for _, s := range p.Turns[turn].States {
				if s.Service == r.kind && p.story != r.story && (s.Intent == "book_"+r.kind || len(s.Value(r.kind+"-bookpeople")) > 0) {
					return true
				}
			}
		}
	}
	return slices.ContainsFunc(v.told, func(s statement) bool {
		return kindOf(s.entity) == r.kind && strings.HasPrefix(s.slot, "book") && (s.session > r.session || s.session == r.session && s.turn > r.turn)
	})
}
