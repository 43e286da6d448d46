package linkgrammar

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSentence is the longest sentence that is parsed, in bytes. The time that a
// parse takes grows with the third power of the length.
const maxSentence = 600

// line returns a sentence as a line for the parser, of the same length: what the
// parser would read as a command, a comment or the end of the line is a space, and
// so are brackets, which its output uses. A lone small i, as people type it, is
// the pronoun. It is false for a sentence that is too long or holds no letter and
// no digit.
func line(text string) (string, bool) {
	if len(text) > maxSentence {
		return "", false
	}
	b := []byte(text)
	first, wordy := true, false
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		blank := r == utf8.RuneError && n == 1 || unicode.IsSpace(r) || unicode.IsControl(r) ||
			r == '\u2028' || r == '\u2029' || r == '\ufeff' ||
			n == 1 && strings.ContainsRune("()[]{}", r) || first && (r == '!' || r == '%')
		if blank {
			for k := range n {
				b[i+k] = ' '
			}
		} else {
			first = false
		}
		wordy = wordy || unicode.IsLetter(r) || unicode.IsDigit(r)
		i += n
	}
	for i, c := range b {
		if c == 'i' && (i == 0 || b[i-1] == ' ') && (i+1 == len(b) || b[i+1] == ' ' || b[i+1] == '\'') {
			b[i] = 'I'
		}
	}
	return string(b), wordy
}

// A word is a word of a linkage.
type word struct {
	start, end int    // bytes of the sentence
	text       string // in lower case, with a straight apostrophe
	class      string // the parser's subscript: n, v-d, a; empty for none
}

// locate finds the words of a linkage in the line that was parsed. Walls are
// words without a place. It is false where the two do not agree.
func locate(text string, raw []string) ([]word, bool) {
	words := make([]word, len(raw))
	at := 0
	for i, w := range raw {
		if i == 0 && w == "LEFT-WALL" || i == len(raw)-1 && w == "RIGHT-WALL" {
			words[i] = word{}
			continue
		}
		at += len(text[at:]) - len(strings.TrimLeft(text[at:], " "))
		if inner, ok := strings.CutPrefix(w, "["); ok && strings.HasSuffix(inner, "]") && len(inner) > 1 {
			w = inner[:len(inner)-1] // in no link
		}
		base, guess, guessed := strings.Cut(w, "[") // hotel[?].n, 5.50[!]
		class := ""
		if guessed {
			_, class, _ = strings.Cut(guess, "].")
		}
		n := has(text[at:], base)
		if n == 0 {
			if dot := strings.LastIndexByte(base, '.'); dot > 0 {
				class = base[dot+1:]
				n = has(text[at:], base[:dot])
			}
		}
		if n == 0 {
			return nil, false
		}
		words[i] = word{at, at + n, strings.ReplaceAll(strings.ToLower(text[at:at+n]), "’", "'"), class}
		at += n
	}
	return words, strings.TrimSpace(text[at:]) == ""
}

// has returns how many bytes of a text a word takes that it begins with, in
// letters of either case.
func has(text, w string) int {
	if w != "" && len(w) <= len(text) && strings.EqualFold(text[:len(w)], w) {
		return len(w)
	}
	return 0
}
