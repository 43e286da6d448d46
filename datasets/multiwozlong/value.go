package multiwozlong

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
)

// A class says how values of a slot are written and compared.
type class int

const (
	text class = iota
	clock
	number
	day
	area
	price
	code // letters and digits, however they are grouped
	fee
)

// classes are those of slots whose values are not plain text.
var classes = map[string]class{
	"booktime": clock, "leaveat": clock, "arriveby": clock,
	"bookpeople": number, "bookstay": number, "stars": number,
	"bookday": day, "day": day, "area": area, "pricerange": price,
	"phone": code, "postcode": code, "ref": code, "trainid": code,
	"entrancefee": fee,
}

var (
	numbers = []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
	days    = []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}
	areas   = []string{"north", "south", "east", "west"}
	prices  = []string{"cheap", "moderate", "expensive"}
	// unset are values that say nothing.
	unset = []string{"", "?", "none", "dontcare", "do nt care", "dont care", "not mentioned", "unknown", "any", "not given"}
)

// canonical returns a value in the form in which values of the class are
// compared and written as an answer; false if it is invalid.
func (c class) canonical(value string) (string, bool) {
	n := norm(value)
	if slices.Contains(unset, n) {
		return "", false
	}
	switch c {
	case clock:
		times := clocks(value)
		if len(times) != 1 {
			return "", false
		}
		return times[0].String(), true
	case number:
		if i := slices.Index(numbers, n); i > 0 {
			return strconv.Itoa(i), true
		}
		i, err := strconv.Atoi(n)
		return strconv.Itoa(i), err == nil && 0 < i && i < 100
	case day:
		return strings.ToUpper(n[:1]) + n[1:], slices.Contains(days, n)
	case area:
		if n == "center" || n == "city center" {
			return "centre", true
		}
		a := strings.TrimPrefix(strings.TrimSuffix(n, " part of town"), "city ")
		return a, slices.Contains(areas, a)
	case price:
		i := slices.IndexFunc(prices, func(p string) bool { return strings.HasPrefix(n, p) })
		if i < 0 || strings.Count(n, " ") > 1 {
			return "", false
		}
		return prices[i], true
	case code:
		return strings.ToUpper(strings.ReplaceAll(n, " ", "")), true
	case fee:
		return n, n == "free" || strings.ContainsAny(n, "0123456789")
	case text:
	}
	return n, true
}

// is reports whether a text is a way to write a canonical value.
func (c class) is(text, value string) bool {
	v, ok := c.canonical(text)
	return ok && v == value
}

// variants returns other ways to write a canonical value.
func (c class) variants(value string) []string {
	switch c {
	case clock:
		return clocks(value)[0].forms()
	case number:
		if i, err := strconv.Atoi(value); err == nil && i < len(numbers) {
			return []string{numbers[i]}
		}
	case area, price:
		return map[string][]string{"centre": {"center"}, "moderate": {"moderately"}}[value]
	case code:
		if ukPostcode.MatchString(value) {
			return []string{value[:len(value)-3] + " " + value[len(value)-3:]}
		}
	case text, day, fee:
	}
	return nil
}

var (
	ukPostcode = regexp.MustCompile(`^[A-Z]{1,2}[0-9]{2,3}[A-Z]{2}$`)
	// numberForms are the forms of a slot's number in a text.
	numberForms = map[string]*regexp.Regexp{
		"bookpeople": regexp.MustCompile(`(?i)\b(\w+)\s+(?:other\s+)?(?:people|persons?|guests?|of us|adults?|diners|tickets?|seats?|travell?ers?)\b|\b(?:(?:party|group|table|reservation|room) (?:of|for)|people:?|book (?:it|that|them|this|a table|a room) for|it for|for) (\w+)\b`),
		"bookstay":   regexp.MustCompile(`(?i)\b(\w+)[\s-]+(?:nights?|days?)\b`),
		"stars":      regexp.MustCompile(`(?i)\b(\w+)[\s-]+stars?\b|\b(?:rating|stars?)(?: rating)?(?: of| is)? (\w+)\b`),
	}
)

