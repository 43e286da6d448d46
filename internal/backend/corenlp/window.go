package corenlp

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"recallbench/internal/door/annotate"
)

// between separates utterances.
const between = "\n\n"

// A piece is an utterance, or a part of a long one.
type piece struct {
	utterance int
	start     int // byte of the utterance
	text      string
}

// A window is what is sent at once.
type window []piece

// windows cuts a session where utterances end; an utterance that is longer than
// all is cut at white space.
func windows(utterances []annotate.Utterance, limit int) []window {
	var all []window
	var w window
	size := 0
	for i, u := range utterances {
		text, start := clean(u.Text), 0
		for start < len(text) {
			end := min(start+limit, len(text))
			if end < len(text) {
				if space := strings.LastIndexByte(text[start:end], ' '); space > 0 {
					end = start + space + 1
				} else {
					for end > start+1 && !utf8.RuneStart(text[end]) {
						end--
					}
				}
			}
			if size > 0 && size+end-start > limit {
				all = append(all, w)
				w, size = nil, 0
			}
			w = append(w, piece{i, start, text[start:end]})
			size += end - start + len(between)
			start = end
		}
	}
	if len(w) > 0 {
		all = append(all, w)
	}
	return all
}

// clean returns a text of the same length as one line of valid UTF-8.
func clean(text string) string {
	b := []byte(text)
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 || unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			for k := range n {
				b[i+k] = ' '
			}
		}
		i += n
	}
	return string(b)
}

// text is what is sent.
func (w window) text() string {
	var b strings.Builder
	for i, p := range w {
		if i > 0 {
			b.WriteString(between)
		}
		b.WriteString(p.text)
	}
	return b.String()
}

// A place is a byte of an utterance.
type place struct{ utterance, byte int }

// places returns where each unit of UTF-16 of the text is, and the end of the
// last. What lies between utterances, or inside a character, is in utterance -1.
func (w window) places() []place {
	var all []place
	for i, p := range w {
		if i > 0 {
			// The first of what separates is the end of the utterance before it.
			for range len(between) - 1 {
				all = append(all, place{-1, 0})
			}
		}
		for at, r := range p.text {
			all = append(all, place{p.utterance, p.start + at})
			if r > 0xffff {
				all = append(all, place{-1, 0})
			}
		}
		all = append(all, place{p.utterance, p.start + len(p.text)})
	}
	return all
}
