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

// axisHint says how an axis of XPath is written.
func axisHint(axis string, after token) string {
	node := "X"
	if after.kind == name && len(after.text) <= 40 {
		node = after.text
	}
	switch strings.ToLower(axis) {
	case "descendant", "descendant-or-self", "desc":
		return "axes have no names; use //" + node
	case "child":
		return "axes have no names; use /" + node
	case "following-sibling", "preceding-sibling":
		return "axes have no names; a sibling is written [@+1] or [@-1] behind a condition"
	case "attribute":
		return `an attribute is no step; use it in a condition, as in POI[@name = "..."]`
	}
	return "axes have no names; / leads to children and // to all below, and nothing leads up"
}

// functionHint says what to write for a function that the language has not.
func functionHint(word string) string {
	switch lower := strings.ToLower(word); lower {
	case "not", "and", "or":
		return wordHint(lower)
	case "last":
		return "the last node is [-1], the one before it [-2]"
	case "position":
		return "a position is written [i], [-i] or [i:j], as in [2] or [1:3]"
	case "contains", "starts-with", "ends-with", "matches", "text", "atom", "similar", "match":
		return `text is matched by meaning: node ~= "...", or the name of an attribute and ~=`
	case "exists", "any", "some", "agg_exists":
		return `evidence that is there somewhere is max(/POI[node ~= "..."])`
	case "all", "every":
		return `evidence that is there everywhere is min(/POI[node ~= "..."])`
	case "mean", "average", "sum", "count", "agg_prev":
		return `how much evidence there is is avg(/POI[node ~= "..."])`
	}
	return "no function has this name; have avg, min, max and gmean"
}

// wordHint says what to write for a word between or before conditions.
func wordHint(word string) string {
	switch strings.ToLower(word) {
	case "and":
		return "and is written min(P, P) or P * P"
	case "or":
		return "or is written max(P, P)"
	case "not":
		return "not is written 1-(P)"
	}
	return ""
}
