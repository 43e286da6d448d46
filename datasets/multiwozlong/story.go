package multiwozlong

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A story is a dialogue as the builder sees it: the mentions of each turn, and
// the facts.
type story struct {
	*dialogue
	mentions []mention // in the order of turns
	facts    []fact    // in the order of turns
	closes   []bool    // after which turns a booking or a goal is closed
}

// A fact says that a slot of an entity has a value.
type fact struct {
	entity   string // its key
	slot     string // such as "bookday", or "phone"
	value    string // canonical
	variants []string
	settled  bool // and not only wished
	spot          // that tells it
	span          // range of the value in the turn; empty if it is not literal
}

// literal reports whether the fact's turn contains its value.
func (f fact) literal() bool { return f.end > 0 }

// A teller reads a story from a dialogue.
type teller struct {
	*story
	names   *gazetteer
	current map[string]string // the current venue by kind
	wished  map[string]string // the last wish for a slot, and its entity
}

// tell reads the story of a dialogue.
func tell(d *dialogue, names *gazetteer) *story {
	t := teller{
		story: &story{dialogue: d, closes: make([]bool, len(d.turns))},
		names: names, current: make(map[string]string), wished: make(map[string]string),
	}
	for i := range d.turns {
		t.mention(i)
		if d.turns[i].user {
			t.wishes(i)
		} else {
			t.informs(i)
		}
	}
	t.journeys()
	slices.SortStableFunc(t.facts, func(a, b fact) int { return a.turn - b.turn })
	return t.story
}

