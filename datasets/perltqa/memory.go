package perltqa

import (
	"encoding/json"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/files/jsontree"
	"recallbench/internal/text/timex"
)

// A bank is the memory of one character.
type bank struct {
	name     string
	sessions []session
	// memories are those that a question may name, with their turns. A field of the
	// profile goes by profileID.
	memories map[string][]string
	turns    map[string]bool // the ids in use
}

// A session is a session with its place in time: its time, the beginning of the month
// or year if no day is known, or the zero time.
type session struct {
	datasets.Session
	at time.Time
}

// profileID is the id of a field of the profile.
func profileID(field string) string { return string(Profile) + "/" + field }

// descriptionID is the field and the id of the prose about the character, which
// belongs to the profile.
const descriptionID = "profile_description"

// bank reads the memory of a character, whatever the options leave out.
//
// Text without a speaker is attributed to the character whose memory it is.
func (l *loader) bank(name string, c *jsontree.Cursor) *bank {
	b := &bank{name: name, memories: make(map[string][]string), turns: make(map[string]bool)}
	profile := session{Session: datasets.Session{ID: string(Profile)}}
	for _, f := range l.entries(c, Profile) {
		if value := l.text(f); value != "" {
			l.remember(b, f, &profile, profileID(f.Name()), f.Name()+": "+value)
		} else {
			l.set.Warn("field of a profile is empty; left out", f.Path())
		}
	}
	if f := c.Field(descriptionID); f != nil {
		l.remember(b, f, &profile, descriptionID, l.text(f))
	}
	b.add(c, profile)

	known := session{Session: datasets.Session{ID: string(Relationships)}}
	for _, f := range l.entries(c, Relationships) {
		var parts []string
		for _, name := range []string{"Supporting Characters", "Relationship", "Description"} {
			if value := l.text(f.Field(name)); value != "" {
				parts = append(parts, name+": "+value)
			}
		}
		l.remember(b, f, &known, f.Name(), strings.Join(parts, "; "))
	}
	b.add(c, known)

	for _, f := range l.entries(c, Events) {
		l.event(b, f)
	}
	for _, f := range l.entries(c, Dialogues) {
		l.dialogue(b, f)
	}
	return b
}

// entries returns the fields of a section. About 25 of the release's memories have their
// relationships as a string with a dict as Python prints it.
func (l *loader) entries(c *jsontree.Cursor, section Section) []*jsontree.Cursor {
	s := c.Field(string(section))
	if s == nil {
		l.set.Warn("section of a memory is missing; treated as empty", c.Path()+string(section))
		return nil
	}
	if s.Value.Kind == jsontree.String {
		tree, err := jsontree.Parse(fromPython(s.Value.Text))
		if err != nil {
			s.Faultf("the string is not a Python literal: %v", err)
			return nil
		}
		l.set.Warn("value is a string with a Python literal; parsed", s.Path())
		s.Value = tree
	}
	if !s.Is(jsontree.Object) {
		return nil
	}
	if len(s.Value.Fields) == 0 {
		l.set.Warn("section of a memory is empty", s.Path())
	}
	return s.Fields()
}

// remember puts a memory of one turn into a session: it must have a text, and a new
// id.
func (l *loader) remember(b *bank, c *jsontree.Cursor, s *session, id, text string) {
	if text == "" {
		l.set.Warn("memory has no text; left out", c.Path())
	} else if b.free(c, id) {
		b.memories[id] = []string{id}
		b.turns[id] = true
		s.Turns = append(s.Turns, datasets.Turn{ID: id, Speaker: b.name, Text: text, Time: s.Time})
	}
}

// free reports an id that cannot be one, or is that of another memory.
func (b *bank) free(c *jsontree.Cursor, id string) bool {
	switch {
	case !oneLine(id):
		c.Faultf("the id of the memory is %q, want one line of 1 to %d bytes", id, maxName)
	case b.turns[id] || b.memories[id] != nil:
		c.Faultf("%q is already the id of another memory", id)
	default:
		return true
	}
	return false
}

// add adds a session that has turns.
func (b *bank) add(c *jsontree.Cursor, s session) {
	switch {
	case len(s.Turns) == 0:
	case slices.ContainsFunc(b.sessions, func(have session) bool { return have.ID == s.ID }):
		c.Faultf("%q is already the id of another session", s.ID)
	default:
		b.sessions = append(b.sessions, s)
	}
}

