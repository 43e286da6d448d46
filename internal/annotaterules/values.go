package annotaterules

import (
	"strconv"
	"strings"
	"unicode"

	"recallbench/internal/annotate"
	"recallbench/internal/timex"
)

// isValue reports whether entities of a type are values: they are told apart by
// what they say.
func isValue(t string) bool {
	switch t {
	case "DATE", "TIME", "MONEY", "PERCENT", "CARDINAL", "ORDINAL", "QUANTITY", "CODE":
		return true
	}
	return false
}

// valueAt returns how many tokens from i on are a value, and its type; 0 for
// none.
func (s *sentence) valueAt(i int) (int, string) {
	if n := s.timeAt(i); n > 0 {
		return n, "TIME"
	}
	if n := s.moneyAt(i); n > 0 {
		return n, "MONEY"
	}
	w := s.low[i]
	if _, ok := s.numberAt(i); ok {
		switch s.word(i + 1) {
		case "%", "percent":
			return 2, "PERCENT"
		case "minute", "minutes", "hour", "hours", "min", "mins", "hrs":
			return 2, "TIME"
		case "night", "nights", "day", "days", "week", "weeks", "month", "months", "year", "years":
			if s.word(i+2) == "old" {
				return 3, "DATE"
			}
		case "mile", "miles", "km", "kilometers", "kilometres", "meters", "metres", "feet", "kg", "pounds-weight":
			return 2, "QUANTITY"
		}
	}
	switch {
	case words().days[w]:
		return 1, "DATE"
	case s.codeAt(i) > 0:
		return s.codeAt(i), "CODE"
	case ordinal(w):
		return 1, "ORDINAL"
	case w == "first" && s.pos(i) == "JJ", w == "third" && s.pos(i) == "JJ", w == "second" && s.pos(i) == "JJ":
		return 1, "ORDINAL"
	}
	if _, ok := s.numberAt(i); ok && (s.Tokens[i].POS == "CD" && !s.pronounOne(i)) {
		return 1, "CARDINAL"
	}
	return 0, ""
}

// pronounOne reports whether "one" stands for a thing: "that one", "the cheap
// one".
func (s *sentence) pronounOne(i int) bool {
	if s.low[i] != "one" {
		return false
	}
	p, next := s.pos(i-1), s.pos(i+1)
	return p == "DT" || strings.HasPrefix(p, "JJ") || p == "WDT" || verb(p) && !noun(next) && next != "CD" || verb(next) || next == "MD" || s.word(i+1) == "of"
}

// numberAt reads a number in digits or letters.
func (s *sentence) numberAt(i int) (string, bool) {
	w := s.low[i]
	if n, ok := words().numbers[w]; ok {
		return strconv.Itoa(n), true
	}
	if w[0] < '0' || w[0] > '9' {
		if tens, ones, ok := strings.Cut(w, "-"); ok {
			a, b := words().numbers[tens], words().numbers[ones]
			if a >= 20 && b > 0 && b < 10 {
				return strconv.Itoa(a + b), true
			}
		}
		return "", false
	}
	for k := range len(w) {
		if c := w[k]; (c < '0' || c > '9') && c != ',' && c != '.' {
			return "", false
		}
	}
	return strings.ReplaceAll(w, ",", ""), true
}

func ordinal(w string) bool {
	if len(w) < 3 || w[0] < '0' || w[0] > '9' {
		return false
	}
	switch w[len(w)-2:] {
	case "st", "nd", "rd", "th":
		_, err := strconv.Atoi(w[:len(w)-2])
		return err == nil
	}
	return false
}

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

// moneyAt returns how many tokens from i on are an amount of money.
func (s *sentence) moneyAt(i int) int {
	switch s.low[i] {
	case "$", "£", "€":
		if i+1 < len(s.low) {
			if _, ok := s.numberAt(i + 1); ok {
				return 2
			}
		}
		return 0
	}
	if _, ok := s.numberAt(i); !ok {
		return 0
	}
	switch s.word(i + 1) {
	case "pounds", "pound", "gbp", "dollars", "dollar", "euros", "euro", "bucks", "cents", "pence", "quid", "usd", "eur":
		return 2
	}
	return 0
}

