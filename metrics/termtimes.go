package metrics

import (
	"fmt"
	"strconv"
	"strings"
)

// tellTimes puts clock times as hh:mm for the terms that tell them, and writes
// numbers, amounts of money and telephone numbers in one way.
func tellTimes(s string, list []term) []term {
	out := make([]term, 0, len(list))
	c := clock{s, list}
	for i := 0; i < len(list); {
		if text, n := c.time(i); n > 0 {
			out = append(out, term{text, list[i].start, list[i+n-1].end})
			i += n
			continue
		}
		t := list[i]
		i++
		numeric := t.text[0] >= '0' && t.text[0] <= '9'
		switch {
		case numeric && t.text[0] == '0' && len(t.text) > 2 && isNumber(t.text):
			for i < len(list) && len(list[i].text) > 2 && len(t.text)+len(list[i].text) <= maxPhone && isNumber(list[i].text) && strings.Trim(s[t.end:list[i].start], " -()") == "" {
				t.text, t.end = t.text+list[i].text, list[i].end
				i++
			}
		case numeric:
			t.text = plainNumber(t.text)
		case currencies[t.text] != "" && i < len(list) && isAmount(list[i].text) && joins(s, t, list[i]):
			amount := list[i]
			i++
			amount.text, amount.start = plainNumber(amount.text), t.start
			out = append(out, amount)
			t.text = currencies[t.text]
		case unitsOfMoney[t.text] != "" && i > 1 && isAmount(list[i-2].text) && joins(s, list[i-2], t):
			t.text = unitsOfMoney[t.text]
		case t.text == "%":
			t.text = "percent"
		case t.text == "per" && c.word(i) == "cent" && c.follows(i):
			t = term{"percent", t.start, list[i].end}
			i++
		case t.text == "&":
			t.text = "and"
		}
		out = append(out, t)
	}
	return out
}

// maxPhone is the most digits that a telephone number has, as E.164 says.
const maxPhone = 15

var currencies = map[string]string{"£": "pounds", "$": "dollars", "€": "euros", "gbp": "pounds"}

var unitsOfMoney = map[string]string{"pound": "pounds", "gbp": "pounds", "dollar": "dollars", "euro": "euros"}

// isAmount reports whether a term is a number, maybe with decimals.
func isAmount(text string) bool { return text != "" && strings.Trim(text, "0123456789.,") == "" }

// A clock reads times in terms whose numbers are digits.
type clock struct {
	s    string
	list []term
}

func (c clock) word(i int) string {
	if i < 0 || i >= len(c.list) {
		return ""
	}
	return c.list[i].text
}

// follows reports whether term i stands behind the one before it with nothing
// but spaces and hyphens between.
func (c clock) follows(i int) bool {
	return i > 0 && i < len(c.list) && joins(c.s, c.list[i-1], c.list[i])
}

// int returns the number below 60 that term i is, or -1.
func (c clock) int(i int) int {
	w := c.word(i)
	if n, err := strconv.Atoi(w); err == nil && isNumber(w) && len(w) <= 2 && n < 60 {
		return n
	}
	return -1
}

// A half is a half of the day.
type half int

const (
	unsaid half = iota
	am
	pm
	night // before or after midnight
)

// time reads the time at i as hh:mm; n is the number of its terms, 0 for none.
func (c clock) time(i int) (text string, n int) {
	switch c.word(i) {
	case "noon", "midday":
		return "12:00", 1
	case "midnight":
		return "00:00", 1
	case "half", "quarter":
		return c.past(i)
	}
	if next := c.word(i + 1); c.int(i) == 12 && c.follows(i+1) && (next == "noon" || next == "midday" || next == "midnight") {
		text, _ = c.time(i + 1)
		return text, 2
	}
	h, m, n, sure := c.figures(i)
	if n == 0 {
		return "", 0
	}
	if c.follows(i+n) && c.word(i+n) == "o" && c.word(i+n+1) == "clock" {
		n, sure = n+2, true
	}
	part, words := c.half(i + n)
	if n += words; !sure && words == 0 {
		return "", 0
	}
	return at(h, m, part, n)
}

// figures reads hours and minutes; sure is set where they are a time without
// more words.
func (c clock) figures(i int) (h, m, n int, sure bool) {
	w := c.word(i)
	if hour, minute, ok := strings.Cut(w, ":"); ok || strings.Count(w, ".") == 1 {
		if !ok {
			hour, minute, _ = strings.Cut(w, ".")
		}
		if len(minute) != 2 || len(hour) > 2 || !isNumber(hour) || !isNumber(minute) {
			return 0, 0, 0, false
		}
		h, _ = strconv.Atoi(hour)
		m, _ = strconv.Atoi(minute)
		return h, m, 1, ok && h <= 24 && m < 60
	}
	if h = c.int(i); h < 0 {
		return 0, 0, 0, false
	}
	if m = c.int(i + 1); m >= 0 && len(c.word(i+1)) == 2 && c.follows(i+1) {
		if _, words := c.half(i + 2); words > 0 {
			return h, m, 2, false
		}
	}
	return h, 0, 1, false
}

// past reads "half past nine", "quarter to ten".
func (c clock) past(i int) (text string, n int) {
	h := c.int(i + 2)
	if h < 0 || !c.follows(i+1) || !c.follows(i+2) {
		return "", 0
	}
	n = 3
	if c.word(i+3) == "o" && c.word(i+4) == "clock" && c.follows(i+3) {
		n = 5
	}
	part, words := c.half(i + n)
	n += words
	switch c.word(i) + " " + c.word(i+1) {
	case "half past":
		return at(h, 30, part, n)
	case "quarter past":
		return at(h, 15, part, n)
	case "quarter to":
		if h == 0 {
			h = 24
		}
		text, n = at(h, 0, part, n)
		if n == 0 {
			return "", 0
		}
		full, _ := strconv.Atoi(text[:2])
		return fmt.Sprintf("%02d:45", (full+23)%24), n
	}
	return "", 0
}

// half reads the half of the day at i, "pm", "a.m." or "in the evening", and
// returns its number of words.
func (c clock) half(i int) (part half, words int) {
	if i == 0 || i >= len(c.list) {
		return unsaid, 0
	}
	gap := c.s[c.list[i-1].end:c.list[i].start]
	if strings.Trim(gap, " -\u00a0") != "" {
		return unsaid, 0
	}
	part = map[string]half{"a": am, "am": am, "p": pm, "pm": pm}[c.word(i)]
	switch {
	case part == unsaid:
	case len(c.word(i)) == 2:
		return part, 1
	case c.word(i+1) == "m" && strings.TrimSpace(c.s[c.list[i].end:c.list[i+1].start]) == ".":
		return part, 2
	}
	if !c.follows(i + 1) {
		return unsaid, 0
	}
	switch c.word(i) + " " + c.word(i+1) {
	case "in the":
		if !c.follows(i + 2) {
			return unsaid, 0
		}
		if part := dayparts[c.word(i+2)]; part != unsaid {
			return part, 3
		}
	case "at night":
		return night, 2
	}
	return unsaid, 0
}

var dayparts = map[string]half{"morning": am, "afternoon": pm, "evening": pm}

// at writes a time. It is none if there is no such hour or minute.
func at(h, m int, part half, n int) (string, int) {
	switch {
	case h > 24 || m > 59 || part == pm && h == 0:
		return "", 0
	case part == night && h >= 5 && h < 12, part == pm && h < 12:
		h += 12
	case (part == am || part == night) && h == 12:
		h = 0
	}
	return fmt.Sprintf("%02d:%02d", h%24, m), n
}
