package pytext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Lower returns s in lowercase, as Python's str.lower does. It differs from
// [strings.ToLower] in two characters: İ becomes i and a combining dot, and Σ
// becomes ς where it ends a word.
func Lower(s string) string {
	if !strings.ContainsAny(s, "İΣ") {
		return strings.ToLower(s)
	}
	var b strings.Builder
	b.Grow(len(s) + 2)
	for i, r := range s {
		switch {
		case r == 'İ':
			b.WriteString("i\u0307")
		case r == 'Σ' && finalSigma(s, i):
			b.WriteRune('ς')
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// finalSigma reports whether the Σ at s[i] ends a word: a cased letter comes
// before it and none after, characters aside that have no say in case
// (Final_Sigma of the Unicode standard, section 3.13).
func finalSigma(s string, i int) bool {
	before := strings.TrimRightFunc(s[:i], caseIgnorable)
	last, _ := utf8.DecodeLastRuneInString(before)
	if before == "" || !cased(last) {
		return false
	}
	after := strings.TrimLeftFunc(s[i+len("Σ"):], caseIgnorable)
	next, _ := utf8.DecodeRuneInString(after)
	return after == "" || !cased(next)
}

func cased(r rune) bool { return isUpper(r) || isLower(r) || unicode.IsTitle(r) }

// caseIgnorable reports Unicode's property Case_Ignorable: marks, format
// characters, modifiers, and the punctuation that may stand inside a word.
func caseIgnorable(r rune) bool {
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk) {
		return true
	}
	return strings.ContainsRune("'.:\u00b7\u0387\u055f\u05f4\u2018\u2019\u2024\u2027\ufe13\ufe52\ufe55\uff07\uff0e\uff1a", r)
}