// codeAt returns how many tokens from i on are a code: a reference number, the
// number of a train, a postcode, a telephone number.
func (s *sentence) codeAt(i int) int {
	if i >= len(s.low) {
		return 0
	}
	w := s.low[i]
	if len(w) > 24 {
		return 0
	}
	digits, alpha, upper := 0, 0, true
	for _, r := range s.Tokens[i].Text {
		switch {
		case unicode.IsDigit(r):
			digits++
		case r >= 'A' && r <= 'Z':
			alpha++
		case r >= 'a' && r <= 'z':
			alpha++
			upper = false
		case r != '-':
			return 0
		}
	}
	switch {
	case digits >= 7 && alpha == 0: // a telephone number
		return 1
	case digits >= 2 && alpha >= 2 && digits+alpha >= 5 && !ordinal(w) && !strings.HasSuffix(w, "am") && !strings.HasSuffix(w, "pm"):
		return 1
	case digits > 0 && digits <= 2 && alpha > 0 && alpha <= 2 && w[0] > '9': // a postcode in two
		if n := s.word(i + 1); len(n) == 3 && n[0] >= '0' && n[0] <= '9' && n[1] > '9' && n[2] > '9' {
			return 2
		}
	case digits == 0 && alpha >= 6 && upper, digits > 0 && alpha > 0 && digits+alpha >= 6 && !ordinal(w) && !strings.Contains(w, "-"):
		for k := i - 1; k >= 0 && k >= i-6; k-- {
			switch s.low[k] {
			case "reference", "ref", "number", "code", "confirmation", "id":
				return 1
			}
		}
	}
	return 0
}

// dates returns the expressions of date in an utterance.
func dates(text string) []timex.Expr {
	return timex.Find(text, zeroTime)
}

// normal returns what a value says, equal for equal values.
func (s *sentence) normal(e annotate.Entity) string {
	low := s.low[e.Start:e.End]
	switch e.Type {
	case "TIME":
		if v := normalTime(low); v != "" {
			return v
		}
	case "DATE":
		return normalDate(low)
	case "CODE":
		return strings.Join(low, "")
	case "CARDINAL":
		if n, ok := s.numberAt(e.Start); ok {
			return n
		}
	case "MONEY":
		return normalMoney(s, e)
	case "PERCENT":
		n, _ := s.numberAt(e.Start)
		return n + "%"
	}
	return strings.Join(low, " ")
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

// normalDate returns a date in one spelling: "7 may", "friday".
func normalDate(low []string) string {
	var day, month, rest string
	for _, w := range low {
		switch {
		case w == "the" || w == "of" || w == "," || w == "on":
		case words().months[w]:
			month = w
			if len(w) > 3 {
				month = w[:3]
			}
		case ordinal(w):
			day = w[:len(w)-2]
		case len(w) <= 2 && w[0] >= '0' && w[0] <= '9':
			day = w
		case words().days[w]:
			rest += " " + strings.TrimSuffix(w, "s")
		default:
			rest += " " + w
		}
	}
	return strings.Join(strings.Fields(day+" "+month+rest), " ")
}

// currencies are the signs of what money is said in.
var currencies = map[string]string{
	"pounds": "£", "pound": "£", "gbp": "£", "quid": "£", "dollars": "$", "dollar": "$", "bucks": "$", "usd": "$", "euros": "€", "euro": "€", "eur": "€", "cents": "c", "pence": "p",
}

func normalMoney(s *sentence, e annotate.Entity) string {
	sign, at := s.low[e.Start], e.Start+1
	if c := currencies[s.low[e.End-1]]; c != "" {
		sign, at = c, e.Start
	}
	n, _ := s.numberAt(at)
	if strings.Contains(n, ".") {
		n = strings.TrimRight(strings.TrimRight(n, "0"), ".")
	}
	return sign + n
}
