package locomo

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"recallbench/datasets"
	"recallbench/internal/files/jsontree"
)

// clock is how the format writes when a session began. It has no time zone.
const clock = "3:04 pm on 2 January, 2006"

// turnID is a turn's id: session and position.
var turnID = regexp.MustCompile(`^D[1-9]\d{0,8}:[1-9]\d{0,8}$`)

// session reads one session with its date, which may be nil, and appends it to
// s and its turns' ids to turns.
func (l *loader) session(c, date *jsontree.Cursor, s *datasets.Sample, turns map[string]bool) {
	if !c.Is(jsontree.Array) {
		return
	}
	session := datasets.Session{ID: c.Name(), Time: l.date(c, date)}
	for _, t := range c.Items() {
		if !t.Is(jsontree.Object) {
			continue
		}
		turn := l.turn(t, s.Speakers)
		turn.Time = session.Time
		if turns[turn.ID] {
			t.Faultf("dia_id %q is already that of another turn", turn.ID)
		}
		if turn.ID != "" {
			turns[turn.ID] = true
		}
		session.Turns = append(session.Turns, turn)
	}
	if len(session.Turns) == 0 {
		l.warn("session has no turns; left out", c.Path())
		return
	}
	s.Sessions = append(s.Sessions, session)
}

// date reads when a session began.
func (l *loader) date(session, date *jsontree.Cursor) time.Time {
	if date == nil || date.Value.Kind == jsontree.Null {
		l.warn("session has no date; its time is unknown", session.Path())
		return time.Time{}
	}
	if !date.Is(jsontree.String) {
		return time.Time{}
	}
	// The layout knows lower-case am and pm only, and months in any case.
	t, err := time.Parse(clock, strings.ToLower(strings.TrimSpace(date.Value.Text)))
	if err != nil {
		date.Faultf("%q is no date as the format has it; want one like \"1:56 pm on 8 May, 2023\"", date.Value.Text)
	}
	return t
}

// turn reads one turn. Text is trimmed: 209 turns of the release have white
// space at an end, which says nothing. Line breaks within are kept.
func (l *loader) turn(c *jsontree.Cursor, speakers []string) datasets.Turn {
	var t datasets.Turn
	if id, ok := c.Text("dia_id"); ok {
		if turnID.MatchString(id) {
			t.ID = id
		} else {
			c.Faultf("dia_id is %q, want one like \"D1:2\"", id)
		}
	}
	if speaker, ok := c.Text("speaker"); ok {
		t.Speaker = speaker
		// With a name missing the fault is that, not every turn.
		if len(speakers) == 2 && !slices.Contains(speakers, speaker) {
			c.Faultf("speaker is %q, want %q or %q", speaker, speakers[0], speakers[1])
		}
	}
	if text, ok := c.Text("text"); ok {
		t.Text = l.trim(text, c, "text")
	}
	t.Image = l.image(c)
	if t.Text == "" && t.Image == nil {
		l.warn("turn has neither text nor image; kept", c.Path())
	}
	return t
}

// image reads the picture that was shared with a turn. In the release a
// caption may come without an address, an address not without a caption.
func (l *loader) image(c *jsontree.Cursor) *datasets.Image {
	image := datasets.Image{
		Caption: strings.TrimSpace(c.OptionalText("blip_caption")),
		Query:   strings.TrimSpace(c.OptionalText("query")),
	}
	if urls := c.Optional("img_url"); urls != nil && urls.Is(jsontree.Array) {
		for i, u := range urls.Items() {
			if !u.Is(jsontree.String) {
				continue
			}
			if i == 0 {
				image.URL = u.Value.Text
			} else {
				l.warn("turn has a second image address; left out", u.Path())
			}
		}
	}
	if image == (datasets.Image{}) {
		return nil
	}
	return &image
}

// trim takes white space from the ends of a field's text.
func (l *loader) trim(text string, c *jsontree.Cursor, field string) string {
	trimmed := strings.TrimSpace(text)
	if trimmed != text {
		l.warn("white space at an end of the text; taken off", c.Path()+"."+field)
	}
	return trimmed
}

// order puts sessions in the order of time where their numbers are not. A
// session without a date keeps its place after the one before it.
func (l *loader) order(s *datasets.Sample) {
	at := make(map[string]time.Time, len(s.Sessions))
	var last time.Time
	for _, session := range s.Sessions {
		if session.Time.IsZero() {
			at[session.ID] = last
			continue
		}
		if session.Time.Before(last) {
			l.warn("session is dated before the one before it; put in the order of time", s.ID+": "+session.ID)
		}
		last = session.Time
		at[session.ID] = last
	}
	slices.SortStableFunc(s.Sessions, func(a, b datasets.Session) int { return at[a.ID].Compare(at[b.ID]) })
}

// The fields of a conversation that belong to a session. It may have others,
// which are not read.
var (
	sessionField = regexp.MustCompile(`^session_([1-9]\d{0,8})$`)
	dateField    = regexp.MustCompile(`^session_([1-9]\d{0,8})_date_time$`)
)

// conversation reads speakers, sessions and turns into s and returns the ids
// of the turns.
//
// Sessions come in the order of their numbers. The release has dates of
// sessions that it does not hold, so sessions are what is gone through.
func (l *loader) conversation(c *jsontree.Cursor, s *datasets.Sample) map[string]bool {
	l.speakers(c, s)
	sessions := make(map[int]*jsontree.Cursor)
	dates := make(map[int]*jsontree.Cursor)
	for i, f := range c.Value.Fields {
		if m := sessionField.FindStringSubmatch(f.Name); m != nil {
			n, _ := strconv.Atoi(m[1]) // the pattern bounds it
			sessions[n] = c.At(i)
		} else if m := dateField.FindStringSubmatch(f.Name); m != nil {
			n, _ := strconv.Atoi(m[1])
			dates[n] = c.At(i)
		}
	}
	if len(sessions) == 0 {
		c.Faultf("there is no session; want session_1, session_2 and so on")
	}
	turns := make(map[string]bool)
	last := 0
	for _, n := range slices.Sorted(maps.Keys(sessions)) {
		if n != last+1 {
			l.warn("session before this one is not there", sessions[n].Path())
		}
		last = n
		l.session(sessions[n], dates[n], s, turns)
		delete(dates, n)
	}
	if len(sessions) > 0 && len(s.Sessions) == 0 {
		c.Faultf("no session has a turn")
	}
	for _, n := range slices.Sorted(maps.Keys(dates)) {
		l.warn("date of a session that is not there; ignored", dates[n].Path())
	}
	l.order(s)
	return turns
}

// speakers reads the two names.
func (l *loader) speakers(c *jsontree.Cursor, s *datasets.Sample) {
	for _, field := range []string{"speaker_a", "speaker_b"} {
		name, ok := c.Text(field)
		switch {
		case !ok:
		case strings.TrimSpace(name) == "":
			c.Faultf("%s is empty", field)
		case slices.Contains(s.Speakers, name):
			c.Faultf("%s is %q, the same as speaker_a", field, name)
		default:
			s.Speakers = append(s.Speakers, name)
		}
	}
}
