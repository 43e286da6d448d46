package metrics

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// tellTimes replaces terms that tell a clock time with hh:mm, and writes
// numbers, amounts of money and telephone numbers in one way.
func tellTimes(s string, list []term) []term {
	out := make([]term, 0, len(list))
	l := newLine(s, list)
	for i := 0; i < len(list); {
		if text, n := l.time(i); n > 0 {
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
		case t.text == "per" && i < len(list) && list[i].text == "cent" && joins(s, t, list[i]):
			t = term{"percent", t.start, list[i].end}
			i++
		case t.text == "&":
			t.text = "and"
		}
		out = append(out, t)
	}
	return out
}

// maxPhone is the largest number of digits of a telephone number by E.164.
const maxPhone = 15

var currencies = map[string]string{"£": "pounds", "$": "dollars", "€": "euros", "gbp": "pounds"}

var unitsOfMoney = map[string]string{"pound": "pounds", "gbp": "pounds", "dollar": "dollars", "euro": "euros"}

// isAmount reports whether a term is a number, possibly with decimals.
func isAmount(text string) bool { return text != "" && strings.Trim(text, "0123456789.,") == "" }

// A line has terms and the text between them, so that patterns can find times: a mark
// of the gap before each term, a semicolon after it.
type line struct {
	text string
	at   []int // where each term begins in it
}

func newLine(s string, list []term) line {
	var b strings.Builder
	var l line
	end := 0
	for _, t := range list {
		l.at = append(l.at, b.Len())
		switch gap := s[end:t.start]; {
		case strings.Trim(gap, " -\u00a0") == "":
			b.WriteByte(' ')
		case strings.Trim(gap, " -\u2010\u2011\u00a0") == "":
			b.WriteByte('-')
		case strings.TrimSpace(gap) == ".":
			b.WriteByte('.')
		default:
			b.WriteByte('|')
		}
		b.WriteString(t.text)
		b.WriteByte(';')
		end = t.end
	}
	l.text = b.String()
	return l
}

// The patterns of times in a line. A half of the day is "pm", "a.m." or "in the evening".
const (
	oClock    = `(?:[ -]o;.clock;)`
	halfOfDay = `( [ap]m;| [ap];\.m;| in;[ -]the;[ -](?:morning|afternoon|evening);| at;[ -]night;)`
)

var (
	noonForm = regexp.MustCompile(`^.(?:12;[ -])?(noon|midday|midnight);`)
	pastForm = regexp.MustCompile(`^.(half;[ -]past|quarter;[ -]past|quarter;[ -]to);[ -]([0-9]{1,2});` + oClock + `?` + halfOfDay + `?`)
	timeForm = regexp.MustCompile(`^.(?:([0-9]{1,2})([:.])([0-9]{2});` + oClock + `?` + halfOfDay + `?|([0-9]{1,2});[ -]([0-9]{2});` + halfOfDay +
		`|([0-9]{1,2});(?:` + oClock + halfOfDay + `?|` + halfOfDay + `))`)
)

// time reads the time at term i as hh:mm; n is the number of its terms, or 0.
func (l line) time(i int) (text string, n int) {
	rest := l.text[l.at[i]:]
	if m := noonForm.FindStringSubmatch(rest); m != nil {
		text = "12:00"
		if m[1] == "midnight" {
			text = "00:00"
		}
		return text, strings.Count(m[0], ";")
	}
	if m := pastForm.FindStringSubmatch(rest); m != nil {
		return pastTime(m[1], m[2], m[3], strings.Count(m[0], ";"))
	}
	m := timeForm.FindStringSubmatch(rest)
	if m == nil {
		return "", 0
	}
	n = strings.Count(m[0], ";")
	switch {
	case m[2] != "":
		if m[2] == "." && n == 1 {
			return "", 0 // a decimal
		}
		return clockTime(m[1], m[3], m[4], n)
	case m[5] != "":
		return clockTime(m[5], m[6], m[7], n)
	}
	return clockTime(m[8], "0", m[9]+m[10], n)
}

// pastTime is half past, quarter past or quarter to an hour.
func pastTime(how, hour, half string, n int) (string, int) {
	switch {
	case strings.HasPrefix(how, "half"):
		return clockTime(hour, "30", half, n)
	case strings.HasSuffix(how, "past"):
		return clockTime(hour, "15", half, n)
	}
	if hour == "0" || hour == "00" {
		hour = "24"
	}
	text, n := clockTime(hour, "0", half, n)
	if n == 0 {
		return "", 0
	}
	full, _ := strconv.Atoi(text[:2])
	return fmt.Sprintf("%02d:45", (full+23)%24), n
}

// clockTime writes a time of n terms. It is empty if there is no such hour or minute.
func clockTime(hour, minute, half string, n int) (string, int) {
	h, _ := strconv.Atoi(hour)
	m, _ := strconv.Atoi(minute)
	morning := strings.HasPrefix(half, " a") && !strings.Contains(half, "night") || strings.Contains(half, "morning")
	night := strings.Contains(half, "night")
	afternoon := half != "" && !morning && !night
	switch {
	case h > 24 || m > 59 || afternoon && h == 0:
		return "", 0
	case night && h >= 5 && h < 12, afternoon && h < 12:
		h += 12
	case (morning || night) && h == 12:
		h = 0
	}
	return fmt.Sprintf("%02d:%02d", h%24, m), n
}
