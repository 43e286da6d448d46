package reader

import (
	"strings"
	"unicode"
)

// A lexeme is a word of a premise or condition.
type lexeme struct {
	form
	low    string
	mark   juncture // what stands between it and the token before
	upper  bool     // begins with a capital
	joined bool     // to the token before by a hyphen
	weight float32
	denied bool
}

// A juncture is what stands between two words: the strongest of what does.
type juncture uint8

// The junctures, from weak to strong.
const (
	noMark  juncture = iota
	comma            // and other marks inside a sentence
	either           // a slash
	stop             // ends a sentence or stands around words
	segment          // ends a part of a node's text: "|", ";", a line, a dash between blanks
	colon
)

// markOf returns what a punctuation mark says. A dash counts only between
// blanks.
func markOf(low string, spaced bool) juncture {
	switch low {
	case ":", "=":
		return colon
	case "|", ";", "<", ">", "{", "}":
		return segment
	case "-", "–", "—":
		if spaced {
			return segment
		}
		return noMark
	case "/":
		return either
	case ",", "(", ")", "\"", "“", "”":
		return comma
	case ".", "!", "?", "[", "]", "…", "•", "*":
		return stop
	}
	return noMark
}

// tokens splits a text into words without marks. Hyphens part words.
func (e *Entailer) tokens(text string) []lexeme {
	words := split(text)
	out := make([]lexeme, 0, len(words))
	before := stop
	end := 0
	for _, w := range words {
		if strings.ContainsRune(text[end:w.start], '\n') {
			before = max(before, segment)
		}
		spaced := w.start == 0 || unicode.IsSpace(rune(text[w.start-1]))
		end = w.end
		if w.punct {
			before = max(before, markOf(w.low, spaced))
			continue
		}
		for rest, joined, more := w.low, false, true; more; {
			var part string
			if part, rest, more = strings.Cut(rest, "-"); part == "" {
				continue
			}
			out = append(out, lexeme{form: e.forms.of(strings.Clone(part), len(part), func() form { return formOf(part) }), low: part, mark: before, upper: w.upper, joined: joined, weight: 1})
			before, joined = noMark, true
		}
	}
	return out
}

// phrase returns the links of the longest phrase of the lexicon that begins at a
// token, its hash, and its number of words. A single word is a phrase of one, linked
// or not.
func (e *Entailer) phrase(tokens []lexeme) (links []link, h uint64, n int) {
	h, n = tokens[0].stem, 1
	links = e.lexicon.links[h]
	longest := min(e.lexicon.longest[h], len(tokens))
	hash := h
	for i := 1; i < longest; i++ {
		if tokens[i].mark != noMark {
			break
		}
		hash = Mix(hash*31 + tokens[i].stem)
		if found, ok := e.lexicon.links[hash]; ok {
			links, h, n = found, hash, i+1
		}
	}
	return links, h, n
}
