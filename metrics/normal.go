package metrics

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"recallbench/internal/text/pytext"
)

// A normalizer makes words of an answer, as the scorers that come from SQuAD's
// do: lower case, without ASCII punctuation, without articles, cut at white
// space.
type normalizer struct {
	articles []string
	// isWord tells which characters next to an article make it a part of a
	// longer word.
	isWord func(rune) bool
}

// append appends the words of s to dst.
func (n *normalizer) append(dst []string, s string) []string {
	s, simple := strip(s)
	if !simple {
		return pytext.AppendFields(dst, n.withoutArticles(s))
	}
	start := len(dst)
	dst = pytext.AppendFields(dst, s)
	kept := slices.DeleteFunc(dst[start:], n.isArticle)
	return dst[:start+len(kept)]
}

func (n *normalizer) isArticle(word string) bool {
	return len(word) <= len("the") && slices.Contains(n.articles, word)
}

// withoutArticles returns s with a space for each article that stands between
// characters of other words.
func (n *normalizer) withoutArticles(s string) string {
	var b strings.Builder
	for s != "" {
		end := strings.IndexFunc(s, func(r rune) bool { return !n.isWord(r) })
		if end < 0 {
			end = len(s)
		}
		if n.isArticle(s[:end]) {
			b.WriteByte(' ')
		} else {
			b.WriteString(s[:end])
		}
		_, size := utf8.DecodeRuneInString(s[end:])
		b.WriteString(s[end : end+size])
		s = s[end+size:]
	}
	return b.String()
}

// strip returns s in lower case without ASCII punctuation, and whether nothing
// is left but a to z, digits and white space of ASCII.
func strip(s string) (stripped string, simple bool) {
	var buf [256]byte
	b := buf[:0]
	simple = true
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return strings.Map(stripRune, pytext.Lower(s)), false
		}
		c := strips[s[i]]
		if c.keep {
			b = append(b, c.lower)
			simple = simple && c.simple
		}
	}
	if string(b) == s {
		return s, simple
	}
	return string(b), simple
}

func stripRune(r rune) rune {
	if strings.ContainsRune(punctuation, r) {
		return -1
	}
	return r
}

// punctuation is Python's string.punctuation.
const punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

type asciiStrip struct {
	lower        byte
	keep, simple bool
}

var strips = func() (t [utf8.RuneSelf]asciiStrip) {
	for i := range t {
		r := rune(i)
		t[i] = asciiStrip{
			lower:  byte(unicode.ToLower(r)),
			keep:   stripRune(r) >= 0,
			simple: pytext.IsWord(r) || pytext.IsSpace(r),
		}
	}
	return t
}()
