package perltqa

import (
	"strings"
	"time"
	"unicode/utf8"

	"recallbench/datasets"
	"recallbench/internal/files/jsontree"
	"recallbench/internal/text/timex"
)

// event reads an event, a turn in a session of its own: when it was, its
// summary and what happened. Its theme, and when it was last looked at, are
// not read.
func (l *loader) event(b *bank, c *jsontree.Cursor) {
	l.unwrap(c)
	if !c.Is(jsontree.Object) {
		return
	}
	var parts []string
	for _, name := range []string{"summary", "content"} {
		if text := l.optional(c, name); text != "" {
			parts = append(parts, sentence(text))
		}
	}
	if len(parts) == 0 {
		l.warn("memory has no text; left out", c.Path())
		return
	}
	s := sitting{section: Events, Session: datasets.Session{ID: c.Name()}}
	if created := l.optional(c, "Creation Time"); created != "" {
		s.Time, s.at = when(created)
		switch {
		case s.at.IsZero():
			l.warn("time of an event is no date; kept in its text only", c.Path()+".Creation Time "+quote(created))
		case s.Time.IsZero():
			l.warn("time of an event names no day; kept in its text and for its place", c.Path()+".Creation Time "+quote(created))
		}
		parts = append([]string{sentence("Creation Time: " + created)}, parts...)
	} else {
		l.warn("event has no time", c.Path())
	}
	if b.add(c, &s, c.Name(), c.Name(), datasets.Turn{Text: strings.Join(parts, " ")}) {
		b.count[Events]++
		b.sit(c, s)
	}
}

// sentence ends a text as a sentence.
func sentence(text string) string {
	if r, _ := utf8.DecodeLastRuneInString(text); strings.ContainsRune(".!?…”\"'’)", r) {
		return text
	}
	return text + "."
}

// clocks are how dates with a time of day are written, as the keys of
// dialogues have them.
var clocks = []string{"2006-01-02 15:04", "2006-01-02 15:04:05", "2006-01-02"}

// when reads the time of an event or a dialogue, which is free text. It returns the
// time where the text names a day ("May 12, 2022") and nothing else, else the zero
// time. It also returns a place in the order of time: the beginning of the first day,
// month or year that the text names ("1961").
//
// A month is not made the first of it: readers would take that for the day.
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
		if e.Grain == timex.Day && !e.Vague && e.Start == 0 && strings.Trim(text[e.End:], " .") == "" {
			return e.From, e.From
		}
		return time.Time{}, e.From
	}
	return time.Time{}, time.Time{}
}
