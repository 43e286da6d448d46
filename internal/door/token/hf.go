package token

import "unicode/utf8"

// hf is a tokenizer that works as a tokenizer.json says.
type hf struct {
	name string

	added     added // tokens that are found in the text as it is
	normalize []normalizer
	cut       []cutter
	model     model

	// lines is set when a text may be counted line by line. What is
	// remembered then is the count of a line, else that of a word.
	lines bool
	memo  memo[int]
}

// Name implements [Counter].
func (h *hf) Name() string { return h.name }

// Count implements [Counter].
func (h *hf) Count(text string) int {
	text = valid(text)
	if !h.lines {
		n := 0
		h.words(text, func(word string, token *addedToken) {
			if token != nil {
				n++
			} else {
				n += h.memo.get(word, h.countWord)
			}
		})
		return n
	}
	n := 0
	for len(text) > 0 {
		end := lineEnd(text)
		n += h.memo.get(text[:end], h.countLine)
		text = text[end:]
	}
	return n
}

// countLine counts the tokens of a text without a remembered count.
func (h *hf) countLine(line string) (n int) {
	h.each(line, func(string, int32) { n++ })
	return n
}

func (h *hf) countWord(word string) (n int) {
	h.model.tokens(word, func(int32, int) { n++ })
	return n
}

// Split implements [Codec].
func (h *hf) Split(text string) (tokens []string) {
	h.each(valid(text), func(token string, _ int32) { tokens = append(tokens, token) })
	return tokens
}

// each hands the tokens of a text to next, with their ids.
func (h *hf) each(text string, next func(token string, id int32)) {
	h.words(text, func(word string, token *addedToken) {
		if token != nil {
			next(word, token.ID)
			return
		}
		start := 0
		h.model.tokens(word, func(id int32, end int) {
			next(word[start:end], id)
			start = end
		})
	})
}

// words hands the words of a text to next, and the tokens that were added to
// the vocabulary as words of their own.
func (h *hf) words(text string, next func(word string, token *addedToken)) {
	cut := h.chain(0, func(word string) { next(word, nil) })
	h.added.cut(text, func(s string, token *addedToken) {
		if token != nil {
			next(s, token)
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
func (h *hf) chain(i int, next func(string)) func(string) {
	if i == len(h.cut) {
		return func(s string) {
			if s != "" {
				next(s)
			}
		}
	}
	rest := h.chain(i+1, next)
	return func(s string) { h.cut[i](s, rest) }
}

// valid returns text with U+FFFD in the place of each byte that is not UTF-8.
func valid(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	return string([]rune(text))
}
