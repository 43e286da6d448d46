package multiwozlong

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"recallbench/datasets"
)

// The speakers of a conversation.
const (
	user      = "User"
	assistant = "Assistant"
)

// A conversation is a conversation being built: its sessions and the facts in them.
type conversation struct {
	sessions []piece
	id       string
	facts    []fact    // in the order of turns
	mentions []mention // in the order of turns
	bookings []reservation
}

// A reservation is the reference of a table, a room or a train that was booked,
// with its settled details, by slot.
type reservation struct {
	fact
	details map[string]fact
}

// converse combines the facts of the pieces of a chain.
func converse(id string, chain []piece) *conversation {
	v := &conversation{sessions: chain, id: id}
	for i, p := range chain {
		for _, f := range p.facts {
			if f.session = i; p.from <= f.turn && f.turn < p.to {
				v.facts = append(v.facts, f)
			}
		}
		for _, m := range p.mentions {
			if m.session = i; p.from <= m.turn && m.turn < p.to {
				v.mentions = append(v.mentions, m)
			}
		}
	}
	for _, f := range v.facts {
		if f.slot == "ref" && f.settled {
			v.bookings = append(v.bookings, reservation{f, v.details(f)})
		}
	}
	return v
}

// details returns what was settled when a reference was given, without slots for which
// the dialogue has two values.
func (v *conversation) details(ref fact) map[string]fact {
	details := make(map[string]fact)
	ours := func(f fact) bool {
		return v.story(f.spot) == v.story(ref.spot) && f.entity == ref.entity && f.settled
	}
	for _, f := range v.facts {
		if ours(f) && f.turn <= ref.turn {
			details[f.slot] = f
		}
	}
	for _, f := range v.facts {
		if d, ok := details[f.slot]; ok && ours(f) && f.value != d.value {
			delete(details, f.slot)
		}
	}
	return details
}

// story returns the dialogue of a turn.
func (v *conversation) story(at spot) *story { return v.sessions[at.session].story }

// text is what a turn says.
func (v *conversation) text(at spot) string { return v.story(at).Turns[at.turn].Text }

// sessionID is the id of a session from 0.
func sessionID(i int) string { return fmt.Sprintf("S%d", i+1) }

// turnID is the id of a turn in the conversation.
func (v *conversation) turnID(at spot) string {
	return fmt.Sprintf("%s:%d", sessionID(at.session), at.turn-v.sessions[at.session].from+1)
}

// sample returns what methods see, without the questions.
func (v *conversation) sample() datasets.Sample {
	s := datasets.Sample{ID: v.id, Speakers: []string{user, assistant}}
	for i, p := range v.sessions {
		session := datasets.Session{ID: sessionID(i)}
		for turn := p.from; turn < p.to; turn++ {
			speaker := assistant
			if p.Turns[turn].User {
				speaker = user
			}
			session.Turns = append(session.Turns, datasets.Turn{ID: v.turnID(spot{i, turn}), Speaker: speaker, Text: p.Turns[turn].Text})
		}
		s.Sessions = append(s.Sessions, session)
	}
	return s
}

// title capitalizes a name that is all in lowercase.
func title(s string) string {
	if s != strings.ToLower(s) {
		return s
	}
	parts := strings.Fields(s)
	for i, p := range parts {
		if i == 0 || !slices.Contains([]string{"and", "of", "the", "at", "by", "in", "on"}, p) {
			r, size := utf8.DecodeRuneInString(p)
			parts[i] = string(unicode.ToUpper(r)) + p[size:]
		}
	}
	return strings.Join(parts, " ")
}

// names returns the names of a venue: first the one that the conversation writes most
// often, the first of equals, then the others. Empty if it has no name.
func (v *conversation) names(key string) []string {
	count := make(map[string]int)
	var written []string
	best := ""
	for _, m := range v.mentions {
		if m.key != key || m.how != byName {
			continue
		}
		s := m.of(v.text(m.spot))
		if count[s]++; count[s] == 1 {
			written = append(written, s)
		}
		if best == "" || count[s] > count[best] {
			best = s
		}
	}
	if best == "" {
		return nil
	}
	best = title(best)
	return append([]string{best}, slices.DeleteFunc(written, func(s string) bool { return s == best })...)
}

// naming returns the last of the mentions by its name that a venue has in some turns.
func (v *conversation) naming(key string, in func(spot) bool) (found mention, ok bool) {
	for _, m := range v.mentions {
		if m.key == key && m.how == byName && in(m.spot) {
			found, ok = m, true
		}
	}
	return found, ok
}

// alone reports whether no other entity of the conversation has a name that is
// part of this one's, or the other way round.
func (v *conversation) alone(key string) bool {
	name := " " + nameOf(key) + " "
	return !slices.ContainsFunc(v.mentions, func(m mention) bool {
		other := " " + nameOf(m.key) + " "
		return m.key != key && (strings.Contains(other, name) || strings.Contains(name, other))
	})
}

// newest returns the fact that settles the slot, of those given, and whether it
// replaced another value. It returns none if the last word is a wish, if several
// sessions state the value, so that its distance is unclear, if the value does not
// occur literally in its turn, if an earlier value came back, or if an earlier one is a
// variant of it.
func newest(told []fact) (f fact, changed, ok bool) {
	last := told[len(told)-1]
	again, settled := false, false // the last value, so far
	for _, t := range told {
		if t.value != last.value {
			if changed = true; again || last.accepts(t.value) {
				return fact{}, false, false
			}
			continue
		}
		if t.session != last.session {
			return fact{}, false, false
		}
		again, settled = true, settled || t.settled
		if t.literal() && !f.literal() {
			f = t
		}
	}
	if !settled || !f.literal() || changed && !slices.Contains(changeable, last.slot) {
		return fact{}, false, false
	}
	f.variants = append(slices.Clone(f.variants), last.variants...)
	return f, changed, true
}

// changeable are slots whose later value replaces an earlier one. Of others two
// values are a contradiction, and neither is asked for.
var changeable = []string{"booktime", "bookday", "bookpeople", "bookstay", "day", "leaveat", "arriveby", "ref"}

// accepts reports whether a value is among the variants of a fact.
func (f fact) accepts(value string) bool {
	return slices.ContainsFunc(f.variants, func(w string) bool {
		other, ok := classes[f.slot].canonical(w)
		return ok && other == value
	})
}
