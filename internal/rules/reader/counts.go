package reader

import (
	"strings"
)

// stars finds a number of stars.
func stars(words []word, i int) (value, bool) {
	n, joined, ok := isNumber(&words[i])
	if !ok {
		return value{}, false
	}
	next := at(words, i+1)
	if next == "-" {
		next = at(words, i+2)
	}
	v := value{from: i, to: i + 1, text: n, fit: sure}
	switch {
	case joined == "star" || joined == "stars", next == "star" || next == "stars" || next == "starred":
		return v, true
	case behind(words, i, 3, starLabels) && joined == "" && next != "nights" && next != "people":
		v.fit = likely
		return v, true
	}
	return value{}, false
}

var starLabels = set("star stars rating rated")

// counted are nouns that a number before them counts, so that it is neither a
// number of people nor of nights.
var counted = list("counted")

// people finds a number of people.
func people(words []word, i int) (value, bool) {
	w := &words[i]
	if w.low == "myself" || w.low == "me" && at(words, i-1) == "just" {
		return value{from: i, to: i + 1, text: "1", fit: likely}, true
	}
	n, joined, ok := isNumber(w)
	if !ok || joined != "" && !peopleNouns[singularOrSame(joined)] {
		return value{}, false
	}
	v := value{from: i, to: i + 1, text: n, fit: possible}
	next, prev := at(words, i+1), at(words, i-1)
	switch {
	case joined != "", peopleNouns[next], next == "of" && at(words, i+2) == "us", next == "more" && peopleNouns[at(words, i+2)], peopleNouns[at(words, i+2)] && i+1 < len(words) && words[i+1].class == content && !words[i+1].punct && !nightNouns[next]:
		v.fit = sure
	case prev == "of" && (at(words, i-2) == "party" || at(words, i-2) == "group" || at(words, i-2) == "table" || at(words, i-2) == "us"):
		v.fit = sure
	case nightNouns[next], counted[next], prev == "at" || prev == "by" || prev == "after" || prev == "£" || prev == "$":
		return value{}, false
	case prev == "for" || prev == "be" || prev == "just" || prev == "only" || i == 0:
		v.fit = likely
		if w.low == "one" {
			v.fit = possible
		}
	default:
		return value{}, false
	}
	return v, true
}

func singularOrSame(low string) string {
	if peopleNouns[low] {
		return low
	}
	return singular(low)
}

// nights finds a number of nights.
func nights(words []word, i int) (value, bool) {
	n, joined, ok := isNumber(&words[i])
	if !ok {
		return value{}, false
	}
	next := at(words, i+1)
	v := value{from: i, to: i + 1, text: n}
	switch {
	case nightNouns[joined], nightNouns[next]:
		v.fit = sure
	case next == "day" || next == "days" || joined == "day":
		v.fit = likely
	case at(words, i-1) == "for" && !peopleNouns[next] && !counted[next] && next != ":":
		v.fit = unlikely
	default:
		return value{}, false
	}
	return v, true
}

// isNumber reports whether a word is a small number, and returns it without what
// a hyphen joins to it: "4-star".
func isNumber(w *word) (number, joined string, ok bool) {
	head, tail, _ := strings.Cut(w.low, "-")
	if smallNumbers[head] {
		return head, tail, true
	}
	if len(head) == 0 || len(head) > 2 {
		return "", "", false
	}
	for _, c := range []byte(head) {
		if c < '0' || c > '9' {
			return "", "", false
		}
	}
	return head, tail, true
}

var smallNumbers = set("one two three four five six seven eight nine ten eleven twelve")
