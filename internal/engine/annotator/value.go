package annotator

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"recallbench/internal/door/annotate"
	"recallbench/internal/text/english"
)

// isValue reports whether entities of a type are values: they are told apart by
// what they say.
func isValue(t string) bool { return values[t] }

var values = map[string]bool{
	"DATE": true, "TIME": true, "MONEY": true, "PERCENT": true, "CARDINAL": true, "ORDINAL": true, "QUANTITY": true, "CODE": true,
}

// isQuality reports whether entities of a type are what things are like, not
// things: nationalities, and common words that a request names without a type.
func isQuality(t string) bool { return t == "NORP" || t == "MISC" }

// currencies are the signs of what money is said in.
var currencies = map[string]string{
	"pounds": "£", "pound": "£", "gbp": "£", "dollars": "$", "dollar": "$", "bucks": "$", "usd": "$", "euros": "€", "euro": "€", "cents": "c", "pence": "p",
}

// valueAt returns how many tokens from i on are a value, and its type; 0 for
// none.
func (s *sentence) valueAt(i int) (int, string) {
	w := s.low[i]
	_, number := english.Number(w)
	_, amount := english.Number(s.word(i + 1))
	switch n := s.codeAt(i); {
	case s.timeAt(i) > 0:
		return s.timeAt(i), "TIME"
	case number && currencies[s.word(i+1)] != "", amount && (w == "$" || w == "£" || w == "€"):
		return 2, "MONEY"
	case number && s.is(i+1, "%", "percent"):
		return 2, "PERCENT"
	case number && s.is(i+1, "minute", "minutes", "hour", "hours"):
		return 2, "TIME"
	case number && s.is(i+1, "mile", "miles", "km", "meters", "metres", "feet", "kg"):
		return 2, "QUANTITY"
	case words().days[w]:
		return 1, "DATE"
	case n > 0:
		return n, "CODE"
	case english.Ordinal(w), s.pos(i) == "JJ" && s.is(i, "first", "second", "third"):
		return 1, "ORDINAL"
	case number && s.pos(i) == "CD" && !s.pronounOne(i):
		return 1, "CARDINAL"
	}
	return 0, ""
}

// pronounOne reports whether "one" stands for a thing: "that one", "the cheap
// one".
func (s *sentence) pronounOne(i int) bool {
	p, next := s.pos(i-1), s.pos(i+1)
	return s.low[i] == "one" && (p == "DT" || adjective(p) || p == "WDT" || verb(p) && !noun(next) && next != "CD" || verbal(next) || s.word(i+1) == "of")
}

// codeAt returns how many tokens from i on are a code: a reference number, the
// number of a train, a postcode, a telephone number.
func (s *sentence) codeAt(i int) int {
	w := s.word(i)
	digits, alpha := 0, 0
	for _, r := range w {
		switch {
		case unicode.IsDigit(r):
			digits++
		case r >= 'a' && r <= 'z':
			alpha++
		case r != '-':
			return 0
		}
	}
	_, _, clocked := clock(w)
	switch n := digits + alpha; {
	case n > 24 || english.Ordinal(w) || clocked && alpha > 0:
	case digits >= 7 && alpha == 0, digits >= 2 && alpha >= 2 && n >= 5:
		return 1
	case digits > 0 && alpha > 0 && n <= 4 && w[0] > '9': // a postcode in two
		if next := s.word(i + 1); len(next) == 3 && next[0] <= '9' && next[1] > '9' && next[2] > '9' {
			return 2
		}
	case n >= 6 && alpha > 0 && (digits > 0 || s.Tokens[i].Text == strings.ToUpper(w)):
		for k := max(0, i-6); k < i; k++ {
			if s.is(k, "reference", "ref", "number", "code", "confirmation", "id") {
				return 1
			}
		}
	}
	return 0
}

// half says which half of the day a token names: "am", "pm" or neither.
func half(w string) string {
	if w = strings.ReplaceAll(w, ".", ""); w == "am" || w == "pm" {
		return w
	}
	return ""
}

// timeAt returns how many tokens from i on are a time of day.
func (s *sentence) timeAt(i int) int {
	w := s.low[i]
	_, m, ok := clock(w)
	hour := ok || english.Numeral(w) > 0 && english.Numeral(w) <= 12
	switch {
	case s.is(i, "noon", "midnight", "midday", "tonight"):
		return 1
	case w == "this" && s.is(i+1, "morning", "afternoon", "evening"):
		return 2
	case s.is(i, "half", "quarter") && s.is(i+1, "past", "to") && hourOf(s.word(i+2)) > 0:
		return 3
	case hour && (half(s.word(i+1)) != "" || s.word(i+1) == "o'clock"):
		return 2
	case ok && (strings.Contains(w, ":") || strings.HasSuffix(w, "m")),
		ok && m >= 0 && s.is(i-1, "at", "by", "after", "before", "until", "around"): // 13.30
		return 1
	}
	return 0
}

