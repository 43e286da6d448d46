package multiwozlong

import (
	"maps"
	"slices"
	"strings"

	"recallbench/datasets/multiwoz"
)

// A story is a dialogue as the builder sees it: what each turn mentions, and what
// is told in it.
type story struct {
	*multiwoz.Dialogue
	mentions [][]mention // of each turn
	told     []assertion // in the order of turns
	closes   []bool      // after which turns a booking or a goal is closed
}

// An assertion says that a slot of an entity has a value.
type assertion struct {
	entity   string // its key
	slot     string // such as "bookday", or "phone"
	value    string // canonical
	variants []string
	turn     int  // in the dialogue, that tells it
	settled  bool // and not only wished
	// start and end are where the turn has the value; both 0 where it does not
	// literally.
	start, end int
}

// A teller reads a story out of a dialogue.
type teller struct {
	*story
	names   *gazetteer
	current map[string]string // the venue at hand by its kind
}

// tell reads the story of a dialogue.
func tell(d *multiwoz.Dialogue, names *gazetteer) *story {
	t := teller{
		story: &story{Dialogue: d, mentions: make([][]mention, len(d.Turns)), closes: make([]bool, len(d.Turns))},
		names: names, current: make(map[string]string),
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
	if !slices.ContainsFunc(d.Turns, func(turn multiwoz.Turn) bool { return len(turn.Acts) > 0 }) {
		t.byState()
	}
	slices.SortStableFunc(t.told, func(a, b assertion) int { return a.turn - b.turn })
	return t.story
}

// mention finds what a turn mentions, and what is at hand after it.
func (t *teller) mention(i int) {
	turn := &t.Turns[i]
	found := t.names.find(turn.Text)
	named := make(map[string][]string)
	for _, m := range found {
		if !slices.Contains(named[m.kind()], m.key) {
			named[m.kind()] = append(named[m.kind()], m.key)
		}
	}
	for kind := range venues {
		switch n := named[kind]; {
		case len(n) == 1:
			t.current[kind] = n[0]
		case len(n) > 1:
			delete(t.current, kind) // there is a choice
		case turn.User && searches(turn, kind):
			delete(t.current, kind) // another is looked for
		}
	}
	for _, kind := range kinds {
		if key := t.current[kind]; key != "" && len(named[kind]) == 0 {
			found = append(found, indirect(turn, kind, key)...)
		}
	}
	t.mentions[i] = found
}

// searches tells whether a user's turn says what a venue of the kind should be
// like.
func searches(turn *multiwoz.Turn, kind string) bool {
	return slices.ContainsFunc(turn.Acts, func(a multiwoz.Act) bool {
		return strings.EqualFold(a.Name, kind+"-Inform") &&
			slices.Contains([]string{"area", "food", "pricerange", "type", "stars", "name"}, a.Slot)
	})
}

// assert records an assertion if its value is one, with its place in the turn, or
// in one of the turns around it if there is none in it.
func (t *teller) assert(entity, slot string, values []string, settled bool, turn int, around ...int) {
	c := classes[slot]
	for _, v := range values {
		value, ok := c.canonical(v)
		if !ok {
			continue
		}
		a := assertion{entity: entity, slot: slot, value: value, turn: turn, settled: settled}
		for _, w := range values {
			if other, ok := c.canonical(w); ok && (c != clock || other == value) {
				a.variants = append(a.variants, w)
			}
		}
		for _, at := range append([]int{turn}, around...) {
			if at < 0 || at >= len(t.Turns) {
				continue
			}
			if start, end, ok := t.place(at, slot, value); ok {
				a.turn, a.start, a.end = at, start, end
				break
			}
		}
		t.told = append(t.told, a)
		return
	}
}

// place finds a value in a turn: where its acts say, or where it stands.
func (t *teller) place(i int, slot, value string) (start, end int, ok bool) {
	turn := &t.Turns[i]
	for _, a := range turn.Acts {
		if v, ok := classes[slot].canonical(a.Value); ok && v == value && a.Slot == slot && a.End > a.Start {
			_, _, ok := locate(slot, value, turn.Text[a.Start:a.End])
			if (ok || classes[slot] == number) && whole(turn.Text, a.Start, a.End) {
				return a.Start, a.End, true
			}
		}
	}
	return locate(slot, value, turn.Text)
}

// informs reads what the assistant's turn tells of the venues at hand.
func (t *teller) informs(i int) {
	turn := &t.Turns[i]
	for _, a := range turn.Acts {
		service, act, _ := strings.Cut(strings.ToLower(a.Name), "-")
		switch {
		case a.Slot == "ref":
			t.booked(i, a)
		case service == "taxi" && a.Slot == "phone":
			t.closes[i] = true
		case act != "inform" && act != "recommend":
		case slices.Contains([]string{"area", "pricerange", "food", "stars", "phone", "address", "postcode", "entrancefee"}, a.Slot) ||
			service == "attraction" && a.Slot == "type":
			if key := t.current[service]; key != "" && a.End > a.Start {
				t.assert(key, a.Slot, []string{a.Value}, true, i)
			}
		}
	}
}

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
		entity = journey(state, "train")
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

// unsure notes a reference of which it is not sure what it is for: nothing that it
// may be for has a reference that could be asked for, but by a later booking.
func (t *teller) unsure(i int, a multiwoz.Act) {
	for _, s := range t.Turns[i-1].States {
		keys := []string{t.current[s.Service], journey(&s, s.Service)}
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
		entity := t.current[s.Service]
		if names := s.Value(s.Service + "-name"); len(names) > 0 {
			entity = t.names.key(s.Service, names[0])
		}
		if s.Service == "train" || s.Service == "taxi" {
			entity = journey(&s, s.Service)
		}
		if entity == "" {
			continue
		}
		for _, v := range s.Values {
			slot := strings.TrimPrefix(v.Slot, s.Service+"-")
			if (strings.HasPrefix(slot, "book") || slot == "day") && t.since(i, s.Service, slot, v.Variants) == i {
				t.assert(entity, slot, v.Variants, false, i, i-1)
			}
		}
	}
}

// journey returns the key of a train or taxi by where it goes; empty where that
// is not known.
func journey(s *multiwoz.State, service string) string {
	from, to := s.Value(service+"-departure"), s.Value(service+"-destination")
	if len(from) == 0 || len(to) == 0 {
		return ""
	}
	a, b := norm(from[0]), norm(to[0])
	if slices.Contains(unset, a) || slices.Contains(unset, b) || a == b {
		return ""
	}
	return service + ":" + a + " > " + b
}

// journeys reads what is told of a train and of a taxi. What trains are offered is
// told in several turns; a value is settled where the dialogue has no other.
func (t *teller) journeys() {
	last := make(map[string]multiwoz.State)
	refs, when := "", 0
	for _, a := range t.told {
		if a.slot == "ref" && strings.HasPrefix(a.entity, "train:") {
			refs, when = a.entity, a.turn
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
	if key := journey(&state, "train"); key != "" {
		booked := key == refs
		if !booked {
			when = len(t.Turns)
		}
		for _, slot := range []string{"trainid", "leaveat", "arriveby"} {
			t.only(key, "Train-", slot, when, booked)
		}
		t.destination(key, state, booked)
	}
	state = last["taxi"]
	key := journey(&state, "taxi")
	if key == "" || taxi < 0 {
		return
	}
	t.only(key, "Taxi-", "type", len(t.Turns), true)
	t.only(key, "Taxi-", "phone", len(t.Turns), true)
	t.destination(key, state, true)
	for _, slot := range []string{"leaveat", "arriveby"} {
		if values := state.Value("taxi-" + slot); len(values) > 0 {
			set := t.since(t.lastUser(), "taxi", slot, values)
			t.assert(key, slot, values, set < taxi, set, set-1)
		}
	}
}

// byState takes what is to be booked at the end for booked, in a dialogue that has
// no acts to tell.
func (t *teller) byState() {
	last := t.lastUser()
	for _, s := range t.Turns[last].States {
		entity := ""
		if names := s.Value(s.Service + "-name"); len(names) > 0 {
			entity = t.names.key(s.Service, names[0])
		}
		if s.Service == "train" || s.Service == "taxi" {
			entity = journey(&s, s.Service)
		}
		if entity == "" {
			continue
		}
		for _, v := range s.Values {
			slot := strings.TrimPrefix(v.Slot, s.Service+"-")
			if strings.HasPrefix(slot, "book") || slot == "day" || slot == "destination" {
				set := t.since(last, s.Service, slot, v.Variants)
				t.assert(entity, slot, v.Variants, true, set, set-1, set+1)
			}
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

// only asserts what the assistant told of a slot up to a turn. It is settled if
// what was told is booked and is one value.
func (t *teller) only(entity, service, slot string, until int, booked bool) {
	type telling struct {
		raw  string
		turn int // that tells it last
	}
	values := make(map[string]telling)
	for i := range t.Turns {
		if t.Turns[i].User || i > until {
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
