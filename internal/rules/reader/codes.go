package reader

import (
	"strings"
)

var referenceLabels = set("reference confirmation ref booking number code")

// reference finds a code of letters and digits that is no number of a train: a
// letter behind a digit, or capitals behind a word for it.
func reference(words []word, i int) (value, bool) {
	w := &words[i]
	letters, digits, others := makeup(w.text)
	if w.punct || others > 0 || letters+digits < 5 || letters+digits > 16 {
		return value{}, false
	}
	labelled := behind(words, i, 5, referenceLabels)
	switch {
	case digits > 0 && letters > 0:
		if _, ok := lineNumber(words, i); ok || isPostcode(w.text) || clockDigits(w.low) {
			return value{}, false
		}
	case letters > 0:
		if !labelled || w.text != strings.ToUpper(w.text) {
			return value{}, false
		}
	case !labelled:
		return value{}, false
	}
	fit := likely
	if labelled {
		fit = sure
	}
	return value{from: i, to: i + 1, fit: fit}, true
}

// lineNumber finds letters and then digits: "TR0241", "LH 400".
func lineNumber(words []word, i int) (value, bool) {
	w := &words[i]
	head := strings.TrimRight(w.text, "0123456789")
	letters, digits, others := makeup(w.text)
	behindLetters, _, _ := makeup(head)
	if w.punct || others > 0 || letters == 0 || letters > 3 || digits < 2 || digits > 5 || behindLetters != letters || len(head)+digits != len(w.text) || isPostcode(w.text) {
		return value{}, false
	}
	return value{from: i, to: i + 1, fit: likely}, true
}

var (
	phoneLabels = set("phone telephone number contact call reached tel")
	otherCodes  = set("reference confirmation")
)

// phone finds seven digits and more, which spaces may part: "01999 555 010".
func phone(words []word, i int) (value, bool) {
	digits, end := 0, i
	for j := i; j < len(words) && j < i+6; j++ {
		w := &words[j]
		letters, n, _ := makeup(w.text)
		if w.punct && (w.text == "(" || w.text == ")" || w.text == "+" || w.text == "-") && (j == i) == (w.text == "(" || w.text == "+") {
			continue
		}
		if letters > 0 || n == 0 || strings.ContainsAny(w.text, ":.,") || digits >= 7 && words[j-1].end == w.start {
			break
		}
		digits += n
		end = j + 1
	}
	if digits < 7 || digits > 15 {
		return value{}, false
	}
	v := value{from: i, to: end, fit: likely}
	if behind(words, i, 6, phoneLabels) {
		v.fit = sure
	}
	if behind(words, i, 3, otherCodes) {
		v.fit = unlikely
	}
	return v, true
}

// isPostcode reports whether a word is a British postcode written as one: one or
// two letters, a digit, a digit or letter or none, a digit and two letters.
func isPostcode(s string) bool {
	n := len(s)
	return n >= 5 && n <= 7 && isInward(s[n-3:]) && isOutward(s[:n-3])
}

func isInward(s string) bool {
	return len(s) == 3 && isDigit(s[0]) && isLetter(s[1]) && isLetter(s[2])
}

func isOutward(s string) bool {
	n := 0
	for n < len(s) && isLetter(s[n]) {
		n++
	}
	if n < 1 || n > 2 || len(s)-n < 1 || len(s)-n > 2 || !isDigit(s[n]) {
		return false
	}
	return len(s)-n == 1 || isDigit(s[n+1]) || isLetter(s[n+1])
}

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

var postcodeLabels = set("postcode postcodes postal code zip zipcode")

// postcode finds British postcodes, in one word or two, and five digits behind a
// word for them.
func postcode(words []word, i int) (value, bool) {
	w := &words[i]
	switch labelled := behind(words, i, 4, postcodeLabels); {
	case w.punct:
	case isPostcode(w.text):
		return value{from: i, to: i + 1, fit: sure}, true
	case isOutward(w.text) && i+1 < len(words) && isInward(words[i+1].text):
		return value{from: i, to: i + 2, fit: sure}, true
	case isOutward(w.text) && i+2 < len(words) && words[i+1].low == "," && isInward(words[i+2].text):
		return value{from: i, to: i + 3, text: w.text + " " + words[i+2].text, fit: sure}, true
	case labelled:
		letters, digits, others := makeup(w.text)
		if others == 0 && digits >= 2 && (letters == 0 && digits == 5 || letters >= 2 && letters+digits >= 5 && letters+digits <= 8) {
			return value{from: i, to: i + 1, fit: likely}, true
		}
	}
	return value{}, false
}
