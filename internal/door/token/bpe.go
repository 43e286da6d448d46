package token

import "unicode/utf8"

// A model splits a word into tokens.
type model interface {
	// tokens hands the tokens of a word to next, each with where it ends in the word.
	tokens(word string, next func(id int32, end int))
}

// bpe is byte pair encoding: a word begins as its bytes, and of all neighbours the pair that comes first in the list of merges
// becomes one token, again and again.
type bpe struct {
	merges map[pair]merge
	bytes  [256]int32 // the tokens of single bytes
	// whole holds the vocabulary when a word that is in it is not split.
	whole map[string]int32
}

type pair struct{ left, right int32 }

type merge struct{ rank, token int32 }

// A symbol is a token so far, and where it ends in the word.
type symbol struct {
	token int32
	end   int
}

// tokens implements [model]. Merging is quadratic in the length of a piece, which is
// bounded.
func (m *bpe) tokens(word string, next func(id int32, end int)) {
	if token, ok := m.known(word); ok {
		next(token, len(word))
		return
	}
	symbols := make([]symbol, 0, min(len(word), pieceBytes))
	for start := 0; start < len(word); {
		end := start + pieceEnd(word[start:])
		symbols = symbols[:0]
		for i := start; i < end; i++ {
			symbols = append(symbols, symbol{m.bytes[word[i]], i + 1})
		}
		for _, s := range m.merge(symbols) {
			next(s.token, s.end)
		}
		start = end
	}
}

// merge joins neighbours until no merge fits: each time all places of the merge that
// comes first, from left to right.
func (m *bpe) merge(symbols []symbol) []symbol {
	for {
		first := merge{rank: -1}
		var join pair
		for i := 1; i < len(symbols); i++ {
			p := pair{symbols[i-1].token, symbols[i].token}
			if found, ok := m.merges[p]; ok && (first.rank < 0 || found.rank < first.rank) {
				first, join = found, p
			}
		}
		if first.rank < 0 {
			return symbols
		}
		joined := symbols[:0]
		for i := 0; i < len(symbols); i++ {
			s := symbols[i]
			if i+1 < len(symbols) && s.token == join.left && symbols[i+1].token == join.right {
				i++
				s = symbol{first.token, symbols[i].end}
			}
			joined = append(joined, s)
		}
		symbols = joined
	}
}

// known returns the token that a word is as a whole, where words that are in
// the vocabulary are not split.
func (m *bpe) known(word string) (int32, bool) {
	if m.whole == nil {
		return 0, false
	}
	spelled := make([]byte, 0, 2*len(word))
	for i := range len(word) {
		spelled = utf8.AppendRune(spelled, byteRunes[word[i]])
	}
	token, ok := m.whole[string(spelled)]
	return token, ok
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
