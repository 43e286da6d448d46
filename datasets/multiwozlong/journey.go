package multiwozlong

import (
	"maps"
	"slices"
	"strings"

	"recallbench/datasets/internal/multiwoz"
)

// journey returns the key of a train or taxi by where it goes; empty where that
// is not known.
func (t *teller) journey(s *multiwoz.State, service string) string {
	from, to := s.Value(service+"-departure"), s.Value(service+"-destination")
	if len(from) == 0 || len(to) == 0 {
		return ""
	}
	a, b := t.names.place(from[0]), t.names.place(to[0])
	if a == "" || b == "" || a == b {
		return ""
	}
	return service + ":" + a + " > " + b
}

// journeys reads what is told of a train and of a taxi. What trains are offered is
// told in several turns; a value is settled where the dialogue has no other.
func (t *teller) journeys() {
	last := make(map[string]multiwoz.State)
	booked := "" // the train that was
	for _, a := range t.told {
		if a.slot == "ref" && a.settled && strings.HasPrefix(a.entity, "train:") {
			booked = a.entity
		}
	}
	taxi := -1
	for i := range t.Turns {
		for _, s := range t.Turns[i].States {
			last[s.Service] = s
		}
		if t.closes[i] && slices.ContainsFunc(t.Turns[i].Acts, func(a multiwoz.Act) bool { return a.Name == "Taxi-Inform" }) {
			taxi = i
		}
	}
	state := last["train"]
	if key := t.journey(&state, "train"); key != "" {
		for _, slot := range []string{"trainid", "leaveat", "arriveby"} {
			t.only(key, "Train-", slot, key == booked)
		}
		t.destination(key, state, key == booked)
	}
	state = last["taxi"]
	key := t.journey(&state, "taxi")
	if key == "" || taxi < 0 {
		return
	}
	t.only(key, "Taxi-", "type", true)
	t.only(key, "Taxi-", "phone", true)
	t.destination(key, state, true)
	for _, slot := range []string{"leaveat", "arriveby"} {
		if values := state.Value("taxi-" + slot); len(values) > 0 {
			set := t.since(t.lastUser(), "taxi", slot, values)
			t.assert(key, slot, values, set < taxi, set, set-1)
		}
	}
}

// destination asserts where a journey goes.
func (t *teller) destination(key string, s multiwoz.State, booked bool) {
	values := s.Value(s.Service + "-destination")
	set := t.since(t.lastUser(), s.Service, "destination", values)
	t.assert(key, "destination", values, booked, set, set-1)
}

// lastUser returns the user's last turn.
func (t *teller) lastUser() int {
	for i := len(t.Turns) - 1; i > 0; i-- {
		if t.Turns[i].User {
			return i
		}
	}
	return 0
}

// only asserts what the assistant told of a slot. It is settled if what was told is
// booked and is one value.
func (t *teller) only(entity, service, slot string, booked bool) {
	type telling struct {
		raw  string
		turn int // that tells it last
	}
	values := make(map[string]telling)
	for i := range t.Turns {
		if t.Turns[i].User {
			continue
		}
		for _, a := range t.Turns[i].Acts {
			if !strings.HasPrefix(a.Name, service) || a.Slot != slot || strings.HasSuffix(a.Name, "-Request") {
				continue
			}
			if v, ok := classes[slot].canonical(a.Value); ok {
				values[v] = telling{a.Value, i}
			}
		}
	}
	for _, v := range slices.Sorted(maps.Keys(values)) {
		t.assert(entity, slot, []string{values[v].raw}, booked && len(values) == 1, values[v].turn)
	}
}
