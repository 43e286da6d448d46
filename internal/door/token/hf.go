package token

import "unicode/utf8"

// hf is a tokenizer that works as a tokenizer.json says.
type hf struct {
	name    string
	special int // tokens added to a single text

	added     added // tokens that are found in the text as it is
	normalize []normalizer
	cut       []cutter
	model     model

	// lines is set when a text may be counted line by line. What is
	// remembered then is the count of a line, else that of a word.
	lines  bool
	pieces memo[int]
	memo   memo[int]
}

// Name implements [Counter].
func (h *hf) Name() string { return h.name }

// Special implements [Adder].
func (h *hf) Special() int { return h.special }

// Count implements [Counter].
func (h *hf) Count(text string) int {
	text = valid(text)
	if !h.lines {
		n := 0
		h.words(span{text: text}, func(word span) {
			if word.token {
				n++
			} else {
				n += h.memo.get(word.text, h.countWord)
			}
		})
		return n
	}
	return countPieces(text, &h.pieces, func(piece string) int {
		n := 0
		for len(piece) > 0 {
			end := lineEnd(piece)
			n += h.memo.get(piece[:end], h.countLine)
			piece = piece[end:]
		}
		return n
	})
}

// countLine counts the tokens of a text without a remembered count.
func (h *hf) countLine(line string) int {
	var ends []int
	n := 0
	h.words(span{text: line}, func(word span) {
		if word.token {
			n++
			return
		}
		ends = h.model.split(word.text, ends[:0])
		n += len(ends)
	})
	return n
}

func (h *hf) countWord(word string) int { return len(h.model.split(word, nil)) }

// Split implements [Codec].
func (h *hf) Split(text string) []string {
	text = valid(text)
	if text == "" {
		return nil
	}
	var bounds []int // where each token ends in text
	var ends []int
	h.words(origin(text), func(word span) {
		ends = append(ends[:0], len(word.text))
		if !word.token {
			ends = h.model.split(word.text, ends[:0])
		}
		for _, end := range ends {
			bounds = append(bounds, word.at[end])
		}
	})
	if len(bounds) == 0 {
		return []string{text}
	}
	bounds[len(bounds)-1] = len(text)
	tokens := make([]string, len(bounds))
	done := 0
	for i, end := range bounds {
		tokens[i] = text[done:end]
		done = end
	}
	return tokens
}

// words hands the words of a text to next, and the tokens that were added to
// the vocabulary as words of their own.
func (h *hf) words(s span, next func(span)) {
	cut := h.chain(0, next)
	h.added.cut(s, func(s span) {
		if s.token {
			next(s)
			return
		}
		for _, normalize := range h.normalize {
			s = normalize(s)
		}
		cut(s)
	})
}

// chain returns the function that cuts a text with all cutters from the i-th
// on.
func (h *hf) chain(i int, next func(span)) func(span) {
	if i == len(h.cut) {
		return func(s span) {
			if s.text != "" {
				next(s)
			}
		}
	}
	rest := h.chain(i+1, next)
	return func(s span) { h.cut[i](s, rest) }
}

// valid returns text with U+FFFD in the place of each byte that is not UTF-8.
func valid(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	return string([]rune(text))
}
