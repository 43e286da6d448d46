package multiwozlong

import (
	"slices"
	"strings"

	"recallbench/datasets/internal/multiwoz"
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
	wished  map[string]string // what was wished last of a slot, and of what
}

// tell reads the story of a dialogue.
func tell(d *multiwoz.Dialogue, names *gazetteer) *story {
	t := teller{
		story: &story{Dialogue: d, mentions: make([][]mention, len(d.Turns)), closes: make([]bool, len(d.Turns))},
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
	slices.SortStableFunc(t.told, func(a, b assertion) int { return a.turn - b.turn })
	return t.story
}

// mention finds what a turn mentions, and what is at hand after it.
func (t *teller) mention(i int) {
	turn := &t.Turns[i]
	text := words(turn.Text)
	found := t.names.find(text)
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
			found = append(found, indirect(turn, text, kind, key)...)
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
