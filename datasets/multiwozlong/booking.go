package multiwozlong

import (
	"fmt"
	"slices"
	"strings"

	"recallbench/datasets/internal/multiwoz"
)

// booked reads what was booked when the assistant gives its reference.
func (t *teller) booked(i int, a multiwoz.Act) {
	if i == 0 || !t.Turns[i-1].User {
		return
	}
	user := &t.Turns[i-1]
	service, _, _ := strings.Cut(strings.ToLower(a.Name), "-")
	if service == "booking" {
		if service = booking(user); service == "" {
			t.unsure(i, a)
			return
		}
	}
	t.closes[i] = true
	state := user.State(service)
	entity := t.current[service]
	switch service {
	case "restaurant", "hotel":
		if names := state.Value(service + "-name"); len(names) > 0 {
			if key := t.names.key(service, names[0]); key != entity {
				t.unsure(i, a)
				return
			}
		}
	case "train":
		entity = t.journey(state, "train")
	}
	if entity == "" {
		return
	}
	t.assert(entity, "ref", []string{a.Value}, true, i)
	for _, slot := range []string{"bookday", "bookpeople", "bookstay", "booktime", "day"} {
		if values := state.Value(service + "-" + slot); len(values) > 0 {
			set := t.since(i-1, service, slot, values)
			t.assert(entity, slot, values, true, set, set-1, set+1, i)
		}
	}
}

// unsure notes a reference whose use is not sure: nothing that it may be for has a
// reference that could be asked for, but by a later booking.
func (t *teller) unsure(i int, a multiwoz.Act) {
	for _, s := range t.Turns[i-1].States {
		keys := []string{t.current[s.Service], t.journey(&s, s.Service)}
		if names := s.Value(s.Service + "-name"); len(names) > 0 {
			keys = append(keys, t.names.key(s.Service, names[0]))
		}
		for _, key := range keys {
			if key != "" {
				t.assert(key, "ref", []string{a.Value}, false, i)
			}
		}
	}
}

// booking returns the service that a turn's user wants to book; empty if that is
// not one.
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

// since returns the user's turn up to i since which a slot has its value.
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

// wishes reads what the user's turn changes in what is to be booked. A wish is no
// settled value, but a later value changes it.
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
			// Said again of what was wished before it had a name, too.
			if wish := fmt.Sprintf("%s %q", entity, v.Variants); t.wished[v.Slot] != wish {
				t.wished[v.Slot] = wish
				set := t.since(i, s.Service, slot, v.Variants)
				t.assert(entity, slot, v.Variants, false, i, set, set-1)
			}
		}
	}
}

// of returns the entity that a state is about: the one that it names, or the
// journey; else another.
func (t *teller) of(s *multiwoz.State, other string) string {
	if s.Service == "train" || s.Service == "taxi" {
		return t.journey(s, s.Service)
	}
	if names := s.Value(s.Service + "-name"); len(names) > 0 {
		return t.names.key(s.Service, names[0])
	}
	return other
}
