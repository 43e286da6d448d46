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

// ids implements [model].
func (m *wordPiece) ids(word string, ids []int32) []int32 {
	start := 0
	for _, end := range m.split(word, nil) {
		piece := word[start:end]
		if start > 0 {
			piece = m.prefix + piece
		}
		id, ok := m.vocab[piece]
		if !ok {
			id = m.unknown
		}
		ids = append(ids, id)
		start = end
	}
	return ids
}

func (m *wordPiece) split(word string, ends []int) []int {
	if utf8.RuneCountInString(word) > m.chars {
		return append(ends, len(word))
	}
	before := len(ends)
	piece := make([]byte, 0, m.bytes)
	for start := 0; start < len(word); {
		prefix := m.prefix
		if start == 0 {
			prefix = ""
		}
		end := min(len(word), start+m.bytes)
		for ; end > start; end-- {
			if end < len(word) && !utf8.RuneStart(word[end]) {
				continue
			}
			piece = append(append(piece[:0], prefix...), word[start:end]...)
			if _, ok := m.vocab[string(piece)]; ok {
				break
			}
		}
		if end == start {
			return append(ends[:before], len(word))
		}
		ends = append(ends, end)
		start = end
	}
	return ends
}
