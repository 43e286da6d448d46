package multiwozlong

import (
	"regexp"
	"strings"
)

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
