package token

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A normalizer rewrites a text before it is cut.
type normalizer func(string) string

// characters rewrites each character: edit returns what stands in its place,
// and whether that is something else.
func characters(edit func(r rune) (string, bool)) normalizer {
	return func(s string) string {
		var b strings.Builder
		for _, r := range s {
			if other, ok := edit(r); ok {
				b.WriteString(other)
			} else {
				b.WriteRune(r)
			}
		}
		return b.String()
	}
}

// lower writes the lower case of each character by itself.
func lower(r rune) (string, bool) {
	if r == 'İ' {
		return "i\u0307", true // the one character whose lower case is two
	}
	l := unicode.ToLower(r)
	return string(l), l != r
}

// clean does what BERT calls cleaning: it drops control characters and makes
// all white space a space.
func clean(r rune) (string, bool) {
	switch {
	case r == '\t', r == '\n', r == '\r':
		return " ", true
	case r == 0, r == utf8.RuneError, unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co):
		return "", true
	}
	return " ", r != ' ' && unicode.IsSpace(r)
}

// han are the characters that BERT takes each for a word.
var han = &unicode.RangeTable{
	R16: []unicode.Range16{{0x3400, 0x4dbf, 1}, {0x4e00, 0x9fff, 1}, {0xf900, 0xfaff, 1}},
	R32: []unicode.Range32{
		{0x20000, 0x2a6df, 1},
		{0x2a700, 0x2b73f, 1},
		{0x2b740, 0x2b81f, 1},
		{0x2b920, 0x2ceaf, 1},
		{0x2f800, 0x2fa1f, 1},
	},
}

// pad puts a space before and behind each Chinese character.
func pad(r rune) (string, bool) { return " " + string(r) + " ", unicode.Is(han, r) }

// unmarked drops marks, such as accents.
func unmarked(r rune) (string, bool) { return "", unicode.Is(unicode.Mn, r) }
