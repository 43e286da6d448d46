package annotate

import (
	"strconv"
	"strings"
)

// half says which half of the day a token names: "am", "pm" or neither.
func half(w string) string {
	switch w {
	case "am", "a.m", "a.m.":
		return "am"
	case "pm", "p.m", "p.m.":
		return "pm"
	}
	return ""
}

// timeAt returns how many tokens from i on are a time of day.
func (s *sentence) timeAt(i int) int {
	w := s.low[i]
	switch w {
	case "noon", "midnight", "midday", "tonight":
		return 1
	case "half", "quarter":
		if p := s.word(i + 1); p == "past" || p == "to" && w == "quarter" {
			if _, _, ok := clock(s.word(i + 2)); ok || words().numbers[s.word(i+2)] > 0 {
				return 3
			}
		}
		return 0
	case "morning", "afternoon", "evening", "night":
		return 0
	case "this":
		switch s.word(i + 1) {
		case "morning", "afternoon", "evening":
			return 2
		}
		return 0
	}
	h, m, ok := clock(w)
	if !ok {
		if n := words().numbers[w]; n < 1 || n > 12 {
			return 0
		}
	}
	next := s.word(i + 1)
	switch {
	case half(next) != "" || next == "o'clock" || next == "oclock":
		return 2
	case ok && (m >= 0 && !strings.Contains(w, ".") || strings.HasSuffix(w, "m")):
		return 1
	case ok && m >= 0 && len(w) >= 4 && h < 24: // 13.30, after a word that wants a time
		switch s.word(i - 1) {
		case "at", "by", "after", "before", "until", "around":
			return 1
		}
	}
	return 0
}

// clock reads "9", "9:30", "9.30", "9am" or "21:30" as hours and minutes;
// minutes are -1 where there are none.
func clock(w string) (h, m int, ok bool) {
	m = -1
	end := ""
	if len(w) > 2 && (strings.HasSuffix(w, "am") || strings.HasSuffix(w, "pm")) {
		w, end = w[:len(w)-2], w[len(w)-2:]
	}
	if len(w) == 0 || len(w) > 5 || w[0] < '0' || w[0] > '9' {
		return 0, 0, false
	}
	hours := w
	if k := strings.IndexAny(w, ":."); k > 0 {
		var minutes string
		hours, minutes = w[:k], w[k+1:]
		v, err := strconv.Atoi(minutes)
		if err != nil || len(minutes) != 2 || v > 59 {
			return 0, 0, false
		}
		m = v
	}
	v, err := strconv.Atoi(hours)
	if err != nil || v > 24 {
		return 0, 0, false
	}
	if end == "pm" && v < 12 {
		v += 12
	}
	if end == "am" && v == 12 {
		v = 0
	}
	return v, m, true
}

// normalTime returns a time of day as hh:mm, or "".
func normalTime(low []string) string {
	switch low[0] {
	case "noon", "midday":
		return "12:00"
	case "midnight":
		return "00:00"
	case "half", "quarter":
		h := hour(low[2])
		switch {
		case low[0] == "half":
			return hhmm(h, 30)
		case low[1] == "past":
			return hhmm(h, 15)
		}
		return hhmm(h+23, 45)
	}
	h, m, ok := clock(low[0])
	if !ok {
		if h = words().numbers[low[0]]; h == 0 {
			return ""
		}
		m = -1
	}
	if len(low) > 1 {
		switch half(low[1]) {
		case "am":
			if h == 12 {
				h = 0
			}
		case "pm":
			if h < 12 {
				h += 12
			}
		default:
			if low[1] != "o'clock" && low[1] != "oclock" {
				return "" // a length, such as 20 minutes
			}
		}
	}
	return hhmm(h, max(m, 0))
}

func hour(w string) int {
	if n, ok := words().numbers[w]; ok {
		return n
	}
	h, _, _ := clock(w)
	return h
}

func hhmm(h, m int) string {
	h %= 24
	return string([]byte{byte('0' + h/10), byte('0' + h%10), ':', byte('0' + m/10), byte('0' + m%10)})
}
