package perltqa

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"recallbench/datasets"
	"recallbench/internal/files/jsontree"
)

// dialogue reads a dialogue, a session for each time that it has lines of:
// one in the release. The turns have the dialogue's id with the number of the
// line, 4_0_0#0/1 the first. The event that it belongs to is part of its id
// and not read.
func (l *loader) dialogue(b *bank, c *jsontree.Cursor) {
	l.unwrap(c)
	if !c.Is(jsontree.Object) {
		return
	}
	contents := c.Optional("contents")
	if contents == nil {
		c.Faultf("\"contents\" is missing, want an object")
		return
	}
	l.unwrap(contents)
	if !contents.Is(jsontree.Object) || !b.free(c, c.Name(), c.Name()) {
		return
	}
	m := memory{section: Dialogues}
	n := 0 // lines so far, those left out among them
	for i, part := range fields(contents) {
		if !part.Is(jsontree.Array) {
			continue
		}
		s := sitting{section: Dialogues, Session: datasets.Session{ID: c.Name()}}
		if i > 0 {
			s.ID += "@" + strconv.Itoa(i+1)
			l.warn("dialogue has lines of another time; they are a session of their own", part.Path())
		}
		if s.Time, s.at = when(part.Name()); s.Time.IsZero() {
			l.warn("time of a dialogue is no day; its time is unknown", part.Path())
		}
		lines := part.Items()
		s.Turns = make([]datasets.Turn, 0, len(lines))
		m.turns = slices.Grow(m.turns, len(lines))
		for _, line := range lines {
			n++
			turn, ok := l.line(b, line)
			if !ok {
				continue
			}
			turn.ID, turn.Time = c.Name()+"/"+strconv.Itoa(n), s.Time
			if b.turns[turn.ID] {
				line.Faultf("%s is already the id of another memory", quote(turn.ID))
				continue
			}
			b.turns[turn.ID] = true
			m.turns = append(m.turns, turn.ID)
			s.Turns = append(s.Turns, turn)
		}
		b.sit(part, s)
	}
	if len(m.turns) == 0 {
		l.warn("memory has no text; left out", c.Path())
		return
	}
	b.memories[c.Name()] = m
	b.count[Dialogues]++
}

// maxSpeaker is the largest number of characters of a speaker's name: what
// stands before a colon far into a line is no name.
const maxSpeaker = 60

// line reads a line of a dialogue, "Name: text". One without a name is the
// character's.
func (l *loader) line(b *bank, c *jsontree.Cursor) (datasets.Turn, bool) {
	if !c.Is(jsontree.String) {
		return datasets.Turn{}, false
	}
	text := l.clean(c.Value.Text, c)
	speaker, said, ok := strings.Cut(text, ": ")
	if !ok {
		speaker, said, ok = strings.Cut(text, "：") // the colon of Chinese text
	}
	if !ok {
		speaker, said, ok = strings.Cut(text, ":")
		ok = ok && b.speaks[speaker]
	}
	speaker, said = strings.TrimSpace(speaker), strings.TrimSpace(said)
	if !ok || !oneLine(speaker) || utf8.RuneCountInString(speaker) > maxSpeaker {
		speaker, said = b.name, text
		if text != "" {
			l.warn("line of a dialogue has no speaker; taken as the character's", c.Path())
		}
	}
	if said == "" {
		l.warn("line of a dialogue says nothing; left out", c.Path())
		return datasets.Turn{}, false
	}
	b.speak(speaker)
	return datasets.Turn{Speaker: speaker, Text: said}, true
}
