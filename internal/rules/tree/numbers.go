package tree

import (
	"strconv"
	"strings"
)

var cardinals = map[string]int{
	"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17,
	"eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60,
}

var ordinals = map[string]int{
	"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
	"tenth": 10, "eleventh": 11, "twelfth": 12, "opening": 1, "last": -1, "final": -1, "closing": -1,
}

// number reads a cardinal or ordinal number: "3", "three", "3rd", "third".
func number(low string) (int, bool) {
	if n, ok := cardinals[low]; ok {
		return n, true
	}
	return ordinal(low)
}

// ordinal reads an ordinal number or plain digits; "last" is -1.
func ordinal(low string) (int, bool) {
	if n, ok := ordinals[low]; ok {
		return n, true
	}
	for _, ending := range [...]string{"st", "nd", "rd", "th"} {
		if head, ok := strings.CutSuffix(low, ending); ok {
			low = head
			break
		}
	}
	if len(low) == 0 || len(low) > 4 {
		return 0, false
	}
	n, err := strconv.Atoi(low)
	return n, err == nil && n > 0
}

// isOrdinal reports whether a word is an ordinal by its look, not a plain
// number.
func isOrdinal(low string) bool {
	if _, ok := ordinals[low]; ok {
		return true
	}
	_, ok := ordinal(low)
	return ok && !digits(low)
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
