package tree

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"recallbench/internal/text/pytext"
)

const (
	// maxText bounds how much of a request is read, in bytes. What lies behind
	// is left unread.
	maxText = 1 << 13
	// maxWord bounds the length of a word, in bytes; longer ones are cut.
	maxWord = 48
)

// A word is a run of letters and digits, or one mark.
type word struct {
	start, end int    // byte offsets
	low        string // lower case, with straight apostrophes
	stem       string
	upper      bool // begins with a capital
	mark       bool
}

// clip cuts a text to maxText bytes of valid UTF-8.
func clip(s string) string {
	if len(s) > maxText {
		s = s[:maxText]
	}
	return strings.ToValidUTF8(s, " ")
}

// scan splits a text into words and marks. Hyphens part words; an apostrophe
// parts the ending that follows, so that "day's" is "day" and "'s", except in
// "n't", which stays with its verb.
func scan(s string) []word {
	s = clip(s)
	var words []word
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case letter(r):
			end := wordEnd(s, i)
			words = appendWord(words, s, i, end)
			i = end
		case unicode.IsSpace(r) || unicode.IsControl(r):
			i += size
		default:
			low := s[i : i+size]
			switch low {
			case "–", "—", "−":
				low = "-"
			}
			words = append(words, word{start: i, end: i + size, low: low, stem: low, mark: true})
			i += size
		}
	}
	return words
}

func letter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// wordEnd returns where the word at i ends. A point, comma or colon between
// digits belongs to it, and so does an apostrophe between letters.
func wordEnd(s string, i int) int {
	limit := min(len(s), i+maxWord)
	last := rune(0)
	for i < limit {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !letter(r) {
			next, _ := utf8.DecodeRuneInString(s[i+size:])
			quote := (r == '\'' || r == '’') && (unicode.IsLetter(last) || unicode.IsDigit(last)) && unicode.IsLetter(next)
			number := (r == '.' || r == ',' || r == ':') && unicode.IsDigit(last) && unicode.IsDigit(next)
			if !quote && !number {
				return i
			}
		}
		last = r
		i += size
	}
	return min(i, len(s))
}

func appendWord(words []word, s string, start, end int) []word {
	r, _ := utf8.DecodeRuneInString(s[start:])
	low := strings.ReplaceAll(strings.ToLower(s[start:end]), "’", "'")
	w := word{start: start, end: end, low: low, upper: unicode.IsUpper(r)}
	if at := strings.LastIndexByte(low, '\''); at > 0 && !strings.HasSuffix(low, "n't") {
		raw := strings.LastIndexAny(s[start:end], "'’")
		head, tail := w, w
		head.end, head.low = start+raw, low[:at]
		tail.start, tail.low, tail.upper = start+raw, low[at:], false
		head.stem, tail.stem = stem(head.low), tail.low
		return append(words, head, tail)
	}
	w.stem = stem(low)
	return append(words, w)
}

// stem returns what the forms of a lower-case word have in common.
func stem(low string) string {
	if base, ok := irregular()[low]; ok {
		low = base
	}
	return pytext.Stem(low)
}

// content reports whether a word says something by itself.
func content(w word) bool { return !w.mark && !w.in("closed") }

// firstWords bounds how many words of a request are read.
func firstWords(words []word) []word { return words[:min(len(words), 250)] }

// isStop reports whether a mark ends a sentence.
func isStop(w word) bool {
	return w.mark && (w.low == "." || w.low == "?" || w.low == "!" || w.low == ";" || w.low == "\n")
}

// sentences splits words at full stops, question and exclamation marks. Each
// keeps its mark.
func sentences(words []word) [][]word {
	var all [][]word
	start := 0
	for i, w := range words {
		if isStop(w) {
			all = append(all, words[start:i+1])
			start = i + 1
		}
	}
	if start < len(words) {
		all = append(all, words[start:])
	}
	return slices.DeleteFunc(all, func(s []word) bool {
		return !slices.ContainsFunc(s, func(w word) bool { return !w.mark })
	})
}

// lows returns the words of a text in lower case, without marks.
func lows(s string) []string {
	var out []string
	for _, w := range scan(s) {
		if !w.mark {
			out = append(out, w.low)
		}
	}
	return out
}

// join writes the text that words cover.
func join(s string, words []word) string {
	if len(words) == 0 {
		return ""
	}
	return s[words[0].start:words[len(words)-1].end]
}
