package semxpath

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A kind says what a token is.
type kind uint8

const (
	eof    kind = iota
	name        // a node type, an attribute or a word
	number      // digits
	quoted      // a string
	mark        // punctuation; text has it in its canonical spelling
	wrong       // no token; text says why
)

// A token is a piece of a query. The text of a string is what it says, without
// quotes and escapes.
type token struct {
	kind kind
	text string
	at   int // byte offset
	end  int // byte offset behind it
}

// is reports whether the token is the punctuation.
func (t token) is(text string) bool { return t.kind == mark && t.text == text }

// The forms of tokens. A name is an XML name, whose colon stands between two others, so
// that an axis such as child:: and a range are no part of it. In a string a backslash
// stands for itself unless a quote or another backslash follows.
var (
	digits      = regexp.MustCompile(`^[0-9]+`)
	nameForm    = regexp.MustCompile(`^[_\pL](?:[_\pL\p{Nd}\pM.-]|:[_\pL])*`)
	punctuation = regexp.MustCompile(`^(?://?|::?|=~|==?|\.\.?|[][(),*@+≈·⋅×−-]|~=)`)
	stringForm  = regexp.MustCompile(`(?s)^(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|[“”„]((?:[^“”\\]|\\.)*)[“”]|[‘’]((?:[^‘’\\]|\\.)*)[‘’])`)
	escaped     = regexp.MustCompile(`\\([\\"'“”„‘’])`)
)

// canonical writes punctuation in its canonical spelling.
var canonical = strings.NewReplacer("=~", "~=", "≈", "~=", "·", "*", "⋅", "*", "×", "*", "−", "-")

// closers names the quotes that end a string by the one that begins it.
var closers = map[rune]string{'"': `"`, '\'': `'`, '“': "”", '”': "”", '„': "“", '‘': "’", '’': "’"}

// lex splits a query into tokens; the last is eof or wrong: an error counts only if
// the parser reaches it.
func lex(text string) []token {
	var tokens []token
	for at := 0; ; {
		at += len(text[at:]) - len(strings.TrimLeftFunc(text[at:], unicode.IsSpace))
		t, n := next(text[at:])
		t.at, t.end = at, at+n
		tokens = append(tokens, t)
		if t.kind == eof || t.kind == wrong {
			return tokens
		}
		at += n
	}
}

// next returns the token that text begins with and its length in bytes.
func next(text string) (token, int) {
	if text == "" {
		return token{kind: eof}, 0
	}
	if n := len(nameForm.FindString(text)); n > 0 {
		return token{kind: name, text: text[:n]}, n
	}
	if n := len(digits.FindString(text)); n > 0 {
		return token{kind: number, text: text[:n]}, n
	}
	if n := len(punctuation.FindString(text)); n > 0 {
		return token{kind: mark, text: canonical.Replace(text[:n])}, n
	}
	if m := stringForm.FindStringSubmatch(text); m != nil {
		return token{kind: quoted, text: escaped.ReplaceAllString(strings.Join(m[1:], ""), "$1")}, len(m[0])
	}
	r, size := utf8.DecodeRuneInString(text)
	if closer := closers[r]; closer != "" {
		return token{kind: wrong, text: "the string that begins here has no closing " + closer}, 0
	}
	return token{kind: wrong, text: strange(r, size)}, 0
}

// strange says what is wrong with a character that begins no token.
func strange(r rune, size int) string {
	if r == utf8.RuneError && size <= 1 {
		return "the query is not valid UTF-8 here"
	}
	return hintFor(string(r), "no part of a query begins with "+strconv.QuoteRune(r))
}

// Quote writes a string of a query.
func Quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

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

// Candidates returns the parts of a model's reply that may be a query, the likelier
// ones first: the reply itself, or what stands in a code block, between back quotes
// or in a line of its own.
func Candidates(reply string) []string {
	found := []string{reply}
	add := func(s string) {
		s = strings.TrimSpace(s)
		if s != "" {
			found = append(found, s)
		}
	}
	for i, part := range strings.Split(reply, "```") {
		if i%2 == 1 {
			if first, rest, ok := strings.Cut(part, "\n"); ok && !strings.ContainsAny(first, "/[") {
				part = rest // less the language
			}
			add(part)
		}
	}
	for line := range strings.Lines(reply) {
		line = strings.TrimSpace(line)
		for i, part := range strings.Split(line, "`") {
			if i%2 == 1 {
				add(part)
			}
		}
		add(line)
		if i := strings.IndexAny(line, "(/"); i > 0 {
			add(line[i:])
		}
		if i := strings.IndexByte(line, '/'); i > 0 {
			add(line[i:])
		}
	}
	return found
}
