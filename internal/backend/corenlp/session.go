package corenlp

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"recallbench/internal/door/annotate"
)

// between separates utterances.
const between = "\n\n"

// A piece is an utterance that is not empty.
type piece struct {
	utterance int
	text      string
}

// A spoken session is what is sent at once.
type spoken []piece

// spokenIn returns the utterances of a session that are not empty.
func spokenIn(utterances []annotate.Utterance) (s spoken) {
	for i, u := range utterances {
		if u.Text != "" {
			s = append(s, piece{i, clean(u.Text)})
		}
	}
	return s
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
func (s spoken) text() string {
	var b strings.Builder
	for i, p := range s {
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
func (s spoken) places() []place {
	var all []place
	for i, p := range s {
		if i > 0 {
			// The first of what separates is the end of the utterance before it.
			for range len(between) - 1 {
				all = append(all, place{-1, 0})
			}
		}
		for at, r := range p.text {
			all = append(all, place{p.utterance, at})
			if r > 0xffff {
				all = append(all, place{-1, 0})
			}
		}
		all = append(all, place{p.utterance, len(p.text)})
	}
	return all
}