// locate finds a canonical value of a slot in a text.
func locate(slot, value, s string) (span, bool) {
	all := words(s)
	switch c := classes[slot]; c {
	case clock:
		for _, t := range clocks(s) {
			if t.same(value) {
				return t.span, true
			}
		}
	case number:
		for _, m := range numberForms[slot].FindAllStringSubmatchIndex(s, -1) {
			for g := 2; g < len(m); g += 2 {
				if m[g] >= 0 && c.is(s[m[g]:m[g+1]], value) {
					return span{m[g], m[g+1]}, true
				}
			}
		}
	case code:
		return locateCode(all, value)
	case price:
		for _, w := range all {
			if c.is(w.text, value) {
				return w.span, true
			}
		}
	case text, day, area, fee:
		return find(all, norm(value))
	}
	return span{}, false
}

// locateCode finds letters and digits in a row of words.
func locateCode(all []word, value string) (span, bool) {
	for i := range all {
		said := ""
		for j := i; j < len(all) && strings.HasPrefix(value, said); j++ {
			if said += strings.ToUpper(all[j].text); said == value {
				return span{all[i].start, all[j].end}, true
			}
		}
	}
	return span{}, false
}

// A minute is a time of day.
type minute struct {
	of   int  // the day, from 0
	half bool // of the day is unknown: said without am or pm, and before one o'clock in the afternoon
	span      // in the text
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
		group := func(g int) string {
			if m[2*g] < 0 {
				return ""
			}
			return s[m[2*g]:m[2*g+1]]
		}
		h, _ := strconv.Atoi(group(1))
		past, _ := strconv.Atoi(group(2)) // empty for an hour alone
		t := minute{span: span{m[0], m[0] + len(strings.TrimRight(s[m[0]:m[1]], " \t\n"))}}
		switch half := strings.ToLower(group(3) + group(4)); {
		case half == "":
			t.half = h <= 12
		case half[0] == 'p' && h < 12:
			h += 12
		case half[0] == 'a' && h == 12:
			h = 0
		}
		t.of = (h%24)*60 + past
		all = append(all, t)
	}
	return all
}

// same reports whether a stated time may be the time meant.
func (m minute) same(value string) bool {
	v := clocks(value)
	return len(v) == 1 && (m.of == v[0].of || m.half && (m.of+12*60)%(24*60) == v[0].of)
}

// A span is a part of a text in bytes, end excluded.
type span struct{ start, end int }

func (s span) of(text string) string { return text[s.start:s.end] }

// A word is a part of a text in the form in which words are compared.
type word struct {
	text string
	span
}

// wordForm is a run of letters and digits, in which a clock time or a decimal is one
// word, or an ampersand.
var wordForm = regexp.MustCompile(`&|(?:\p{Nd}+(?:[:.]\p{Nd}+)*|\pL)(?:\p{Nd}+(?:[:.]\p{Nd}+)*|\pL|['’]\pL)*`)

var (
	apostrophes = strings.NewReplacer("'", "", "’", "")
	// spellings are words with several spellings in the dialogues.
	spellings = map[string]string{"centre": "center", "theater": "theatre", "saint": "st", "guesthouses": "guesthouse", "&": "and"}
)

// words splits a text into words in lowercase and without apostrophes. "guest house"
// is one word.
func words(s string) []word {
	var all []word
	for _, m := range wordForm.FindAllStringIndex(s, -1) {
		w := word{apostrophes.Replace(strings.ToLower(s[m[0]:m[1]])), span{m[0], m[1]}}
		if other, ok := spellings[w.text]; ok {
			w.text = other
		}
		if n := len(all) - 1; w.text == "house" && n >= 0 && all[n].text == "guest" {
			all[n] = word{"guesthouse", span{all[n].start, w.end}}
		} else {
			all = append(all, w)
		}
	}
	return all
}

// norm returns a text in the form in which texts are compared: its words.
func norm(s string) string {
	return strings.Join(lists.Map(words(s), func(w word) string { return w.text }), " ")
}

// at reports whether text begins with words.
func at(text []word, words []string) bool {
	return len(text) >= len(words) && slices.EqualFunc(text[:len(words)], words, func(w word, s string) bool { return w.text == s })
}

// find returns the place of the first run of the words of part.
func find(text []word, part string) (span, bool) {
	want := strings.Fields(part)
	for i := range text {
		if len(want) > 0 && at(text[i:], want) {
			return span{text[i].start, text[i+len(want)-1].end}, true
		}
	}
	return span{}, false
}

// whole reports whether words begin and end at a place: spans of the annotation
// cut some in two.
func whole(text string, at span) bool {
	begins, ends := false, false
	for _, w := range words(text) {
		begins, ends = begins || w.start == at.start, ends || w.end == at.end
	}
	return begins && ends
}
