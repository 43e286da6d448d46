// Package pytext splits text the way the reference scorers do, which are
// written in Python: lowercasing, white space and word characters follow
// Python's str and re, [AppendWords] and [AppendSentences] follow NLTK's
// word_tokenize, [Stem] its PorterStemmer, [AppendRouge] the tokenizer of
// rouge_score. Each is meant to equal its reference for every string, except
// for the departures that it documents, because only then are metrics the same
// to 1e-9.
//
// Texts are UTF-8. A byte that is not part of a valid sequence reads as U+FFFD,
// as in a Python string. The Unicode version is that of package unicode; it
// differs from Python's only in characters assigned since.
package pytext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsSpace reports whether r is white space to Python's str.split, str.strip
// and \s. Beside Unicode's White_Space these are the four separators U+001C
// to U+001F.
func IsSpace(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f }

// IsWord reports whether r matches \w of Python's re: a letter, a number of
// any kind, or the underscore. A combining mark does not.
func IsWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || r == '_' }

// isDigit reports whether r matches \d of Python's re.
func isDigit(r rune) bool { return unicode.Is(unicode.Nd, r) }

// isUpper reports whether Python's str.isupper holds for the character alone.
func isUpper(r rune) bool { return unicode.IsUpper(r) || unicode.Is(unicode.Other_Uppercase, r) }

// isLower reports whether Python's str.islower holds for the character alone.
func isLower(r rune) bool { return unicode.IsLower(r) || unicode.Is(unicode.Other_Lowercase, r) }

// A Separator holds for the characters between the fields of a text.
type Separator func(rune) bool

// AppendFields appends to dst the fields of s between white space, as Python's
// str.split splits it.
func AppendFields(dst []string, s string) []string { return Separator(IsSpace).Append(dst, s) }

// Append appends the fields of s to dst, the longest runs of characters that do not
// separate.
func (p Separator) Append(dst []string, s string) []string {
	for field := range strings.FieldsFuncSeq(s, p) {
		dst = append(dst, field)
	}
	return dst
}

// Lower returns s in lowercase, as Python's str.lower does. It differs from
// [strings.ToLower] in two characters: İ becomes i and a combining dot, and Σ
// becomes ς where it ends a word.
func Lower(s string) string {
	if !strings.ContainsAny(s, "İΣ") {
		return strings.ToLower(s)
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == 'İ':
			b.WriteString("i\u0307")
		case r == 'Σ' && finalSigma(s, i):
			b.WriteRune('ς')
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// finalSigma reports whether the Σ at s[i] ends a word: a cased letter comes
// before it and none after, characters aside that have no say in case
// (Final_Sigma of the Unicode standard, section 3.13).
func finalSigma(s string, i int) bool {
	before, after := strings.TrimRightFunc(s[:i], caseIgnorable), strings.TrimLeftFunc(s[i+len("Σ"):], caseIgnorable)
	last, _ := utf8.DecodeLastRuneInString(before) // no letter where there is nothing
	next, _ := utf8.DecodeRuneInString(after)
	return cased(last) && !cased(next)
}

func cased(r rune) bool { return isUpper(r) || isLower(r) || unicode.IsTitle(r) }

// caseIgnorable reports Unicode's property Case_Ignorable: marks, format
// characters, modifiers, and the punctuation that may stand inside a word.
func caseIgnorable(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk) ||
		strings.ContainsRune("'.:\u00b7\u0387\u055f\u05f4\u2018\u2019\u2024\u2027\ufe13\ufe52\ufe55\uff07\uff0e\uff1a", r)
}