// clock reads "9", "9:30", "9.30", "9am" or "21:30" as hours and minutes;
// minutes are -1 if there are none.
func clock(w string) (h, m int, ok bool) {
	digits := strings.TrimSuffix(strings.TrimSuffix(w, "am"), "pm")
	hours, minutes, cut := strings.Cut(strings.ReplaceAll(digits, ".", ":"), ":")
	m = -1
	if cut {
		n, err := strconv.ParseUint(minutes, 10, 8)
		if err != nil || len(minutes) != 2 || n > 59 {
			return 0, 0, false
		}
		m = int(n)
	}
	n, err := strconv.ParseUint(hours, 10, 8)
	if err != nil || n > 24 {
		return 0, 0, false
	}
	return halved(int(n), w[len(digits):]), m, true
}

// halved returns an hour in the half of the day that was said.
func halved(h int, half string) int {
	switch {
	case half == "pm" && h < 12:
		return h + 12
	case half == "am" && h == 12:
		return 0
	}
	return h
}

// hourOf returns the hour that a word says, in letters or digits.
func hourOf(w string) int {
	h, _, _ := clock(w)
	return max(h, english.Numeral(w))
}

// normal returns what a value says, equal for equal values.
func (s *sentence) normal(e annotate.Entity) string {
	low := s.low[e.Start:e.End]
	switch e.Type {
	case "TIME":
		return normalTime(low)
	case "DATE":
		return normalDate(low)
	case "CARDINAL", "PERCENT":
		n, _ := english.Number(low[0])
		return n
	case "MONEY":
		if len(low) != 2 {
			break
		}
		sign, number := low[0], low[1]
		if c := currencies[low[1]]; c != "" {
			sign, number = c, low[0]
		}
		n, _ := english.Number(number)
		if strings.Contains(n, ".") {
			n = strings.TrimRight(strings.TrimRight(n, "0"), ".")
		}
		return sign + n
	}
	return strings.Join(low, " ")
}

// normalTime returns a time of day as hh:mm. A length, such as 20 minutes, stays
// as it is.
func normalTime(low []string) string {
	h, m, ok := clock(low[0])
	switch {
	case low[0] == "noon" || low[0] == "midday":
		h, m, ok = 12, 0, true
	case low[0] == "midnight":
		h, ok = 0, true
	case len(low) == 3 && low[0] == "half":
		h, m, ok = hourOf(low[2]), 30, true
	case len(low) == 3 && low[1] == "past":
		h, m, ok = hourOf(low[2]), 15, true
	case len(low) == 3:
		h, m, ok = hourOf(low[2])+23, 45, true
	case len(low) == 2 && (half(low[1]) != "" || low[1] == "o'clock"):
		h, ok = halved(hourOf(low[0]), half(low[1])), true
	case len(low) == 2:
		ok = false
	}
	if !ok {
		return strings.Join(low, " ")
	}
	return fmt.Sprintf("%02d:%02d", h%24, max(m, 0))
}

// normalDate returns a date in one spelling: "7 may", "friday".
func normalDate(low []string) string {
	var day, month string
	var rest []string
	for _, w := range low {
		switch {
		case w == "the" || w == "of" || w == "," || w == "on":
		case words().months[w]:
			month = w[:3]
		case english.Ordinal(w):
			day = w[:len(w)-2]
		case len(w) <= 2 && w[0] >= '0' && w[0] <= '9':
			day = w
		case words().days[w]:
			rest = append(rest, strings.TrimSuffix(w, "s"))
		default:
			rest = append(rest, w)
		}
	}
	return strings.Join(slices.Insert(rest, 0, strings.Fields(day+" "+month)...), " ")
}

// knownValue returns what a value of earlier sessions said, empty if it means
// something else now: a day that is named by its distance from then.
func knownValue(typ, text string) string {
	for _, s := range sentences(0, text[:min(len(text), maxNameBytes)]) {
		if !slices.ContainsFunc(s.low, func(w string) bool { return words().deictic[w] }) {
			return s.normal(annotate.Entity{Span: annotate.Span{End: len(s.low)}, Type: typ})
		}
	}
	return ""
}
