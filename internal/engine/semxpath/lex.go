package semxpath

import (
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

// spellings lists the ways to write punctuation, longer ones first, with the
// canonical one.
var spellings = []struct{ written, canonical string }{
	{"//", "//"},
	{"/", "/"},
	{"::", "::"},
	{":", ":"},
	{"~=", "~="},
	{"=~", "~="},
	{"≈", "~="},
	{"==", "=="},
	{"=", "="},
	{"[", "["},
	{"]", "]"},
	{"(", "("},
	{")", ")"},
	{",", ","},
	{"*", "*"},
	{"·", "*"},
	{"⋅", "*"},
	{"×", "*"},
	{"..", ".."},
	{".", "."},
	{"@", "@"},
	{"+", "+"},
	{"-", "-"},
	{"−", "-"},
}

// closers names the quotes that end a string by the one that begins it.
var closers = map[rune]string{
	'"': `"`, '\'': `'`, '“': "”“", '”': "”“", '„': "“”", '‘': "’‘", '’': "’‘",
}

const quotes = `"'“”„‘’`

// lex splits a query into tokens; the last is eof or wrong: what is wrong counts only
// once the parser gets there.
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
	r, size := utf8.DecodeRuneInString(text)
	switch {
	case text == "":
		return token{kind: eof}, 0
	case closers[r] != "":
		return lexString(text, size, closers[r])
	case '0' <= r && r <= '9':
		n := len(text) - len(strings.TrimLeft(text, "0123456789"))
		return token{kind: number, text: text[:n]}, n
	case nameStart(r):
		n := nameLen(text)
		return token{kind: name, text: text[:n]}, n
	}
	for _, s := range spellings {
		if strings.HasPrefix(text, s.written) {
			return token{kind: mark, text: s.canonical}, len(s.written)
		}
	}
	return token{kind: wrong, text: strange(r, size)}, 0
}

// strange says what is wrong with a character that begins no token.
func strange(r rune, size int) string {
	if r == utf8.RuneError && size <= 1 {
		return "the query is not valid UTF-8 here"
	}
	return hintFor(string(r), []hint{
		{"~", "a match is written ~="},
		{"&", "and is written min(P, P) or P * P"},
		{"|", "or is written max(P, P); a query is one path"},
		{"!", "not is written 1-(P)"},
		{"< >", `numbers are not compared; describe what is wanted, as in node ~= "cheap"`},
		{"`", "a query stands without back quotes"},
	}, "no part of a query begins with "+printable(r))
}

// lexString reads a string whose first quote has size bytes and that one of
// the closing quotes ends. A backslash stands for itself unless a quote or
// another backslash follows.
func lexString(text string, size int, closing string) (token, int) {
	var b strings.Builder
	for i := size; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if r == '\\' {
			after, m := utf8.DecodeRuneInString(text[i+n:])
			if after == '\\' || m > 0 && strings.ContainsRune(quotes, after) {
				b.WriteString(text[i+n : i+n+m])
				i += n + m
				continue
			}
		} else if strings.ContainsRune(closing, r) && r != utf8.RuneError {
			return token{kind: quoted, text: b.String()}, i + n
		}
		b.WriteString(text[i : i+n])
		i += n
	}
	closer, _ := utf8.DecodeRuneInString(closing)
	return token{kind: wrong, text: "the string that begins here has no closing " + string(closer)}, 0
}

// quote writes a string so that lex reads it back.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

func nameStart(r rune) bool { return r == '_' || unicode.IsLetter(r) }

// nameLen returns the length of the name that text begins with: an XML name,
// whose colon stands between two others, so that an axis such as child:: and
// a range are no part of it.
func nameLen(text string) int {
	for i, r := range text {
		switch {
		case nameStart(r), i > 0 && (r == '-' || r == '.' || unicode.IsDigit(r) || unicode.Is(unicode.M, r)):
		case i > 0 && r == ':':
			if after, _ := utf8.DecodeRuneInString(text[i+1:]); !nameStart(after) {
				return i
			}
		default:
			return i
		}
	}
	return len(text)
}
