package interchange

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A folded text has the letters and digits of a text in lower case, without
// accents, white space and punctuation, in which two writings of a question may
// differ. Digits that something stood between stay apart: 1.5 is not 15.
type folded struct {
	text  string
	words []foldedWord
}

// A foldedWord is a run of letters and digits, by its place in the text.
type foldedWord struct {
	start, end int
	// stop is set where a sentence or a line may end behind the word.
	stop bool
}

func fold(s string) folded {
	var f folded
	var b strings.Builder
	within, digit := false, false
	for _, r := range norm.NFKD.String(s) {
		switch {
		case unicode.IsMark(r):
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if !within {
				if digit && unicode.IsDigit(r) {
					b.WriteByte(' ')
				}
				f.words = append(f.words, foldedWord{start: b.Len()})
			}
			b.WriteRune(unicode.ToLower(r))
			within, digit = true, unicode.IsDigit(r)
			f.words[len(f.words)-1].end = b.Len()
		default:
			if n := len(f.words); n > 0 && strings.ContainsRune(".?!\n\r\"”)]", r) {
				f.words[n-1].stop = true
			}
			within = false
		}
	}
	if n := len(f.words); n > 0 {
		f.words[n-1].stop = true
	}
	f.text = b.String()
	return f
}

// normal is a text without what two writings of it may differ in; of a text
// without letters and digits it is all but white space.
func normal(s string) string {
	if text := fold(s).text; text != "" {
		return text
	}
	return strings.Join(strings.Fields(s), " ")
}

// Bounds of the search for a question within a text.
const (
	leastWords = 3   // of a question that is looked for
	mostWords  = 400 // at the end of the text, in which it is
)

// within returns the last of some folded texts that ends a sentence of a longer one,
// such as a question behind a date or at the end of a prompt. Of those that end there
// the longest, and empty for none. No text has more words than longest.
func (f folded) within(longest int, is func(text string) bool) string {
	words := f.words[max(0, len(f.words)-mostWords):]
	for j := len(words) - 1; j >= leastWords-1; j-- {
		if !words[j].stop {
			continue
		}
		for i := max(0, j+1-longest); i <= j+1-leastWords; i++ {
			if text := f.text[words[i].start:words[j].end]; is(text) {
				return text
			}
		}
	}
	return ""
}
