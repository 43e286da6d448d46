package multiwozlong

import (
	"slices"
	"strings"
)

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
		for _, slot := range []string{"bookday", "booktime", "bookstay"} {
			if d, ok := r.details[slot]; ok {
				c.evidence = append(c.evidence, place{session: d.session, turn: d.turn})
			}
		}
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
				if a.Slot == "ref" && a.Value != "?" && (service == r.kind || service == "booking" && turn > 0 && booking(&p.Turns[turn-1]) == r.kind) {
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
		return kindOf(s.entity) == r.kind && (strings.HasPrefix(s.slot, "book") || s.slot == "day") &&
			(s.session > r.session || s.session == r.session && s.turn > r.turn)
	})
}
