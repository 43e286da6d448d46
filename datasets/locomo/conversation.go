package locomo

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/jsontree"
)

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