// mention finds the mentions of a turn, and the current entities after it.
func (t *teller) mention(i int) {
	turn := &t.turns[i]
	text := words(turn.text)
	found := t.names.find(text)
	named := make(map[string][]string)
	for _, m := range found {
		if kind := kindOf(m.key); !slices.Contains(named[kind], m.key) {
			named[kind] = append(named[kind], m.key)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(venues)) {
		switch n := named[kind]; {
		case len(n) == 1:
			t.current[kind] = n[0]
		case len(n) > 1, turn.user && searches(turn, kind): // there is a choice, or another is looked for
			delete(t.current, kind)
		case t.current[kind] != "":
			found = append(found, indirect(turn, text, kind, t.current[kind])...)
		}
	}
	for _, m := range found {
		m.turn = i
		t.mentions = append(t.mentions, m)
	}
}

// searches reports whether a user's turn says what a venue of the kind should
// be like.
func searches(turn *utterance, kind string) bool {
	return slices.ContainsFunc(turn.acts, func(a act) bool {
		return a.service == kind && a.does == "inform" &&
			slices.Contains([]string{"area", "food", "pricerange", "type", "stars", "name"}, a.slot)
	})
}

// assert records a fact if its value is valid, with its place in the turn or else in
// one of the turns around it.
func (t *teller) assert(entity, slot string, values []string, settled bool, turn int, around ...int) {
	c := classes[slot]
	for _, v := range values {
		value, ok := c.canonical(v)
		if !ok {
			continue
		}
		f := fact{entity: entity, slot: slot, value: value, settled: settled, spot: spot{turn: turn}}
		for _, w := range values {
			if other, ok := c.canonical(w); ok && (c != clock || other == value) {
				f.variants = append(f.variants, w)
			}
		}
		for _, at := range append([]int{turn}, around...) {
			if at < 0 || at >= len(t.turns) {
				continue
			}
			if place, ok := t.place(at, slot, value); ok {
				f.turn, f.span = at, place
				break
			}
		}
		t.facts = append(t.facts, f)
		return
	}
}

// place finds a value in a turn: by its acts, or by its text.
func (t *teller) place(i int, slot, value string) (span, bool) {
	turn := &t.turns[i]
	for _, a := range turn.acts {
		if a.slot != slot || a.end <= a.start || !classes[slot].is(a.value, value) {
			continue
		}
		_, ok := locate(slot, value, a.of(turn.text))
		if (ok || classes[slot] == number) && whole(turn.text, a.span) {
			return a.span, true
		}
	}
	return locate(slot, value, turn.text)
}

// informs reads what the assistant's turn says about the current venues.
func (t *teller) informs(i int) {
	for _, a := range t.turns[i].acts {
		switch {
		case a.slot == "ref":
			t.booked(i, a)
		case a.service == "taxi" && a.slot == "phone":
			t.closes[i] = true
		case a.does != "inform" && a.does != "recommend":
		case slices.Contains([]string{"area", "pricerange", "food", "stars", "phone", "address", "postcode", "entrancefee"}, a.slot) ||
			a.service == "attraction" && a.slot == "type":
			if key := t.current[a.service]; key != "" && a.end > a.start {
				t.assert(key, a.slot, []string{a.value}, true, i)
			}
		}
	}
}

// bookable are the slots of bookings.
var bookable = []string{"bookday", "bookpeople", "bookstay", "booktime", "day"}

// booked reads the booking when the assistant gives its reference. If it is unclear for
// what, none of the candidates has a reference that could be asked for, except by a
// later booking.
func (t *teller) booked(i int, a act) {
	if i == 0 || !t.turns[i-1].user {
		return
	}
	user := &t.turns[i-1]
	service := a.service
	if service == "booking" {
		service = booking(user)
	}
	state := user.state(service)
	entity := t.of(state, t.current[service])
	if service != "" {
		t.closes[i] = true
	}
	if service == "" || (service == "restaurant" || service == "hotel") && entity != t.current[service] {
		for _, s := range user.states {
			for _, key := range []string{t.current[s.service], t.of(&s, "")} {
				if key != "" {
					t.assert(key, "ref", []string{a.value}, false, i)
				}
			}
		}
		return
	}
	if entity == "" {
		return
	}
	t.assert(entity, "ref", []string{a.value}, true, i)
	for _, slot := range bookable {
		if values := state.value(slot); len(values) > 0 {
			set := t.since(i-1, service, slot, values)
			t.assert(entity, slot, values, true, set, set-1, set+1, i)
		}
	}
}

// booking returns the service that a turn's user wants to book; empty if there
// is none.
func booking(user *utterance) string {
	var intended, begun []string
	for _, s := range user.states {
		if s.service != "restaurant" && s.service != "hotel" && s.service != "train" {
			continue
		}
		if s.intent == "book_"+s.service {
			intended = append(intended, s.service)
		}
		if len(s.value("bookday")) > 0 || len(s.value("bookpeople")) > 0 {
			begun = append(begun, s.service)
		}
	}
	switch {
	case len(intended) == 1:
		return intended[0]
	case len(intended) == 0 && len(begun) == 1:
		return begun[0]
	}
	return ""
}

// since returns the user's turn up to i from which a slot has had its value.
func (t *teller) since(i int, service, slot string, values []string) int {
	set := i
	for j := i; j >= 0; j-- {
		if !t.turns[j].user {
			continue
		}
		if !slices.Equal(t.turns[j].state(service).value(slot), values) {
			break
		}
		set = j
	}
	return set
}

// wishes reads the user's changes to a planned booking. A wish is not a settled
// value, but a later value changes it.
func (t *teller) wishes(i int) {
	for _, s := range t.turns[i].states {
		entity := t.of(&s, t.current[s.service])
		if entity == "" {
			continue
		}
		for _, v := range s.values {
			if !strings.HasPrefix(v.slot, "book") && v.slot != "day" {
				continue
			}
			// Repeated for a wish made before the entity had a name.
			key, wish := s.service+" "+v.slot, fmt.Sprintf("%s %q", entity, v.variants)
			if t.wished[key] != wish {
				t.wished[key] = wish
				set := t.since(i, s.service, v.slot, v.variants)
				t.assert(entity, v.slot, v.variants, false, i, set, set-1)
			}
		}
	}
}

// of returns the entity of a state: the one that it names, or the train or taxi by
// its destination; else another.
func (t *teller) of(s *state, other string) string {
	switch {
	case s == nil:
		return other
	case s.service == "train" || s.service == "taxi":
		from, to := s.value("departure"), s.value("destination")
		if len(from) == 0 || len(to) == 0 {
			return ""
		}
		a, b := t.names.place(from[0]), t.names.place(to[0])
		if a == "" || b == "" || a == b {
			return ""
		}
		return s.service + ":" + a + " > " + b
	}
	if names := s.value("name"); len(names) > 0 {
		return t.names.key(s.service, names[0])
	}
	return other
}

// journeys reads the facts about a train and a taxi. The train on offer is
// described in several turns; a value is settled if the dialogue has no other.
func (t *teller) journeys() {
	last := make(map[string]*state)
	booked := "" // the train that was
	for _, f := range t.facts {
		if f.slot == "ref" && f.settled && kindOf(f.entity) == "train" {
			booked = f.entity
		}
	}
	user, taxi := 0, -1 // the last turns of the user, and that close the taxi
	for i, turn := range t.turns {
		for j := range turn.states {
			last[turn.states[j].service] = &turn.states[j]
		}
		if turn.user {
			user = i
		}
		if t.closes[i] && slices.ContainsFunc(turn.acts, func(a act) bool { return a.service == "taxi" && a.does == "inform" }) {
			taxi = i
		}
	}
	if key := t.of(last["train"], ""); key != "" {
		for _, slot := range []string{"trainid", "leaveat", "arriveby"} {
			t.only(key, slot, key == booked)
		}
		t.stated(key, last["train"], "destination", user, func(int) bool { return key == booked })
	}
	if key := t.of(last["taxi"], ""); key != "" && taxi >= 0 {
		t.only(key, "type", true)
		t.only(key, "phone", true)
		t.stated(key, last["taxi"], "destination", user, func(int) bool { return true })
		for _, slot := range []string{"leaveat", "arriveby"} {
			t.stated(key, last["taxi"], slot, user, func(set int) bool { return set < taxi })
		}
	}
}

// stated asserts the value of a slot in the last state of a journey, which was set in a
// turn up to the user's last one.
func (t *teller) stated(key string, s *state, slot string, user int, settled func(set int) bool) {
	if values := s.value(slot); len(values) > 0 {
		set := t.since(user, s.service, slot, values)
		t.assert(key, slot, values, settled(set), set, set-1)
	}
}

// only asserts what the assistant said about a slot of a journey. It is settled if it is
// booked and has one value.
func (t *teller) only(key, slot string, booked bool) {
	type telling struct {
		raw  string
		turn int // that states it last
	}
	values := make(map[string]telling)
	for i, turn := range t.turns {
		for _, a := range turn.acts {
			if turn.user || a.service != kindOf(key) || a.slot != slot || a.does == "request" {
				continue
			}
			if v, ok := classes[slot].canonical(a.value); ok {
				values[v] = telling{a.value, i}
			}
		}
	}
	for _, v := range slices.Sorted(maps.Keys(values)) {
		t.assert(key, slot, []string{values[v].raw}, booked && len(values) == 1, values[v].turn)
	}
}
