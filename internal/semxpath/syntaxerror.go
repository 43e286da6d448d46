package semxpath

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// A SyntaxError says what is wrong with a query, where, and what would be
// right. Its text shows the query with a mark below the place.
type SyntaxError struct {
	Query string
	At    int    // byte offset, from 0 to len(Query)
	Want  string // what would be right, or what is wrong and what would be right
}

// reach is how many columns a message shows on each side of the place, of a
// query of more than twice as many bytes.
const reach = 50

// Error implements error: a line that says what is wrong, one with the query,
// cut around the place when it is long, and one with a mark below the place.
func (e *SyntaxError) Error() string {
	at := min(max(e.At, 0), len(e.Query))
	limit := reach
	if len(e.Query) <= 2*reach {
		limit = 2 * reach
	}
	before, cutBefore := columns(e.Query[:at], limit, true)
	after, cutAfter := columns(e.Query[at:], limit, false)
	var b strings.Builder
	b.WriteString("query: " + e.Want + "\n\t")
	indent := textWidth(before)
	if cutBefore {
		b.WriteString("...")
		indent += len("...")
	}
	b.WriteString(before + after)
	if cutAfter {
		b.WriteString("...")
	}
	return b.String() + "\n\t" + strings.Repeat(" ", indent) + "^"
}

// columns returns what of text is shown, from its end or its beginning, and
// whether that is not all. White space is shown as blanks and what does not
// print as a replacement character, so that the line stays one line and the
// mark stands below its place.
func columns(text string, limit int, fromEnd bool) (shown string, cut bool) {
	var runes []rune
	total := 0
	for text != "" {
		var r rune
		var n int
		if fromEnd {
			r, n = utf8.DecodeLastRuneInString(text)
			text = text[:len(text)-n]
		} else {
			r, n = utf8.DecodeRuneInString(text)
			text = text[n:]
		}
		switch {
		case unicode.IsSpace(r):
			r = ' '
		case !unicode.IsPrint(r) && !unicode.Is(unicode.M, r):
			r = utf8.RuneError
		}
		// Marks have no width, so that their number is bounded too.
		if total += runeWidth(r); total > limit || len(runes) == 4*limit {
			cut = true
			break
		}
		runes = append(runes, r)
	}
	if fromEnd {
		slices.Reverse(runes)
	}
	return string(runes), cut
}

func textWidth(s string) (n int) {
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

// runeWidth is how many columns a terminal gives a character.
func runeWidth(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	if k := width.LookupRune(r).Kind(); k == width.EastAsianWide || k == width.EastAsianFullwidth {
		return 2
	}
	return 1
}

// printable names a character in a message.
func printable(r rune) string { return strconv.QuoteRune(r) }
