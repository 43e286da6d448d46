package multiwozlong

import (
	"slices"
)

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
