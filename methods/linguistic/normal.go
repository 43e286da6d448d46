package linguistic

import (
	"regexp"
	"strings"
	"unicode"
)

var markup = regexp.MustCompile(`</?[A-Za-z][^<>]{0,200}>`)

// Normalise takes markup out of a text and folds its white space, as the paper's
// appendix A.1 does; what is no UTF-8 becomes a replacement character. With
// lower it also writes words in lower case, but for acronyms: words of at least
// two letters, all of them capitals.
func Normalise(text string, lower bool) string {
	words := strings.Fields(markup.ReplaceAllString(strings.ToValidUTF8(text, "\uFFFD"), " "))
	if lower {
		for i, w := range words {
			if !acronym(w) {
				words[i] = strings.ToLower(w)
			}
		}
	}
	return strings.Join(words, " ")
}

func acronym(word string) bool {
	capitals := 0
	for _, r := range word {
		switch {
		case unicode.IsUpper(r):
			capitals++
		case unicode.IsLetter(r):
			return false
		}
	}
	return capitals >= 2
}
