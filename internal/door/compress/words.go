package compress

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A word is what is kept or left out as a whole.
type word struct {
	start, end int
	keep       float64
	tokens     int
	forced     bool
}

func (w word) of(text string) string { return text[w.start:w.end] }

// Words returns where the words of a text begin and end, in bytes: the longest
// runs of characters other than white space that are letters, digits, or marks
// of these; every punctuation mark, symbol and Chinese character is a word.
func Words(text string) [][2]int {
	words := make([][2]int, 0, len(text)/4)
	start, single := -1, false
	for i, r := range text {
		k := kindOf(r)
		if start >= 0 && (single || k != inWord) {
			words = append(words, [2]int{start, i})
			start = -1
		}
		if start < 0 && k != space {
			start, single = i, k == alone
		}
	}
	if start >= 0 {
		words = append(words, [2]int{start, len(text)})
	}
	return words
}

// A kind says where a character may stand in a word.
type kind byte

const (
	inWord kind = iota
	alone
	space
)

func kindOf(r rune) kind {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return inWord
	case unicode.IsSpace(r):
		return space
	case unicode.IsPunct(r), unicode.IsSymbol(r), unicode.Is(unicode.Han, r):
		return alone
	default:
		return inWord
	}
}

// words makes words of tokens: a token goes on with the word before where the
// two touch and neither ends, or begins, in a character that stands alone. The
// probability of a word is the mean of its tokens', and 1 for one that is
// forced.
func (p *compression) words(text string, tokens []Token) []word {
	words := p.room[:0]
	parts := 0 // tokens of the last word
	for _, t := range tokens {
		// Some tokenizers count a space before a word to its token.
		piece := text[t.Start:t.End]
		t.Start += len(piece) - len(strings.TrimLeftFunc(piece, unicode.IsSpace))
		piece = strings.TrimSpace(piece)
		t.End = t.Start + len(piece)
		if piece == "" {
			continue
		}
		if n := len(words) - 1; n >= 0 && t.Start <= words[n].end && !parted(text[:words[n].end], piece) {
			words[n].end = max(words[n].end, t.End)
			words[n].keep += t.Keep
			parts++
			continue
		}
		mean(words, parts)
		words = append(words, word{start: t.Start, end: t.End, keep: t.Keep})
		parts = 1
	}
	mean(words, parts)
	for i := range words {
		w := &words[i]
		shown := w.of(text)
		w.tokens = p.tokens(shown)
		w.forced = slices.Contains(p.options.ForceTokens, shown)
		if w.forced || p.options.ReserveDigits && strings.ContainsFunc(shown, unicode.IsDigit) {
			w.keep = 1
		}
	}
	p.room = words
	return words
}

// mean divides the sum that the last word holds.
func mean(words []word, parts int) {
	if parts > 1 {
		words[len(words)-1].keep /= float64(parts)
	}
}

// parted reports whether two pieces that touch are words of their own.
func parted(before, piece string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(piece)
	return kindOf(last) != inWord || kindOf(first) != inWord
}

// join writes words, one at least, as they stand in a text, with a space wherever
// something between two of them is left out.
func join(text string, words []word) string {
	var b strings.Builder
	b.Grow(words[len(words)-1].end) // at most
	for i, w := range words {
		if i > 0 && w.start > words[i-1].end {
			b.WriteByte(' ')
		}
		b.WriteString(w.of(text))
	}
	return b.String()
}
