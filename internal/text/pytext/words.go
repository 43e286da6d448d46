package pytext

import (
	_ "embed"
	"strings"
	"sync"
)

// AppendWords appends to dst the tokens of s as NLTK's word_tokenize splits English text
// (versions 3.9.1 and 3.9.2): sentences first, then each by NLTKWordTokenizer,
// which makes tokens of punctuation, splits contractions (do n't) and writes
// double quotes as two backticks or two single quotes.
//
// It departs from NLTK in one case. A last ! or ? right behind a period is a sentence
// of its own to NLTK, so that the period ends a sentence and becomes a token. Before
// more text, and here also at the end, it stays in its word. Reference values made
// without Punkt, as those of this project's fixtures, have it so.
func AppendWords(dst []string, s string) []string {
	s = strings.TrimRightFunc(s, IsSpace)
	var buf [8]string
	list := AppendSentences(buf[:0], s)
	if n := len(list) - 1; n > 0 && (list[n] == "!" || list[n] == "?") && strings.HasSuffix(s, "."+list[n]) {
		last := list[n-1]
		list = append(list[:n-1], s[len(s)-1-len(last):])
	}
	for _, sentence := range list {
		dst = appendSentenceWords(dst, sentence)
	}
	return dst
}

// appendSentenceWords appends the words of one sentence to dst.
//
// The reference is a cascade of regular expressions that put spaces around
// what is a token, and a split at white space. Here each pass, one expression
// or several that cannot see each other's work, is a function.
func appendSentenceWords(dst []string, s string) []string {
	e := &edit{src: []byte(s)}
	for _, pass := range passes {
		e.run(pass)
	}
	return AppendFields(dst, string(e.src))
}

// passes are the cascade, in the order of the reference. One of its
// expressions is left out: a second one for the final period that finds only
// what the first has already set apart.
var passes = []func(*edit){
	openQuotes, openDouble, openSingle, finalPeriod, commas, marks, lastSingle, brackets, margins,
	closeQuotes, plainSpaces, clitics, longClitics, contractions, tis,
}

// alphanumeric separates all but a to z and the digits.
var alphanumeric = Separator(func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })

// AppendRouge appends to dst the tokens of s as Google's rouge_score makes them with its
// stemmer on: runs of [a-z0-9] of the text in lowercase, the stem of those
// longer than three characters. A letter outside ASCII separates.
func AppendRouge(dst []string, s string) []string {
	start := len(dst)
	dst = alphanumeric.Append(dst, Lower(s))
	for i, token := range dst[start:] {
		if len(token) > 3 {
			dst[start+i] = Stem(token)
		}
	}
	return dst
}

// StopWord reports whether a word in lowercase is one of the 179 English stop
// words of NLTK's corpus as it was until 2024: the list that the phrase "stop
// words" most likely means in the papers. Its contractions stand whole and in
// the parts that an apostrophe leaves.
func StopWord(w string) bool { return stopWords()[w] }

//go:embed stopwords.txt
var stopWordList string

var stopWords = sync.OnceValue(func() map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(stopWordList) {
		m[w] = true
	}
	return m
})
