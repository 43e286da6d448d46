// Package termsafe makes text of models and datasets safe to print.
package termsafe

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
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

// Visible makes s safe for a terminal and for one line, as [Text] does, and shows
// what it replaced: the end of a line is ⏎. A control character, one that changes
// the direction of the text, or a byte that is not UTF-8 is written as in a Go
// string, such as \x1b. The joiners of emoji and of some scripts stay.
func Visible(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case strings.HasPrefix(s, "\r\n"):
			n = 2
			b.WriteString("⏎ ")
		case r == '\n':
			b.WriteString("⏎ ")
		case r == '\t':
			b.WriteByte(' ')
		case r == utf8.RuneError && n == 1, unicode.IsControl(r), r == '\u2028', r == '\u2029',
			unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d':
			quoted := strconv.QuoteToASCII(s[:n])
			b.WriteString(quoted[1 : len(quoted)-1])
		default:
			b.WriteRune(r)
		}
		s = s[n:]
	}
	return b.String()
}
