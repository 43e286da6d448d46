package pytext

import (
	"unicode"
	"unicode/utf8"
)

// IsSpace reports whether r is white space to Python's str.split, str.strip
// and \s. Beside Unicode's White_Space these are the four separators U+001C
// to U+001F.
func IsSpace(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f }

// IsWord reports whether r matches \w of Python's re: a letter, a number of
// any kind, or the underscore. A combining mark does not.
func IsWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || r == '_' }

// isDigit reports whether r matches \d of Python's re.
func isDigit(r rune) bool { return unicode.Is(unicode.Nd, r) }

// isUpper reports whether Python's str.isupper holds for the character alone.
func isUpper(r rune) bool { return unicode.IsUpper(r) || unicode.Is(unicode.Other_Uppercase, r) }

// isLower reports whether Python's str.islower holds for the character alone.
func isLower(r rune) bool { return unicode.IsLower(r) || unicode.Is(unicode.Other_Lowercase, r) }

// trimRight returns s without trailing white space, as Python's str.rstrip.
func trimRight(s string) string {
	for s != "" {
		r, n := utf8.DecodeLastRuneInString(s)
		if !IsSpace(r) {
			break
		}
		s = s[:len(s)-n]
	}
	return s
}
