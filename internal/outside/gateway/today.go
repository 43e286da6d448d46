package gateway

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"
)

// today replaces the date of now, in UTC and here, and sets a time of day behind it
// to midnight.
func (n *normaliser) today(s string) string {
	re := n.dates.of(n.now)
	var b strings.Builder
	done := 0
	for _, m := range re.FindAllStringSubmatchIndex(s, -1) {
		start, end := m[0], m[1]
		if joined(s, start) && s[start-1] != '-' || end < len(s) && digit(s[end]) {
			continue
		}
		n.counts["today"]++
		b.WriteString(s[done:start])
		for i, layout := range dateLayouts {
			if m[2+2*i] >= 0 {
				b.WriteString(newYear.Format(layout.as))
			}
		}
		if clock := m[len(m)-2]; clock >= 0 {
			b.WriteString(zeros(s[clock:m[len(m)-1]]))
		}
		done = end
	}
	b.WriteString(s[done:])
	return b.String()
}

// zeros returns a time of day with all its digits 0.
func zeros(clock string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return '0'
		}
		return r
	}, clock)
}

// newYear stands for today.
var newYear = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// dateLayouts are the ways in which today is written, and in which what stands for
// it is: the same whatever the day is, with a zero before it or without.
var dateLayouts = [...]struct{ layout, as string }{
	{"2006-01-02", "2006-01-02"},
	{"2006/01/02", "2006/01/02"},
	{"January 2, 2006", "January 2, 2006"},
	{"January 02, 2006", "January 2, 2006"},
	{"2 January 2006", "2 January 2006"},
	{"02 January 2006", "2 January 2006"},
}

// dates remembers the expression of a day's dates.
type dates struct {
	mu   sync.Mutex
	days string
	re   *regexp.Regexp
}

// of returns the expression that matches the dates of now: a group for each layout,
// and one for the time of day.
func (d *dates) of(now time.Time) *regexp.Regexp {
	utc, local := now.UTC(), now.Local()
	days := utc.Format(time.DateOnly) + local.Format(time.DateOnly)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.days == days {
		return d.re
	}
	var b strings.Builder
	for i, l := range dateLayouts {
		if i > 0 {
			b.WriteByte('|')
		}
		fmt.Fprintf(&b, "(%s|%s)", utc.Format(l.layout), local.Format(l.layout))
	}
	d.days = days
	d.re = regexp.MustCompile(`(?:` + b.String() + `)((?:[T ]|, | at )\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?`)
	return d.re
}
