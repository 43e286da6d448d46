package metrics

import (
	"slices"
	"strings"
	"unicode/utf8"

	"recallbench/internal/text/pytext"
)

// A normalizer splits an answer into words as scorers derived from SQuAD's do:
// lowercase, without ASCII punctuation, without articles, split at white space.
type normalizer struct {
	articles []string
	// isWord reports which characters next to an article make it a part of a longer word.
	isWord func(rune) bool
}

// append appends the words of s to dst.
func (n *normalizer) append(dst []string, s string) []string {
	return pytext.AppendFields(dst, n.withoutArticles(strings.Map(stripRune, pytext.Lower(s))))
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

func stripRune(r rune) rune {
	if strings.ContainsRune(punctuation, r) {
		return -1
	}
	return r
}

// punctuation is Python's string.punctuation.
const punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
