package semxpath

import (
	"regexp"
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

// quote writes a string so that lex reads it back.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