// event reads an event, a turn in a session of its own: its time, its summary
// and what happened. Its theme and the time of its last access are not read.
func (l *loader) event(b *bank, c *jsontree.Cursor) {
	var parts []string
	for _, name := range []string{"summary", "content"} {
		if text := l.text(c.Field(name)); text != "" {
			parts = append(parts, sentence(text))
		}
	}
	s := session{Session: datasets.Session{ID: c.Name()}}
	if created := l.text(c.Field("Creation Time")); created == "" {
		l.set.Warn("event has no time", c.Path())
	} else if len(parts) > 0 {
		s.Time, s.at = when(created)
		switch {
		case s.at.IsZero():
			l.set.Warn("time of an event is not a date; kept in its text only", c.Path()+".Creation Time "+strconv.Quote(created))
		case s.Time.IsZero():
			l.set.Warn("time of an event has no day; kept in its text and for sorting", c.Path()+".Creation Time "+strconv.Quote(created))
		}
		parts = append([]string{sentence("Creation Time: " + created)}, parts...)
	}
	l.remember(b, c, &s, c.Name(), strings.Join(parts, " "))
	b.add(c, s)
}

// sentence ends a text as a sentence.
func sentence(text string) string {
	if r, _ := utf8.DecodeLastRuneInString(text); strings.ContainsRune(".!?…”\"'’)", r) {
		return text
	}
	return text + "."
}

// clocks are the formats of dates with a time of day in the keys of dialogues.
var clocks = []string{"2006-01-02 15:04", "2006-01-02 15:04:05", "2006-01-02"}

// when reads the time of an event or a dialogue, which is free text. It returns the
// time if the text names a day ("May 12, 2022") and nothing else, otherwise the zero
// time. It also returns a time for sorting: the beginning of the first day, month or
// year that the text names ("1961").
//
// A month does not become its first day: readers would take that literally.
func when(text string) (exact, at time.Time) {
	text = strings.TrimSpace(text)
	for _, clock := range clocks {
		if t, err := time.Parse(clock, text); err == nil && t.Year() > 0 {
			return t, t
		}
	}
	for _, e := range timex.Find(text) {
		if !e.Resolved() {
			continue
		}
		if e.Day && e.Start == 0 && strings.Trim(text[e.End:], " .") == "" {
			return e.From, e.From
		}
		return time.Time{}, e.From
	}
	return time.Time{}, time.Time{}
}

// dialogue reads a dialogue, a session for each time in it (one in the
// release). The turns have the dialogue's id with the number of the line,
// 4_0_0#0/1 the first. The event that it belongs to is part of its id and not
// read.
func (l *loader) dialogue(b *bank, c *jsontree.Cursor) {
	var d struct {
		Contents *jsontree.Cursor `json:"contents" want:"required"`
	}
	if !c.Decode(&d) || !d.Contents.Is(jsontree.Object) || !b.free(c, c.Name()) {
		return
	}
	n := 0 // lines so far, those left out among them
	for i, part := range d.Contents.Fields() {
		s := session{Session: datasets.Session{ID: c.Name()}}
		if i > 0 {
			s.ID += "@" + strconv.Itoa(i+1)
		}
		if s.Time, s.at = when(part.Name()); s.Time.IsZero() {
			l.set.Warn("time of a dialogue is not a day; its time is unknown", part.Path())
		}
		if !part.Is(jsontree.Array) {
			continue
		}
		for _, line := range part.Items() {
			n++
			turn := l.line(b, line)
			turn.ID, turn.Time = c.Name()+"/"+strconv.Itoa(n), s.Time
			if turn.Text != "" && b.free(line, turn.ID) {
				b.turns[turn.ID] = true
				b.memories[c.Name()] = append(b.memories[c.Name()], turn.ID)
				s.Turns = append(s.Turns, turn)
			}
		}
		b.add(part, s)
	}
	if b.memories[c.Name()] == nil {
		l.set.Warn("memory has no text; left out", c.Path())
	}
}

// maxSpeaker is the largest number of characters of a speaker's name: text
// before a colon far into a line is not a name.
const maxSpeaker = 60

