package semxpath

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
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
	indent := utf8.RuneCountInString(cutBefore + before)
	return "query: " + e.Want + "\n\t" + cutBefore + before + after + cutAfter + "\n\t" + strings.Repeat(" ", indent) + "^"
}

// columns returns what of text is shown, from its end or its beginning, and dots where
// that is not all. White space is shown as blanks and what does not print as a
// replacement character, so that the line stays one line.
func columns(text string, limit int, fromEnd bool) (shown, dots string) {
	runes := []rune(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return utf8.RuneError
		}
		return r
	}, text))
	switch {
	case len(runes) <= limit:
		return string(runes), ""
	case fromEnd:
		return string(runes[len(runes)-limit:]), "..."
	}
	return string(runes[:limit]), "..."
}

// hints say what to write for words and signs of other languages, in lowercase.
var hints = []struct{ words, text string }{
	{"and", "and is written min(P, P) or P * P"},
	{"or", "or is written max(P, P)"},
	{"not", "not is written 1-(P)"},
	{"last", "the last node is [-1], the one before it [-2]"},
	{"position", "a position is written [i], [-i] or [i:j], as in [2] or [1:3]"},
	{"contains starts-with ends-with matches text atom similar match", `text is matched by meaning: node ~= "...", or the name of an attribute and ~=`},
	{"exists any some agg_exists", `evidence that is there somewhere is max(/POI[node ~= "..."])`},
	{"all every", `evidence that is there everywhere is min(/POI[node ~= "..."])`},
	{"mean average sum count agg_prev", `how much evidence there is is avg(/POI[node ~= "..."])`},
	{"following-sibling preceding-sibling", "axes have no names; a sibling is written [@+1] or [@-1] behind a condition"},
	{"attribute", `an attribute is no step; use it in a condition, as in POI[@name = "..."]`},
	{"~", "a match is written ~="},
	{"&", "and is written min(P, P) or P * P"},
	{"|", "or is written max(P, P); a query is one path"},
	{"!", "not is written 1-(P)"},
	{"< >", `numbers are not compared; describe what is wanted, as in node ~= "cheap"`},
	{"`", "a query stands without back quotes"},
}

// noAxis is what is wrong with the name of an axis that has no hint.
const noAxis = "axes have no names; / leads to children and // to all below, and nothing leads up"

// hintFor returns the hint for a word, or the other text if there is none.
func hintFor(word, otherwise string) string {
	for _, h := range hints {
		if slices.Contains(strings.Fields(h.words), strings.ToLower(word)) {
			return h.text
		}
	}
	return otherwise
}

// isLogic reports whether a word joins conditions in other languages.
func isLogic(word string) bool {
	return slices.Contains([]string{"and", "or", "not"}, strings.ToLower(word))
}
