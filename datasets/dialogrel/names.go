package dialogrel

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A span is a range of bytes of a text.
type span struct{ start, end int }

func (s span) overlaps(o span) bool { return s.start < o.end && o.start < s.end }

// occurrences returns where a name occurs in a text as whole words, ignoring
// case and the shape of apostrophes.
func occurrences(text, name string) []span {
	var found []span
	before := ' '
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if n := prefix(text[i:], name); n > 0 && !inWord(before) {
			if next, _ := utf8.DecodeRuneInString(text[i+n:]); !inWord(next) {
				found = append(found, span{i, i + n})
				r, _ = utf8.DecodeLastRuneInString(text[:i+n])
				size = n
			}
		}
		before = r
		i += size
	}
	return found
}

// prefix returns the length of the beginning of a text that is a name, 0 for
// none.
func prefix(text, name string) int {
	n := 0
	for _, want := range name {
		r, size := utf8.DecodeRuneInString(text[n:])
		if size == 0 || same(r) != same(want) {
			return 0
		}
		n += size
	}
	return n
}

func same(r rune) rune {
	if r == '’' || r == '‘' {
		return '\''
	}
	return unicode.ToLower(r)
}

// key is a name in the form for comparison.
func key(name string) string { return strings.Map(same, name) }

// wordless reports whether a name has neither a letter nor a digit, such as "?".
func wordless(name string) bool { return !strings.ContainsFunc(name, inWord) }

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }
