package english

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"recallbench/internal/text/pytext"
)

// Limits that keep hostile text cheap.
const (
	maxToken    = 64  // bytes of one token; a longer run is cut
	maxSentence = 120 // tokens of one sentence; a longer one is cut
)

// A Token is a word, a clitic or a mark.
type Token struct {
	Text       string
	Low        string // in lowercase, with straight apostrophes
	Start, End int    // byte offsets in the text
}

var abbreviations = sync.OnceValue(func() map[string]bool { return Set("abbreviations") })

// Sentences cuts a text into sentences of tokens. Line breaks end a sentence, and
// so do the marks that Punkt takes for an end. A sentence has at least one token.
func Sentences(text string) [][]Token {
	var out [][]Token
	pos := 0
	for line := range strings.Lines(text) {
		at := 0
		for _, part := range pytext.AppendSentences(nil, line) {
			if i := strings.Index(line[at:], part); i >= 0 {
				at += i
				out = appendSentences(out, Tokens(part, pos+at))
				at += len(part)
			}
		}
		pos += len(line)
	}
	return out
}

// appendSentences appends a sentence of Punkt, in pieces where it is too long and
// behind marks that no white space follows.
func appendSentences(out [][]Token, tokens []Token) [][]Token {
	for len(tokens) > 0 {
		n := min(len(tokens), maxSentence)
		for i := range n - 1 {
			if c := tokens[i].Text[0]; (c == '?' || c == '!') && !Mark(tokens[i+1].Text) {
				n = i + 1
				break
			}
		}
		out = append(out, tokens[:n:n])
		tokens = tokens[n:]
	}
	return out
}

// Lower returns a word in lowercase with straight apostrophes.
func Lower(s string) string { return strings.ReplaceAll(pytext.Lower(s), "’", "'") }

// Mark reports whether a token is a punctuation mark.
func Mark(s string) bool {
	r, size := utf8.DecodeRuneInString(s)
	return !wordRune(r) && (!apostrophe(r) || len(s) == size)
}

func apostrophe(r rune) bool { return r == '\'' || r == '’' }

func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_'
}

// A tokenizer cuts a sentence into the tokens of the Penn Treebank.
type tokenizer struct {
	src    string
	base   int
	tokens []Token
}

// Tokens cuts a sentence into the tokens of the Penn Treebank: clitics are tokens
// of their own ("do n't", "Ann 's"), marks too, and an abbreviation keeps its
// period. White space, control characters and invalid UTF-8 stand between tokens.
// Offsets count from base.
func Tokens(sentence string, base int) []Token {
	t := tokenizer{src: sentence, base: base, tokens: make([]Token, 0, len(sentence)/4+2)}
	for i := 0; i < len(t.src); {
		r, size := utf8.DecodeRuneInString(t.src[i:])
		switch {
		case r == utf8.RuneError && size == 1, unicode.IsSpace(r), unicode.IsControl(r):
			i += size
		case wordRune(r):
			end := t.wordEnd(i)
			t.word(i, end)
			i = end
		default:
			end := i + size
			if n := t.clitic(i); n > 0 && i > 0 {
				end = i + n
			} else if r < utf8.RuneSelf && !strings.ContainsRune("()[]{}", r) { // "..." and "!!!" are one token
				for end < len(t.src) && t.src[end] == t.src[i] && end-i < maxToken {
					end++
				}
			}
			t.add(i, end)
			i = end
		}
	}
	return t.tokens
}

func (t *tokenizer) add(from, to int) {
	text := t.src[from:to]
	t.tokens = append(t.tokens, Token{Text: text, Low: Lower(text), Start: t.base + from, End: t.base + to})
}

// wordEnd returns where the word that starts at i ends.
func (t *tokenizer) wordEnd(i int) int {
	start, last := i, rune(0)
	for i < len(t.src) {
		r, size := utf8.DecodeRuneInString(t.src[i:])
		if i+size-start > maxToken {
			return i
		}
		if !wordRune(r) && !t.joins(start, i, last, r, size) {
			break
		}
		last = r
		i += size
	}
	if strings.HasPrefix(t.src[i:], ".") && abbreviated(t.src[start:i]) {
		i++
	}
	return i
}

// joins reports whether a mark in a word belongs to it.
func (t *tokenizer) joins(start, i int, last, r rune, size int) bool {
	next, _ := utf8.DecodeRuneInString(t.src[i+size:])
	switch r {
	case '\'', '’', '-', '&', '@':
		return wordRune(last) && wordRune(next)
	case ',', ':':
		return unicode.IsDigit(last) && unicode.IsDigit(next)
	case '.': // numbers, letters with periods ("a.m.", "U.S.") and names of hosts
		return unicode.IsDigit(last) && unicode.IsDigit(next) ||
			unicode.IsLetter(last) && unicode.IsLetter(next) && (unicode.IsLower(next) || i-start == 1 || t.src[i-2] == '.')
	}
	return false
}

// abbreviated reports whether the period behind a word belongs to it.
func abbreviated(s string) bool {
	if len(s) == 1 {
		return s[0] >= 'A' && s[0] <= 'Z' && s[0] != 'I'
	}
	return s[1] == '.' && len(s) <= 10 || abbreviations()[strings.ToLower(s)]
}

// fused are words that the Penn Treebank cuts behind the third letter.
var fused = map[string]bool{"cannot": true, "gonna": true, "wanna": true, "gotta": true, "lemme": true, "gimme": true}

// word adds a word as one or two tokens.
func (t *tokenizer) word(start, end int) {
	cut := end
	s := t.src[start:end]
	switch at := strings.LastIndexAny(s, "'’"); {
	case fused[strings.ToLower(s)]:
		cut = start + 3
	case at <= 0:
	case t.clitic(start+at) == end-start-at:
		cut = start + at
	case at > 1 && strings.HasSuffix(Lower(s), "n't"):
		cut = start + at - 1
	}
	t.add(start, cut)
	if cut < end {
		t.add(cut, end)
	}
}

// clitic returns the length of the clitic other than n't at an apostrophe; 0 for
// none.
func (t *tokenizer) clitic(i int) int {
	r, quote := utf8.DecodeRuneInString(t.src[i:])
	if !apostrophe(r) {
		return 0
	}
	rest := t.src[i+quote:]
	n := strings.IndexFunc(rest, func(r rune) bool { return !wordRune(r) })
	if n < 0 {
		n = len(rest)
	}
	switch strings.ToLower(rest[:n]) {
	case "s", "m", "re", "ve", "ll", "d":
		return quote + n
	}
	return 0
}
