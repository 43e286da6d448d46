package multiwozlong

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
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

// classes are those of slots whose values are no plain text.
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
	areas   = []string{"centre", "north", "south", "east", "west"}
	// unset are values that say nothing.
	unset = []string{"", "?", "none", "dontcare", "do nt care", "dont care", "not mentioned", "unknown", "any", "not given"}
)

// canonical returns a value in the form in which values of the class are
// compared and written as an answer; false where it is none.
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
		if !slices.Contains(days, n) {
			return "", false
		}
		return strings.ToUpper(n[:1]) + n[1:], true
	case area:
		for _, a := range areas {
			if n == norm(a) || n == a+" part of town" || n == "city "+norm(a) {
				return a, true
			}
		}
		return "", false
	case price:
		for _, p := range []string{"cheap", "moderate", "expensive"} {
			if n == p || strings.HasPrefix(n, p) && len(strings.Fields(n)) <= 2 && !strings.HasPrefix(n, "inexpensive") {
				return p, true
			}
		}
		return "", false
	case code:
		return strings.ToUpper(strings.ReplaceAll(n, " ", "")), true
	case fee:
		return n, n == "free" || strings.ContainsAny(n, "0123456789")
	case text:
	}
	return n, n != ""
}

// variants returns other ways to write a canonical value.
func (c class) variants(value string) []string {
	switch c {
	case clock:
		t := clocks(value)[0]
		return t.forms()
	case number:
		if i, err := strconv.Atoi(value); err == nil && i < len(numbers) {
			return []string{numbers[i]}
		}
	case area:
		if value == "centre" {
			return []string{"center"}
		}
	case price:
		if value == "moderate" {
			return []string{"moderately"}
		}
	case code:
		if ukPostcode.MatchString(value) {
			return []string{value[:len(value)-3] + " " + value[len(value)-3:]}
		}
	case text, day, fee:
	}
	return nil
}

var ukPostcode = regexp.MustCompile(`^[A-Z]{1,2}[0-9]{2,3}[A-Z]{2}$`)

var (
	peopleForm = regexp.MustCompile(`(?i)\b(\w+)\s+(?:other\s+)?(?:people|persons?|guests?|of us|adults?|diners|tickets?|seats?|travell?ers?)\b|\b(?:(?:party|group|table|reservation|room) (?:of|for)|people:?|book (?:it|that|them|this|a table|a room) for|it for|for) (\w+)\b`)
	nightForm  = regexp.MustCompile(`(?i)\b(\w+)[\s-]+(?:nights?|days?)\b`)
	starForm   = regexp.MustCompile(`(?i)\b(\w+)[\s-]+stars?\b|\b(?:rating|stars?)(?: rating)?(?: of| is)? (\w+)\b`)
)

// locate finds a canonical value of a slot in a text.
func locate(slot, value, s string) (start, end int, ok bool) {
	all := words(s)
	switch c := classes[slot]; c {
	case clock:
		for _, t := range clocks(s) {
			if t.same(value) {
				return t.start, t.end, true
			}
		}
		return 0, 0, false
	case number:
		form := map[string]*regexp.Regexp{"bookpeople": peopleForm, "bookstay": nightForm, "stars": starForm}[slot]
		for _, m := range form.FindAllStringSubmatchIndex(s, -1) {
			for g := 2; g+1 < len(m); g += 2 {
				if m[g] < 0 {
					continue
				}
				if v, ok := number.canonical(s[m[g]:m[g+1]]); ok && v == value {
					return m[g], m[g+1], true
				}
			}
		}
		return 0, 0, false
	case code:
		return locateCode(all, value)
	case price:
		for _, w := range all {
			if v, ok := c.canonical(w.text); ok && v == value {
				return w.start, w.end, true
			}
		}
		return 0, 0, false
	case text, day, area, fee:
	}
	return find(all, norm(value))
}

// locateCode finds letters and digits in a row of words.
func locateCode(all []word, value string) (start, end int, ok bool) {
	for i := range all {
		left := value
		for _, w := range all[i:] {
			var ok bool
			if left, ok = strings.CutPrefix(left, strings.ToUpper(w.text)); !ok {
				break
			}
			if left == "" {
				return all[i].start, w.end, true
			}
		}
	}
	return 0, 0, false
}
