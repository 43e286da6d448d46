package multiwozlong

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"recallbench/datasets"
)

// speakers are those of a conversation: the user, and the one who is not.
var speakers = map[bool]string{true: "User", false: "Assistant"}

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
func (v *conversation) text(at spot) string { return v.story(at).turns[at.turn].text }

// sessionID is the id of a session from 0.
func sessionID(i int) string { return fmt.Sprintf("S%d", i+1) }

// turnID is the id of a turn in the conversation.
func (v *conversation) turnID(at spot) string {
	return fmt.Sprintf("%s:%d", sessionID(at.session), at.turn-v.sessions[at.session].from+1)
}

// sample returns what methods see, without the questions.
func (v *conversation) sample() datasets.Sample {
	s := datasets.Sample{ID: v.id, Speakers: []string{speakers[true], speakers[false]}}
	for i, p := range v.sessions {
		session := datasets.Session{ID: sessionID(i)}
		for turn := p.from; turn < p.to; turn++ {
			said := p.turns[turn]
			session.Turns = append(session.Turns, datasets.Turn{ID: v.turnID(spot{i, turn}), Speaker: speakers[said.user], Text: said.text})
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
	return slices.ContainsFunc(f.variants, func(w string) bool { return classes[f.slot].is(w, value) })
}

const (
	// A session ends after a number of turns drawn between minBudget and
	// maxBudget (A.2).
	minBudget, maxBudget = 8, 12
	// least is the smallest number of turns that the rest of a dialogue must
	// have: less is a farewell.
	least = 4
)

// A piece is a part of a dialogue that becomes a session.
type piece struct {
	*story
	from, to int // turns
}

// cut divides a dialogue into pieces: after a turn that closes a booking, or when the
// budget is used up. In both cases the next piece must mention something of the
// piece.
func cut(s *story, random *rand.Rand) []piece {
	budget := func() int { return minBudget + random.IntN(maxBudget-minBudget+1) }
	var pieces []piece
	from, most := 0, budget()
	for i := range s.turns {
		end := i + 1
		if s.turns[i].user || len(s.turns)-end < least || end-from < least || !s.closes[i] && end-from < most {
			continue
		}
		this, next := piece{s, from, end}, piece{s, end, min(end+minBudget, len(s.turns))}
		if shares(this, next) {
			pieces = append(pieces, this)
			from, most = end, budget()
		}
	}
	pieces = append(pieces, piece{s, from, len(s.turns)})
	// The next piece may have turned out shorter than assumed.
	for i := len(pieces) - 2; i >= 0; i-- {
		if !shares(pieces[i], pieces[i+1]) {
			pieces[i].to = pieces[i+1].to
			pieces = slices.Delete(pieces, i+1, i+2)
		}
	}
	return pieces
}

// keys returns what a piece mentions.
func (p piece) keys() map[string]bool {
	all := make(map[string]bool)
	for _, m := range p.mentions {
		if p.from <= m.turn && m.turn < p.to {
			all[m.key] = true
		}
	}
	return all
}

// shares reports whether both pieces mention something in common.
func shares(a, b piece) bool {
	in := a.keys()
	return slices.ContainsFunc(slices.Collect(maps.Keys(b.keys())), func(key string) bool { return in[key] })
}

// chains joins dialogues into conversations of at least that many sessions, each of one
// simulated user. A dialogue is used once. The first is drawn. Each next one mentions
// something that the last session mentions, too; among these it has most services in
// common with the first, and ties are drawn. Dialogues that cannot be joined into enough
// sessions are left out.
func chains(stories []*story, sessions int, random *rand.Rand) [][]piece {
	order := random.Perm(len(stories))
	pieces := make([][]piece, len(stories))
	for i, s := range stories {
		pieces[i] = cut(s, random)
	}
	first := make(map[string][]int) // dialogues by what their first session mentions
	for _, i := range order {
		for key := range pieces[i][0].keys() {
			first[key] = append(first[key], i)
		}
	}
	used := make([]bool, len(stories))
	var all [][]piece
	for _, i := range order {
		if used[i] {
			continue
		}
		var c []piece
		var picked []int
		for next := i; next >= 0; {
			used[next] = true
			picked, c = append(picked, next), append(c, pieces[next]...)
			if len(c) >= sessions {
				all = append(all, c)
				break
			}
			if next = follow(stories, first, used, c); next < 0 {
				for _, p := range picked[1:] {
					used[p] = false // for another user
				}
			}
		}
	}
	return all
}

// follow returns the dialogue that follows some sessions, or -1.
func follow(stories []*story, first map[string][]int, used []bool, c []piece) int {
	best, score := -1, -1
	for _, key := range slices.Sorted(maps.Keys(c[len(c)-1].keys())) {
		for _, i := range first[key] {
			if used[i] {
				continue
			}
			common := 0
			for _, service := range stories[i].services {
				if slices.Contains(c[0].services, service) {
					common += 2
				}
			}
			if kindOf(key) != "station" {
				common++ // a venue is something to come back to
			}
			if common > score {
				best, score = i, common
			}
		}
	}
	return best
}
