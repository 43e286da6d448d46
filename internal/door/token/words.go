package token

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A cutter cuts a text into words, or a word into smaller ones, and appends them to
// words.
type cutter func(words []string, text string) []string

// The word patterns of models, as their tokenizer.json files have them.
const (
	// gpt2Pattern is the pattern of GPT-2, which a ByteLevel step means.
	gpt2Pattern = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
	// llamaPattern is the pattern of Llama 3, which is cl100k_base's, and qwenPattern
	// that of Qwen up to 3, where each digit is a word.
	llamaPattern = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	qwenPattern  = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	// o200kPattern is the pattern of o200k_base, which gpt-oss and Llama 4 have too.
	o200kPattern = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?` +
		`|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?` +
		`|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
)

// linePatterns are those for which texts may be cut at [lineEnd] first. GPT-2's is none
// of them: a line feed is white space like any other to it, and white space before a word
// is cut elsewhere than that before the end of a text.
var linePatterns = []string{llamaPattern, qwenPattern, o200kPattern}

// A pattern cuts at the matches of a regular expression, which are words. What lies
// between them is a word too, or thrown away.
type pattern struct {
	re      *regexp.Regexp
	spaces  bool // the last alternative is white space, less its last character before a word
	between bool
}

// newPattern reads a pattern as tokenizer.json files have them.
func newPattern(expr string, between bool) (*pattern, error) {
	p := &pattern{between: between}
	expr, p.spaces = strings.CutSuffix(expr, `|\s+(?!\S)|\s+`)
	if p.spaces {
		expr += `|(\s+)`
	}
	expr, err := unicodeSpaces(expr)
	if err == nil {
		p.re, err = regexp.Compile(expr)
	}
	return p, err
}

// unicodeSpaces writes \s, which knows ASCII alone in Go, as a class, and refuses what
// Go reads otherwise than the library does.
func unicodeSpaces(expr string) (string, error) {
	const spaces = `\t-\r\x{85}\p{Z}`
	var b strings.Builder
	inClass, escaped := false, false
	for _, r := range expr {
		switch {
		case escaped && r == 's' && inClass:
			b.WriteString(spaces)
		case escaped && r == 's':
			b.WriteString("[" + spaces + "]")
		case escaped && unicode.IsLetter(r) && !strings.ContainsRune("pPrnt", r), !escaped && !inClass && (r == '^' || r == '$'):
			return "", fmt.Errorf("%q is not supported in a pattern", r)
		case escaped:
			b.WriteString(`\` + string(r))
		case r != '\\':
			inClass = r == '[' || inClass && r != ']'
			b.WriteRune(r)
		}
		escaped = r == '\\' && !escaped
	}
	return b.String(), nil
}

func (p *pattern) cut(words []string, text string) []string {
	for text != "" {
		m := p.re.FindStringSubmatchIndex(text)
		if m == nil || m[1] == m[0] {
			break
		}
		from, to := m[0], m[1]
		if p.spaces && m[len(m)-1] > 0 {
			if _, last := utf8.DecodeLastRuneInString(text[:to]); to < len(text) && last < to-from {
				to -= last
			}
		}
		if p.between && from > 0 {
			words = append(words, text[:from])
		}
		words, text = append(words, text[from:to]), text[to:]
	}
	if p.between && text != "" {
		words = append(words, text)
	}
	return words
}

// spaced puts a space before a text that begins with none.
func spaced(words []string, text string) []string {
	if text != "" && text[0] != ' ' {
		text = " " + text
	}
	return append(words, text)
}

// bertWords cuts at white space, which it drops, and at punctuation.
func bertWords(words []string, text string) []string {
	start := 0
	for i, r := range text {
		mark := punctuation(r)
		if !mark && !unicode.IsSpace(r) {
			continue
		}
		if start < i {
			words = append(words, text[start:i])
		}
		start = i + utf8.RuneLen(r)
		if mark {
			words = append(words, text[i:start])
		}
	}
	if start < len(text) {
		words = append(words, text[start:])
	}
	return words
}

// punctuation is what BERT takes for it: all of ASCII's signs too. Hugging
// Face's library does not know the punctuation that came after Unicode 8.
func punctuation(r rune) bool {
	return unicode.IsPunct(r) || r < utf8.RuneSelf && unicode.In(r, unicode.S)
}

// bertNormalizer rewrites a text as BERT does. Cleaning drops control characters and
// makes all white space a space.
func bertNormalizer(cleans, padsHan, stripsAccents, lowers bool) func(string) string {
	return func(s string) string {
		if cleans {
			s = strings.Map(cleaned, s)
		}
		if padsHan {
			s = padHan(s)
		}
		if stripsAccents {
			s = strings.Map(func(r rune) rune {
				if unicode.Is(unicode.Mn, r) {
					return -1
				}
				return r
			}, norm.NFD.String(s))
		}
		if lowers { // İ is the one character whose lower case is two
			s = strings.Map(unicode.ToLower, strings.ReplaceAll(s, "İ", "i\u0307"))
		}
		return s
	}
}

func cleaned(r rune) rune {
	switch {
	case r == '\t', r == '\n', r == '\r':
		return ' '
	case r == utf8.RuneError, unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co):
		return -1
	case unicode.IsSpace(r):
		return ' '
	}
	return r
}

// han are the characters that BERT takes each for a word.
var han = &unicode.RangeTable{
	R16: []unicode.Range16{{0x3400, 0x4dbf, 1}, {0x4e00, 0x9fff, 1}, {0xf900, 0xfaff, 1}},
	R32: []unicode.Range32{
		{0x20000, 0x2a6df, 1}, {0x2a700, 0x2b73f, 1}, {0x2b740, 0x2b81f, 1}, {0x2b920, 0x2ceaf, 1}, {0x2f800, 0x2fa1f, 1},
	},
}

// padHan puts a space before and behind each Chinese character.
func padHan(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.Is(han, r) {
			b.WriteString(" " + string(r) + " ")
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
