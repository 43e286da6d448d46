package token

import "unicode/utf8"

// wordPiece splits a word into the longest pieces of its vocabulary, from left
// to right. A word that has no such pieces, or too many characters, is one
// unknown token.
type wordPiece struct {
	vocab  map[string]int32
	prefix string // of a piece inside a word
	chars  int    // of the longest word
	bytes  int    // of the longest piece

	unknown int32
}

// tokens implements [model].
func (m *wordPiece) tokens(word string, next func(id int32, end int)) {
	pieces, ok := m.split(word)
	if !ok {
		next(m.unknown, len(word))
		return
	}
	for _, p := range pieces {
		next(p.token, p.end)
	}
}

func (m *wordPiece) split(word string) (pieces []symbol, ok bool) {
	if utf8.RuneCountInString(word) > m.chars {
		return nil, false
	}
	piece := make([]byte, 0, m.bytes)
	for start := 0; start < len(word); {
		prefix := m.prefix
		if start == 0 {
			prefix = ""
		}
		id, end, found := int32(0), min(len(word), start+m.bytes), false
		for ; end > start; end-- {
			if end < len(word) && !utf8.RuneStart(word[end]) {
				continue
			}
			piece = append(append(piece[:0], prefix...), word[start:end]...)
			if id, found = m.vocab[string(piece)]; found {
				break
			}
		}
		if !found {
			return nil, false
		}
		pieces = append(pieces, symbol{id, end})
		start = end
	}
	return pieces, true
}
