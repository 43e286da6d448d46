package jsonl

import (
	"strconv"
	"strings"
	"time"

	"recallbench/datasets"
	"recallbench/internal/files/jsontree"
)

// A turnInput is a line with a turn, as it is read.
type turnInput struct {
	At      *jsontree.Cursor `json:"." want:"strict"`
	Type    string           `json:"type"`
	Sample  jsontree.Text    `json:"sample" want:"filled"`
	Session jsontree.Text    `json:"session" want:"filled"`
	Speaker jsontree.Text    `json:"speaker" want:"filled"`
	Text    *string          `json:"text"` // needed but where there is an image
	Time    string           `json:"time"`
	ID      jsontree.Text    `json:"id"`
	Image   *struct {
		At      *jsontree.Cursor `json:"." want:"strict"`
		Caption string           `json:"caption"`
		URL     string           `json:"url"`
		Query   string           `json:"query"`
	} `json:"image"`
}

// layouts are the forms of a time. A date stands for its first minute.
var layouts = []string{time.DateOnly, "2006-01-02 15:04", time.RFC3339}

// turn reads a turn, appends it to its sample and returns that; nil after a fault.
func (l *loader) turn(c *jsontree.Cursor) *sample {
	var line turnInput
	if !c.Decode(&line) {
		return nil
	}
	t := datasets.Turn{ID: string(line.ID), Time: clock(c, line.Time)}
	if line.Text != nil {
		t.Text = *line.Text
	}
	if i := line.Image; i != nil {
		t.Image = &datasets.Image{Caption: i.Caption, URL: i.URL, Query: i.Query}
		if *t.Image == (datasets.Image{}) {
			i.At.Faultf("the image has no caption, url or query")
		}
	}
	switch {
	case t.Image != nil:
	case line.Text == nil:
		c.Faultf(`"text" is missing`)
	case strings.TrimSpace(t.Text) == "":
		c.Faultf(`"text" is empty and there is no image`)
	}
	s := l.sample(string(line.Sample))
	s.text += int64(len(t.Text))
	session, speaker := string(line.Session), string(line.Speaker)
	if n := len(s.Sessions); n == 0 || s.Sessions[n-1].ID != session {
		if s.sessions[session] {
			c.Faultf("session %q goes on after session %q began; keep the turns of a session together",
				session, s.Sessions[n-1].ID)
			return s
		}
		session = strings.Clone(session)
		s.sessions[session] = true
		s.Sessions = append(s.Sessions, datasets.Session{ID: session})
	}
	if _, known := s.speakers[speaker]; !known {
		speaker = strings.Clone(speaker)
		s.speakers[speaker] = speaker
		s.Speakers = append(s.Speakers, speaker)
	}
	t.Speaker = s.speakers[speaker]
	if l.index != nil { // what is held of a turn must not hold its line
		t.ID, t.Text, t.Image = strings.Clone(t.ID), "", nil
	}
	s.place(c, t)
	return s
}

// place appends a turn to the last session. A turn without a time has that of
// the one before it.
func (s *sample) place(c *jsontree.Cursor, t datasets.Turn) {
	current := &s.Sessions[len(s.Sessions)-1]
	if t.ID == "" {
		t.ID = current.ID + ":" + strconv.Itoa(len(current.Turns)+1)
	}
	if s.turns[t.ID] {
		c.Faultf("id %q is already that of another turn of sample %q", t.ID, s.ID)
	}
	s.turns[t.ID] = true
	if t.Time.Before(s.last) && !t.Time.IsZero() {
		c.Faultf("the time %s is before that of the turn before it, %s; put the turns in the order of time",
			t.Time.Format(layouts[1]), s.last.Format(layouts[1]))
	}
	switch {
	case !t.Time.IsZero():
		s.last = t.Time
		if current.Time.IsZero() {
			// The first time of a session is that of the turns before, too.
			current.Time = t.Time
			for i := range current.Turns {
				current.Turns[i].Time = t.Time
			}
		}
	case !current.Time.IsZero():
		t.Time = s.last
	}
	current.Turns = append(current.Turns, t)
}

// clock reads the time of a line, as the clock on the wall showed it.
func clock(c *jsontree.Cursor, text string) time.Time {
	if text == "" {
		return time.Time{}
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, text); err == nil {
			return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
		}
	}
	c.Faultf("time is %q, want one like \"2024-03-04\", \"2024-03-04 09:30\" or \"2024-03-04T09:30:00Z\"", text)
	return time.Time{}
}
