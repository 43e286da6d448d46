package multiwozlong

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A minute is a time of day.
type minute struct {
	of         int  // the day, from 0
	half       bool // of the day is not known: it was said without am or pm, and before one o'clock in the afternoon
	start, end int  // in the text
}

func (m minute) String() string { return fmt.Sprintf("%02d:%02d", m.of/60, m.of%60) }

// forms returns ways to write a time other than 14:05.
func (m minute) forms() []string {
	h, past, half := m.of/60, m.of%60, "am"
	if h >= 12 {
		half = "pm"
	}
	h12 := (h+11)%12 + 1
	all := []string{fmt.Sprintf("%d:%02d %s", h12, past, half)}
	if h < 10 {
		all = append(all, fmt.Sprintf("%d:%02d", h, past))
	}
	if past == 0 {
		all = append(all, fmt.Sprintf("%d %s", h12, half))
	}
	return all
}

var clockForm = regexp.MustCompile(`(?i)\b([01]?[0-9]|2[0-4])(?:[:.]([0-5][0-9])\s*(am|pm|a\.m\.?|p\.m\.?)?|\s*(am|pm|a\.m\.?|p\.m\.?))(?:\b|$|\s)`)

// clocks returns the times of day in a text.
func clocks(s string) []minute {
	var all []minute
	for _, m := range clockForm.FindAllStringSubmatchIndex(s, -1) {
		h, _ := strconv.Atoi(s[m[2]:m[3]])
		t := minute{start: m[0], end: m[0] + len(strings.TrimRight(s[m[0]:m[1]], " \t\n"))}
		past := 0
		if m[4] >= 0 {
			past, _ = strconv.Atoi(s[m[4]:m[5]])
		}
		half := ""
		for _, g := range []int{6, 8} {
			if m[g] >= 0 {
				half = strings.ToLower(s[m[g] : m[g]+1])
			}
		}
		switch {
		case half == "p" && h < 12:
			h += 12
		case half == "a" && h == 12:
			h = 0
		case half == "":
			t.half = h <= 12
		}
		t.of = (h%24)*60 + past
		all = append(all, t)
	}
	return all
}

// same tells whether a time that was said may be the time meant.
func (m minute) same(value string) bool {
	v := clocks(value)
	if len(v) != 1 {
		return false
	}
	return m.of == v[0].of || m.half && (m.of+12*60)%(24*60) == v[0].of
}
