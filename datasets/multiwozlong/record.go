package multiwozlong

import (
	"slices"
)

// changeable are slots whose later value replaces an earlier one. Of others two
// values are a contradiction, and neither is asked for.
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

// newest returns the statement that settles the slot, and whether it replaced another
// value. It is none where the last word is a wish, or where several sessions tell the
// value, so that nothing says how far back it is. It is none where it does not stand
// literally in its turn, where an earlier value came back, or where an earlier one is
// a variant of it.
func (r record) newest() (s statement, changed, ok bool) {
	last := r.told[len(r.told)-1]
	told, literal, booked := false, false, false // the last value, so far
	for _, t := range r.told {
		if t.value != last.value {
			if changed = true; told || accepts(last, t.value) {
				return statement{}, false, false
			}
			continue
		}
		if t.session != last.session {
			return statement{}, false, false
		}
		told, booked = true, booked || t.settled
		if t.end > 0 && !literal {
			s, literal = t, true
		}
	}
	if !booked || !literal || changed && !slices.Contains(changeable, r.slot) {
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
