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

// A hint says what to write for words of other languages, which are in lowercase.
type hint struct{ words, text string }

// hintFor returns the hint for a word, or the other text if there is none.
func hintFor(word string, hints []hint, otherwise string) string {
	for _, h := range hints {
		if slices.Contains(strings.Fields(h.words), strings.ToLower(word)) {
			return h.text
		}
	}
	return otherwise
}

// wordHints are for words between or before conditions.
var wordHints = []hint{
	{"and", "and is written min(P, P) or P * P"},
	{"or", "or is written max(P, P)"},
	{"not", "not is written 1-(P)"},
}

// functionHints are for functions that the language has not.
var functionHints = slices.Concat(wordHints, []hint{
	{"last", "the last node is [-1], the one before it [-2]"},
	{"position", "a position is written [i], [-i] or [i:j], as in [2] or [1:3]"},
	{"contains starts-with ends-with matches text atom similar match", `text is matched by meaning: node ~= "...", or the name of an attribute and ~=`},
	{"exists any some agg_exists", `evidence that is there somewhere is max(/POI[node ~= "..."])`},
	{"all every", `evidence that is there everywhere is min(/POI[node ~= "..."])`},
	{"mean average sum count agg_prev", `how much evidence there is is avg(/POI[node ~= "..."])`},
})

func functionHint(word string) string {
	return hintFor(word, functionHints, "no function has this name; have avg, min, max and gmean")
}

// axisHints are for the axes of XPath.
var axisHints = []hint{
	{"following-sibling preceding-sibling", "axes have no names; a sibling is written [@+1] or [@-1] behind a condition"},
	{"attribute", `an attribute is no step; use it in a condition, as in POI[@name = "..."]`},
}

func axisHint(word string) string {
	return hintFor(word, axisHints, "axes have no names; / leads to children and // to all below, and nothing leads up")
}

func wordHint(word string) string { return hintFor(word, wordHints, "") }
