package english

import (
	"strconv"
	"strings"
	"sync"
)

// numerals are the numbers up to a hundred that are one word.
var numerals = sync.OnceValue(func() map[string]int {
	m := make(map[string]int)
	for i, w := range strings.Fields(section("numbers")) {
		m[w] = i
		if i > 20 {
			m[w] = 10 * (i - 18)
		}
	}
	return m
})

// Numeral returns the number that a single word in lowercase says, 0 for none.
func Numeral(low string) int { return numerals()[low] }

// Number reads a number in digits or letters, and returns it in digits.
func Number(low string) (string, bool) {
	if n, ok := numerals()[low]; ok {
		return strconv.Itoa(n), true
	}
	if tens, ones, ok := strings.Cut(low, "-"); ok {
		if a, b := Numeral(tens), Numeral(ones); a >= 20 && b > 0 && b < 10 {
			return strconv.Itoa(a + b), true
		}
	}
	if low == "" || low[0] < '0' || low[0] > '9' || strings.Trim(low, "0123456789,.") != "" {
		return "", false
	}
	return strings.ReplaceAll(low, ",", ""), true
}

// Ordinal reports whether a word is an ordinal number in digits: "3rd".
func Ordinal(low string) bool {
	digits := strings.TrimRight(low, "stndrh")
	switch low[len(digits):] {
	case "st", "nd", "rd", "th":
		_, err := strconv.ParseUint(digits, 10, 32)
		return err == nil
	}
	return false
}
