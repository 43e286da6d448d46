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

// A conversation is a sample that is being built: the sessions of a chain, and
// what is told in them.
type conversation struct {
	chain
	id       string
	told     []statement // in the order of turns
	mentions []place     // in the order of turns
	bookings []reservation
}

// A statement is an assertion with the session that it is told in, from 0.
type statement struct {
	assertion
	session int
	story   *story
}

// A place is a mention with its turn.
type place struct {
	mention
	session, turn int // turn of the story
}

// A reservation is a table, a room or a train that was booked.
type reservation struct {
	kind, entity string
	session      int // that the reference was given in
	turn         int
	story        *story
	details      map[string]statement // by slot, those that were settled with it
}

// converse puts together what a chain tells.
func converse(id string, c chain) *conversation {
	v := &conversation{chain: c, id: id}
	for i, p := range c {
		for _, a := range p.told {
			if p.from <= a.turn && a.turn < p.to {
				v.told = append(v.told, statement{a, i, p.story})
			}
		}
		for turn := p.from; turn < p.to; turn++ {
			for _, m := range p.mentions[turn] {
				v.mentions = append(v.mentions, place{m, i, turn})
			}
		}
	}
	for _, s := range v.told {
		if s.slot == "ref" && s.settled {
			v.reserve(s)
		}
	}
	return v
}

// reserve records what was booked when its reference was told. Details that are
// told with two values in the dialogue are left out.
func (v *conversation) reserve(ref statement) {
	r := reservation{
		kind: kindOf(ref.entity), entity: ref.entity, session: ref.session, turn: ref.turn, story: ref.story,
		details: make(map[string]statement),
	}
	for _, s := range v.told {
		if s.story == ref.story && s.entity == ref.entity && s.settled && s.turn <= ref.turn {
			r.details[s.slot] = s
		}
	}
	for _, s := range v.told {
		if d, ok := r.details[s.slot]; ok && s.story == ref.story && s.entity == ref.entity && s.settled && s.value != d.value {
			delete(r.details, s.slot)
		}
	}
	v.bookings = append(v.bookings, r)
}

// sessionID is the id of a session from 0.
func sessionID(i int) string { return fmt.Sprintf("S%d", i+1) }

// turnID is the id of a turn of the story that a session is from.
func (v *conversation) turnID(session, turn int) string {
	return fmt.Sprintf("S%d:%d", session+1, turn-v.chain[session].from+1)
}

// text is what a turn of the story that a session is from says.
func (v *conversation) text(session, turn int) string { return v.chain[session].Turns[turn].Text }

// sample returns what methods get to see, without the questions.
func (v *conversation) sample() datasets.Sample {
	s := datasets.Sample{ID: v.id, Speakers: []string{user, assistant}}
	for i, p := range v.chain {
		session := datasets.Session{ID: sessionID(i)}
		for turn := p.from; turn < p.to; turn++ {
			speaker := assistant
			if p.Turns[turn].User {
				speaker = user
			}
			session.Turns = append(session.Turns, datasets.Turn{ID: v.turnID(i, turn), Speaker: speaker, Text: p.Turns[turn].Text})
		}
		s.Sessions = append(s.Sessions, session)
	}
	return s
}

// title writes a name as names are written, where it is all in lower case.
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

// called returns the name of an entity as the conversation writes it most often,
// the first of equals.
func (v *conversation) called(key string) string {
	count := make(map[string]int)
	best := ""
	for _, m := range v.mentions {
		if m.key != key || m.how != byName {
			continue
		}
		s := v.text(m.session, m.turn)[m.start:m.end]
		if count[s]++; best == "" || count[s] > count[best] {
			best = s
		}
	}
	if best == "" {
		return ""
	}
	return title(best)
}

// journeyName names a train or a taxi by where it goes.
func journeyName(key string) string {
	kind, way, _ := strings.Cut(key, ":")
	from, to, _ := strings.Cut(way, " > ")
	return "the " + kind + " from " + title(from) + " to " + title(to)
}

// alone tells whether no other entity of the conversation has a name that is part
// of this one's, or the other way round.
func (v *conversation) alone(key string) bool {
	name := " " + key[strings.Index(key, ":")+1:] + " "
	for _, m := range v.mentions {
		other := " " + m.key[strings.Index(m.key, ":")+1:] + " "
		if m.key != key && (strings.Contains(other, name) || strings.Contains(name, other)) {
			return false
		}
	}
	return true
}