// line reads a line of a dialogue, "Name: text". A line without a name is
// attributed to the character; one that says nothing has no text.
func (l *loader) line(b *bank, c *jsontree.Cursor) datasets.Turn {
	if !c.Is(jsontree.String) {
		return datasets.Turn{}
	}
	text := l.text(c)
	speaker, said, ok := strings.Cut(text, ": ")
	if !ok {
		speaker, said, ok = strings.Cut(text, "：") // the colon of Chinese text
	}
	if !ok {
		said, ok = strings.CutPrefix(text, b.name+":")
		speaker = b.name
	}
	speaker, said = strings.TrimSpace(speaker), strings.TrimSpace(said)
	if !ok || !oneLine(speaker) || utf8.RuneCountInString(speaker) > maxSpeaker {
		speaker, said = b.name, text
		if text != "" {
			l.set.Warn("line of a dialogue has no speaker; attributed to the character", c.Path())
		}
	}
	if said == "" {
		l.set.Warn("line of a dialogue is empty; left out", c.Path())
	}
	return datasets.Turn{Speaker: speaker, Text: said}
}

// sample returns the character's conversation in order of time: first everything without
// a date (profile, relationships and undated events), then events and dialogues, events
// first at the same time.
func (b *bank) sample() datasets.Sample {
	sample := datasets.Sample{ID: b.name, Speakers: []string{b.name}}
	for _, s := range b.sessions {
		for _, t := range s.Turns {
			sample.Speakers = lists.AddNew(sample.Speakers, t.Speaker)
		}
	}
	slices.SortStableFunc(b.sessions, func(x, y session) int { return x.at.Compare(y.at) })
	for _, s := range b.sessions {
		sample.Sessions = append(sample.Sessions, s.Session)
	}
	return sample
}

// maxName is the largest number of bytes of a character's name, and of the id
// of a memory. Both become ids.
const maxName = 200

// oneLine reports whether a name can be an id.
func oneLine(name string) bool {
	return name != "" && len(name) <= maxName && !strings.ContainsFunc(name, unicode.IsControl)
}

// entity is an HTML character reference. Some texts went through an annotation
// tool that wrote quotes that way.
var entity = regexp.MustCompile(`&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,8});`)

// text reads a value as a text, without white space at its ends and with entities
// decoded. Items are joined by commas, fields by semicolons; null and no value are "".
func (l *loader) text(c *jsontree.Cursor) string {
	if c == nil {
		return ""
	}
	var parts []string
	for _, item := range c.Items() {
		if text := l.text(item); text != "" {
			parts = append(parts, text)
		}
	}
	for _, f := range c.Fields() {
		if text := l.text(f); text != "" {
			parts = append(parts, f.Name()+": "+text)
		}
	}
	switch c.Value.Kind { //nolint:exhaustive // the others have no parts
	case jsontree.Array:
		return strings.Join(parts, ", ")
	case jsontree.Object:
		return strings.Join(parts, "; ")
	}
	trimmed := strings.TrimSpace(c.Value.Text)
	if trimmed != c.Value.Text {
		l.set.Warn("white space at an end of the text; removed", c.Path())
	}
	decoded := entity.ReplaceAllStringFunc(trimmed, html.UnescapeString)
	if decoded != trimmed {
		l.set.Warn("text has HTML entities; decoded", c.Path())
	}
	return decoded
}

var (
	pythonString = regexp.MustCompile(`'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\b(?:None|True|False)\b`)
	pythonWords  = map[string]string{"None": "null", "True": "true", "False": "false"}
)

// fromPython converts dicts and lists of strings and numbers, as Python prints them,
// to JSON. Anything else does not become JSON either.
func fromPython(text string) []byte {
	return []byte(pythonString.ReplaceAllStringFunc(text, func(s string) string {
		if word, ok := pythonWords[s]; ok {
			return word
		}
		var b strings.Builder
		for rest := s[1 : len(s)-1]; rest != ""; {
			if strings.HasPrefix(rest, `\'`) || strings.HasPrefix(rest, `\"`) {
				rest = rest[1:]
			}
			r, _, tail, err := strconv.UnquoteChar(rest, 0)
			if err != nil {
				return s[:1] // an escape that is not read
			}
			b.WriteRune(r)
			rest = tail
		}
		quoted, _ := json.Marshal(b.String()) // never fails
		return string(quoted)
	}))
}
