package token

import (
	"math"
	"slices"
	"unicode/utf8"
)

// A model splits a word into tokens.
type model interface{ split(word string) []symbol }

// A symbol is a token, and where it ends in the word.
type symbol struct {
	token int32
	end   int
}

// pieceBytes bounds what is merged at once. Merging is quadratic in the length
// of a word, and a hostile text may be one word.
const pieceBytes = 1 << 10

// pieces splits the pieces of a word that merging takes one by one.
func pieces(word string, merge func(piece string) []symbol) (symbols []symbol) {
	for start := 0; start < len(word); {
		end := start + pieceEnd(word[start:])
		for _, s := range merge(word[start:end]) {
			symbols = append(symbols, symbol{s.token, start + s.end})
		}
		start = end
	}
	return symbols
}

// pieceEnd returns the length of a prefix of text of at most pieceBytes. It ends
// before a space between two letters, where no word can continue. A text without such a
// place is cut between two characters, which may give a few tokens more than the
// encoding would.
func pieceEnd(text string) int {
	if len(text) <= pieceBytes {
		return len(text)
	}
	for i := pieceBytes; i > 0; i-- {
		if text[i] == ' ' && letter(text[i-1]) && i+1 < len(text) && letter(text[i+1]) {
			return i
		}
	}
	end := pieceBytes
	for end > pieceBytes-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return end
}

// join replaces two neighbours by their union, that of the lowest rank first and of several
// the leftmost, until none has one. Start is where the left one begins in the piece.
func join(symbols []symbol, union func(start int, left, right symbol) (merge, bool)) []symbol {
	unions := make([]merge, len(symbols)) // of a symbol and the next
	unite := func(i int) {
		start := 0
		if i > 0 {
			start = symbols[i-1].end
		}
		unions[i].rank = math.MaxInt32
		if i+1 < len(symbols) {
			if m, ok := union(start, symbols[i], symbols[i+1]); ok {
				unions[i] = m
			}
		}
	}
	for i := range symbols {
		unite(i)
	}
	for {
		i, lowest := -1, int32(math.MaxInt32)
		for j, m := range unions {
			if m.rank < lowest {
				i, lowest = j, m.rank
			}
		}
		if i < 0 {
			return symbols
		}
		symbols[i] = symbol{unions[i].token, symbols[i+1].end}
		symbols, unions = slices.Delete(symbols, i+1, i+2), slices.Delete(unions, i+1, i+2)
		unite(i)
		if i > 0 {
			unite(i - 1)
		}
	}
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// bpe is byte pair encoding: a word begins as its bytes, and of all neighbours the
// pair that comes first in the list of merges becomes one token, again and again.
type bpe struct {
	merges map[pair]merge
	bytes  [256]int32 // the tokens of single bytes
	// whole holds the vocabulary when a word that is in it is not split.
	whole map[string]int32
}

type pair struct{ left, right int32 }

// A merge is the union of a pair; the lowest rank is merged first.
type merge struct{ rank, token int32 }

// split implements [model].
func (m *bpe) split(word string) []symbol {
	if m.whole != nil {
		spelled := make([]byte, 0, 2*len(word))
		for i := range len(word) {
			spelled = utf8.AppendRune(spelled, byteRunes[word[i]])
		}
		if token, ok := m.whole[string(spelled)]; ok {
			return []symbol{{token, len(word)}}
		}
	}
	return pieces(word, m.merge)
}

func (m *bpe) merge(piece string) []symbol {
	symbols := make([]symbol, len(piece))
	for i := range symbols {
		symbols[i] = symbol{m.bytes[piece[i]], i + 1}
	}
	return join(symbols, func(_ int, left, right symbol) (merge, bool) {
		found, ok := m.merges[pair{left.token, right.token}]
		return found, ok
	})
}

// byteRunes are the characters that spell the bytes in the vocabulary of a
// model of bytes: those of Latin-1 that one can see stand for themselves, and
// the rest, in order, for those from U+0100 on.
var byteRunes = func() (runes [256]rune) {
	unseen := rune(256)
	for b := range runes {
		switch {
		case b > ' ' && b < 0x7f, b > 0xa0 && b != 0xad:
			runes[b] = rune(b)
		default:
			runes[b] = unseen
			unseen++
		}
	}
	return runes
}()

// wordPiece splits a word into the longest pieces of its vocabulary, from left
// to right. A word that has no such pieces, or too many characters, is one
// unknown token.
type wordPiece struct {
	vocab   map[string]int32
	prefix  string // of a piece inside a word
	chars   int    // of the longest word
	unknown int32
}

// split implements [model].
func (m *wordPiece) split(word string) []symbol {
	unknown := []symbol{{m.unknown, len(word)}}
	if utf8.RuneCountInString(word) > m.chars {
		return unknown
	}
	var symbols []symbol
	prefix := ""
	for start := 0; start < len(word); prefix = m.prefix {
		end := len(word)
		id, found := m.vocab[prefix+word[start:end]]
		for !found && end > start {
			_, size := utf8.DecodeLastRuneInString(word[start:end])
			end -= size
			id, found = m.vocab[prefix+word[start:end]]
		}
		if end == start {
			return unknown
		}
		symbols = append(symbols, symbol{id, end})
		start = end
	}
	return symbols
}
