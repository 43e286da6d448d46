package rating

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"recallbench/internal/plain"
)

// A blind takes out of texts what would tell where they come from, and what
// could do harm on a rater's machine.
type blind struct {
	names *regexp.Regexp // nil for none
}

// Removed stands in an item where an answer named a method or a model.
const Removed = "[name removed]"

// longest is how many bytes of a text an item shows: a cell of a spreadsheet
// holds no more.
const longest = 30_000

// newBlind hides names, in any case and however their words are joined.
func newBlind(names []string) blind {
	var parts []string
	for _, n := range names {
		words := strings.FieldsFunc(n, func(r rune) bool { return strings.ContainsRune("-_ /", r) })
		for i, w := range words {
			words[i] = regexp.QuoteMeta(w)
		}
		if part := strings.Join(words, `[-_ /]*`); utf8.RuneCountInString(n) > 2 && part != "" {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return blind{}
	}
	// The longest first, so that no end of a longer name is left over.
	slices.SortFunc(parts, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return blind{regexp.MustCompile(`(?i)(^|[^\pL\pN])(?:` + strings.Join(slices.Compact(parts), "|") + `)($|[^\pL\pN])`)}
}

// hide replaces names and reports whether there was one.
func (b blind) hide(s string) (hidden string, found bool) {
	if b.names == nil {
		return s, false
	}
	// A match takes the character behind it, which may stand before the next name:
	// that one is found the second time.
	for range 2 {
		next := b.names.ReplaceAllString(s, "${1}"+Removed+"${2}")
		s, found = next, found || next != s
	}
	return s, found
}

// clean makes a text safe to show: line feeds stay, other control characters
// become blanks, and a text that is too long is cut where it says so.
func (blind) clean(s string) string {
	s = strings.ToValidUTF8(s, "�")
	if len(s) > longest {
		end := longest
		for !utf8.RuneStart(s[end]) {
			end--
		}
		s = s[:end] + "\n[cut: the text is longer]"
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(plain.Text(l), " ")
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
