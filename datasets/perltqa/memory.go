package perltqa

import (
	"slices"
	"strings"
	"time"

	"recallbench/datasets"
	"recallbench/internal/files/jsontree"
)

// A bank is what is remembered of one character.
type bank struct {
	name     string
	speakers []string // the character first
	speaks   map[string]bool
	sittings []sitting
	// memories are those that a question may name. A field of the profile
	// goes by profileID.
	memories map[string]memory
	turns    map[string]bool // the ids that are taken
	sessions map[string]bool // likewise
	count    map[Section]int // records, a profile being one
}

// A memory is a record of a bank, as the turns that hold it.
type memory struct {
	section Section
	turns   []string
}

// A sitting is a session with its section.
type sitting struct {
	datasets.Session
	section Section
	// at is the session's place in time: its time, the beginning of the month
	// or year where no day is known, or the zero time.
	at time.Time
}

// profileID is the id of a field of the profile.
func profileID(field string) string { return string(Profile) + "/" + field }

// descriptionID is the field and the id of the prose about the character,
// which goes with the profile.
const descriptionID = "profile_description"

// bank reads the memory of a character, whatever the options leave out.
//
// What no one says has the character as its speaker, whose memory it is.
func (l *loader) bank(name string, c *jsontree.Cursor) *bank {
	b := &bank{
		name:     name,
		speakers: []string{name},
		speaks:   map[string]bool{name: true},
		memories: make(map[string]memory),
		turns:    make(map[string]bool),
		sessions: make(map[string]bool),
		count:    make(map[Section]int),
	}
	l.unwrap(c)
	if !c.Is(jsontree.Object) {
		return b
	}
	l.profile(b, c)
	l.relationships(b, c)
	for _, f := range l.entries(c, Events) {
		l.event(b, f)
	}
	for _, f := range l.entries(c, Dialogues) {
		l.dialogue(b, f)
	}
	return b
}

// entries returns the fields of a section: those of an object, or of the
// objects of an array.
func (l *loader) entries(c *jsontree.Cursor, section Section) []*jsontree.Cursor {
	s := c.Optional(string(section))
	if s == nil {
		l.warn("section of a memory is not there; taken as empty", c.Path()+string(section))
		return nil
	}
	l.unwrap(s)
	var out []*jsontree.Cursor
	switch {
	case s.Value.Kind == jsontree.Object:
		out = fields(s)
	case s.Value.Kind == jsontree.Array:
		for _, item := range s.Items() {
			if item.Is(jsontree.Object) {
				out = append(out, fields(item)...)
			}
		}
	case s.Value.Kind == jsontree.Null: // a fault has been reported
		return nil
	case s.Value.Kind == jsontree.String && strings.TrimSpace(s.Value.Text) == "":
	default:
		s.Faultf("want an object, have %s", s.Value.Kind)
		return nil
	}
	if len(out) == 0 {
		l.warn("section of a memory is empty", s.Path())
	}
	return out
}

// profile reads the fields of the profile, each a turn "Gender: female", and
// the prose about the character.
func (l *loader) profile(b *bank, c *jsontree.Cursor) {
	s := sitting{section: Profile, Session: datasets.Session{ID: string(Profile)}}
	for _, f := range l.entries(c, Profile) {
		if value := l.field(f); value != "" {
			b.add(f, &s, f.Name(), profileID(f.Name()), datasets.Turn{Text: f.Name() + ": " + value})
		} else {
			l.warn("field of a profile is empty; left out", f.Path())
		}
	}
	if text := l.optional(c, descriptionID); text != "" {
		b.add(c, &s, descriptionID, descriptionID, datasets.Turn{Text: text})
	}
	if len(s.Turns) > 0 {
		b.count[Profile]++
	}
	b.sit(c, s)
}

// field reads the value of a profile's field. One that has parts becomes
// "Award: a medal; Role Model: Marie Curie".
func (l *loader) field(c *jsontree.Cursor) string {
	if c.Value.Kind != jsontree.Object {
		return l.scalar(c)
	}
	l.warn("field of a profile has parts; they are joined", c.Path())
	var parts []string
	for _, f := range fields(c) {
		if value := l.scalar(f); value != "" {
			parts = append(parts, f.Name()+": "+value)
		}
	}
	return strings.Join(parts, "; ")
}

// relationships reads whom the character knows, each a turn.
func (l *loader) relationships(b *bank, c *jsontree.Cursor) {
	s := sitting{section: Relationships, Session: datasets.Session{ID: string(Relationships)}}
	for _, f := range l.entries(c, Relationships) {
		l.unwrap(f)
		if !f.Is(jsontree.Object) {
			continue
		}
		var parts []string
		for _, name := range []string{"Supporting Characters", "Relationship", "Description"} {
			if value := l.optional(f, name); value != "" {
				parts = append(parts, name+": "+value)
			}
		}
		if len(parts) == 0 {
			l.warn("memory has no text; left out", f.Path())
			continue
		}
		if b.add(f, &s, f.Name(), f.Name(), datasets.Turn{Text: strings.Join(parts, "; ")}) {
			b.count[Relationships]++
		}
	}
	b.sit(c, s)
}

// sit adds a sitting that has turns.
func (b *bank) sit(c *jsontree.Cursor, s sitting) {
	switch {
	case len(s.Turns) == 0:
	case b.sessions[s.ID]:
		c.Faultf("%s is already the id of another session", quote(s.ID))
	default:
		b.sessions[s.ID] = true
		b.sittings = append(b.sittings, s)
	}
}

// add puts a memory of one turn into a sitting and tells whether it could: its
// id, and that of the turn, must be new.
func (b *bank) add(c *jsontree.Cursor, s *sitting, id, turn string, t datasets.Turn) bool {
	if !b.free(c, id, turn) {
		return false
	}
	b.memories[turn] = memory{s.section, []string{turn}}
	b.turns[turn] = true
	t.ID, t.Speaker, t.Time = turn, b.name, s.Time
	s.Turns = append(s.Turns, t)
	return true
}

// free reports an id that cannot be one, or is that of another memory.
func (b *bank) free(c *jsontree.Cursor, name, id string) bool {
	_, taken := b.memories[id]
	switch {
	case !oneLine(name):
		c.Faultf("the id of the memory is %s, want one line of 1 to %d bytes", quote(name), maxName)
	case taken || b.turns[id]:
		c.Faultf("%s is already the id of another memory", quote(name))
	default:
		return true
	}
	return false
}

// speak adds a speaker.
func (b *bank) speak(name string) {
	if !b.speaks[name] {
		b.speaks[name] = true
		b.speakers = append(b.speakers, name)
	}
}

// sample returns the character with the sections of its memory that are
// chosen, in the order of time: first what has none (profile, relationships
// and events without a date), then events and dialogues, of the same time the
// event first.
func (b *bank) sample(chosen []Section) datasets.Sample {
	sittings := slices.DeleteFunc(slices.Clone(b.sittings), func(s sitting) bool { return !slices.Contains(chosen, s.section) })
	slices.SortStableFunc(sittings, func(x, y sitting) int { return x.at.Compare(y.at) })
	sample := datasets.Sample{ID: b.name}
	speaks := map[string]bool{}
	for _, s := range sittings {
		sample.Sessions = append(sample.Sessions, s.Session)
		for _, t := range s.Turns {
			speaks[t.Speaker] = true
		}
	}
	sample.Speakers = slices.DeleteFunc(slices.Clone(b.speakers), func(name string) bool { return name != b.name && !speaks[name] })
	return sample
}
