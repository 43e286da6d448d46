package multiwozlong

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"recallbench/datasets/internal/multiwoz"
)

// A story is a dialogue as the builder sees it: the mentions of each turn, and
// the facts.
type story struct {
	*multiwoz.Dialogue
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
func tell(d *multiwoz.Dialogue, names *gazetteer) *story {
	t := teller{
		story: &story{Dialogue: d, closes: make([]bool, len(d.Turns))},
		names: names, current: make(map[string]string), wished: make(map[string]string),
	}
	for i := range d.Turns {
		t.mention(i)
		if d.Turns[i].User {
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
	turn := &t.Turns[i]
	text := words(turn.Text)
	found := t.names.find(text)
	named := make(map[string][]string)
	for _, m := range found {
		if kind := kindOf(m.key); !slices.Contains(named[kind], m.key) {
			named[kind] = append(named[kind], m.key)
		}
	}
	for kind := range venues {
		switch n := named[kind]; {
		case len(n) == 1:
			t.current[kind] = n[0]
		case len(n) > 1, turn.User && searches(turn, kind): // there is a choice, or another is looked for
			delete(t.current, kind)
		}
	}
	for _, kind := range kinds {
		if key := t.current[kind]; key != "" && len(named[kind]) == 0 {
			found = append(found, indirect(turn, text, kind, key)...)
		}
	}
	for _, m := range found {
		m.turn = i
		t.mentions = append(t.mentions, m)
	}
}

// searches reports whether a user's turn says what a venue of the kind should
// be like.
func searches(turn *multiwoz.Turn, kind string) bool {
	return slices.ContainsFunc(turn.Acts, func(a multiwoz.Act) bool {
		return a.Service == kind && a.Does == "inform" &&
			slices.Contains([]string{"area", "food", "pricerange", "type", "stars", "name"}, a.Slot)
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
			if at < 0 || at >= len(t.Turns) {
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
	turn := &t.Turns[i]
	for _, a := range turn.Acts {
		if v, ok := classes[slot].canonical(a.Value); ok && v == value && a.Slot == slot && a.End > a.Start {
			at := span{a.Start, a.End}
			_, ok := locate(slot, value, at.of(turn.Text))
			if (ok || classes[slot] == number) && whole(turn.Text, at) {
				return at, true
			}
		}
	}
	return locate(slot, value, turn.Text)
}

// informs reads what the assistant's turn says about the current venues.
func (t *teller) informs(i int) {
	for _, a := range t.Turns[i].Acts {
		switch {
		case a.Slot == "ref":
			t.booked(i, a)
		case a.Service == "taxi" && a.Slot == "phone":
			t.closes[i] = true
		case a.Does != "inform" && a.Does != "recommend":
		case slices.Contains([]string{"area", "pricerange", "food", "stars", "phone", "address", "postcode", "entrancefee"}, a.Slot) ||
			a.Service == "attraction" && a.Slot == "type":
			if key := t.current[a.Service]; key != "" && a.End > a.Start {
				t.assert(key, a.Slot, []string{a.Value}, true, i)
			}
		}
	}
}

// bookable are the slots of bookings.
var bookable = []string{"bookday", "bookpeople", "bookstay", "booktime", "day"}

// booked reads the booking when the assistant gives its reference. If it is unclear for
// what, none of the candidates has a reference that could be asked for, except by a
// later booking.
func (t *teller) booked(i int, a multiwoz.Act) {
	if i == 0 || !t.Turns[i-1].User {
		return
	}
	user := &t.Turns[i-1]
	service := a.Service
	if service == "booking" {
		service = booking(user)
	}
	state := user.State(service)
	entity := t.of(state, t.current[service])
	if service != "" {
		t.closes[i] = true
	}
	if service == "" || (service == "restaurant" || service == "hotel") && entity != t.current[service] {
		for _, s := range user.States {
			for _, key := range []string{t.current[s.Service], t.of(&s, "")} {
				if key != "" {
					t.assert(key, "ref", []string{a.Value}, false, i)
				}
			}
		}
		return
	}
	if entity == "" {
		return
	}
	t.assert(entity, "ref", []string{a.Value}, true, i)
	for _, slot := range bookable {
		if values := state.Value(service + "-" + slot); len(values) > 0 {
			set := t.since(i-1, service, slot, values)
			t.assert(entity, slot, values, true, set, set-1, set+1, i)
		}
	}
}

// booking returns the service that a turn's user wants to book; empty if there
// is none.
func booking(user *multiwoz.Turn) string {
	var intended, begun []string
	for _, s := range user.States {
		if s.Service != "restaurant" && s.Service != "hotel" && s.Service != "train" {
			continue
		}
		if s.Intent == "book_"+s.Service {
			intended = append(intended, s.Service)
		}
		if len(s.Value(s.Service+"-bookday")) > 0 || len(s.Value(s.Service+"-bookpeople")) > 0 {
			begun = append(begun, s.Service)
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
		if !t.Turns[j].User {
			continue
		}
		if !slices.Equal(t.Turns[j].State(service).Value(service+"-"+slot), values) {
			break
		}
		set = j
	}
	return set
}

// wishes reads the user's changes to a planned booking. A wish is not a settled
// value, but a later value changes it.
func (t *teller) wishes(i int) {
	for _, s := range t.Turns[i].States {
		entity := t.of(&s, t.current[s.Service])
		if entity == "" {
			continue
		}
		for _, v := range s.Values {
			slot := strings.TrimPrefix(v.Slot, s.Service+"-")
			if !strings.HasPrefix(slot, "book") && slot != "day" {
				continue
			}
			// Repeated for a wish made before the entity had a name.
			if wish := fmt.Sprintf("%s %q", entity, v.Variants); t.wished[v.Slot] != wish {
				t.wished[v.Slot] = wish
				set := t.since(i, s.Service, slot, v.Variants)
				t.assert(entity, slot, v.Variants, false, i, set, set-1)
			}
		}
	}
}

// of returns the entity of a state: the one that it names, or the train or taxi by
// its destination; else another.
func (t *teller) of(s *multiwoz.State, other string) string {
	switch {
	case s == nil:
		return other
	case s.Service == "train" || s.Service == "taxi":
		from, to := s.Value(s.Service+"-departure"), s.Value(s.Service+"-destination")
		if len(from) == 0 || len(to) == 0 {
			return ""
		}
		a, b := t.names.place(from[0]), t.names.place(to[0])
		if a == "" || b == "" || a == b {
			return ""
		}
		return s.Service + ":" + a + " > " + b
	}
	if names := s.Value(s.Service + "-name"); len(names) > 0 {
		return t.names.key(s.Service, names[0])
	}
	return other
}

// journeys reads the facts about a train and a taxi. The train on offer is
// described in several turns; a value is settled if the dialogue has no other.
func (t *teller) journeys() {
	last := make(map[string]*multiwoz.State)
	booked := "" // the train that was
	for _, f := range t.facts {
		if f.slot == "ref" && f.settled && kindOf(f.entity) == "train" {
			booked = f.entity
		}
	}
	user, taxi := 0, -1 // the last turns of the user, and that close the taxi
	for i, turn := range t.Turns {
		for j := range turn.States {
			last[turn.States[j].Service] = &turn.States[j]
		}
		if turn.User {
			user = i
		}
		if t.closes[i] && slices.ContainsFunc(turn.Acts, func(a multiwoz.Act) bool { return a.Service == "taxi" && a.Does == "inform" }) {
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
func (t *teller) stated(key string, s *multiwoz.State, slot string, user int, settled func(set int) bool) {
	if values := s.Value(s.Service + "-" + slot); len(values) > 0 {
		set := t.since(user, s.Service, slot, values)
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
	for i, turn := range t.Turns {
		for _, a := range turn.Acts {
			if turn.User || a.Service != kindOf(key) || a.Slot != slot || a.Does == "request" {
				continue
			}
			if v, ok := classes[slot].canonical(a.Value); ok {
				values[v] = telling{a.Value, i}
			}
		}
	}
	for _, v := range slices.Sorted(maps.Keys(values)) {
		t.assert(key, slot, []string{values[v].raw}, booked && len(values) == 1, values[v].turn)
	}
}
