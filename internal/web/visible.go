package web

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// visible spells out what of a text cannot be seen or turns the text beside it
// around: control characters by their symbols, marks of direction and characters
// without width by their numbers. The script of the page does the same.
func visible(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, string(utf8.RuneError)), "\r\n", "\n")
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case !hidden(r):
			b.WriteRune(r)
		case r < ' ':
			b.WriteRune('␀' + r)
		case r == 0x7f:
			b.WriteRune('␡')
		default:
			fmt.Fprintf(&b, "[%U]", r)
		}
	}
	return b.String()
}

// hidden reports whether a character is to be spelled out. The joiners stay: some
// scripts and many emoji are written with them.
func hidden(r rune) bool {
	const nonJoiner, joiner = '\u200c', '\u200d'
	switch r {
	case '\n', '\t', nonJoiner, joiner:
		return false
	case '\u2028', '\u2029':
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}
