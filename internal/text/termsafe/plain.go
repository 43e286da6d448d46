// Package termsafe makes text of models and datasets safe to print.
package termsafe

import (
	"strings"
	"unicode"
)

// Text makes s safe for a terminal and for one line: control characters, which
// could move the cursor or fake a row, become blanks, and invalid UTF-8 becomes
// U+FFFD.
func Text(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "�"))
}

// Excerpt returns the beginning of [Text] of s: at most n characters, and three
// dots if more follows.
func Excerpt(s string, n int) string {
	s = strings.TrimSpace(Text(s))
	count := 0
	for i := range s {
		if count++; count > n {
			return s[:i] + "..."
		}
	}
	return s
}
