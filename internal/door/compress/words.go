// Package compress is the one door to models that decide which words of a text
// to keep, as LLMLingua-2's does (Pan et al., Findings of ACL 2024).
package compress

import (
	"context"
	"unicode"
)

// A Word is a piece of a text that is kept or left out as a whole.
type Word struct {
	Start, End int     // in bytes of the text
	Keep       float64 // the probability that it is kept
}

// A Classifier gives words the probability that they are kept. It is safe for
// concurrent use.
type Classifier interface {
	// Classify returns the words of each text, in order.
	Classify(ctx context.Context, texts []string) ([][]Word, error)
}

// Words returns where the words of a text begin and end, in bytes: the longest runs
// of characters other than white space that are letters, digits, or marks of these;
// every punctuation mark, symbol and Chinese character is a word. BERT's tokenizers
// split at the same places.
func Words(text string) [][2]int {
	words := make([][2]int, 0, len(text)/4)
	start, single := -1, false
	for i, r := range text {
		alone := Alone(r)
		space := unicode.IsSpace(r)
		if start >= 0 && (single || alone || space) {
			words = append(words, [2]int{start, i})
			start = -1
		}
		if start < 0 && !space {
			start, single = i, alone
		}
	}
	if start >= 0 {
		words = append(words, [2]int{start, len(text)})
	}
	return words
}

// Alone reports whether a character is a word by itself.
func Alone(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return false
	}
	return unicode.IsPunct(r) || unicode.IsSymbol(r) || unicode.Is(unicode.Han, r)
}
