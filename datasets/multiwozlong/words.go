package multiwozlong

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A word is a part of a text in the form in which words are compared, with its
// place in bytes.
type word struct {
	text       string
	start, end int
}

// spellings are words that the dialogues write in more than one way.
var spellings = map[string]string{"centre": "center", "theater": "theatre", "saint": "st", "guesthouses": "guesthouse"}

// words cuts a text into words: runs of letters and digits in lower case, in
// which a clock time or a decimal is one word. Apostrophes are left out, an
// ampersand is "and", and "guest house" is one word.
func words(s string) []word {
	var all []word
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == '&' {
			all = append(all, word{"and", i, i + size})
			i += size
			continue
		}
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			i += size
			continue
		}
		end := wordEnd(s, i)
		text := strings.ToLower(s[i:end])
		if strings.ContainsAny(text, "'’") {
			text = strings.ReplaceAll(strings.ReplaceAll(text, "'", ""), "’", "")
		}
		if other, ok := spellings[text]; ok {
			text = other
		}
		if n := len(all) - 1; text == "house" && n >= 0 && all[n].text == "guest" {
			all[n] = word{"guesthouse", all[n].start, end}
		} else {
			all = append(all, word{text, i, end})
		}
		i = end
	}
	return all
}

// wordEnd returns where the word that begins at an offset ends.
func wordEnd(s string, at int) int {
	for at < len(s) {
		r, size := utf8.DecodeRuneInString(s[at:])
		next, _ := utf8.DecodeRuneInString(s[at+size:])
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r):
		case (r == '\'' || r == '’') && unicode.IsLetter(next):
		case (r == ':' || r == '.') && unicode.IsDigit(next) && unicode.IsDigit(rune(s[at-1])):
		default:
			return at
		}
		at += size
	}
	return at
}

// norm returns a text in the form in which texts are compared: its words.
func norm(s string) string {
	var b strings.Builder
	for _, w := range words(s) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.text)
	}
	return b.String()
}

// find returns the place of the first of the words of part in a row.
func find(text []word, part string) (start, end int, ok bool) {
	want := strings.Fields(part)
	if len(want) == 0 {
		return 0, 0, false
	}
next:
	for i := range len(text) - len(want) + 1 {
		for j, w := range want {
			if text[i+j].text != w {
				continue next
			}
		}
		return text[i].start, text[i+len(want)-1].end, true
	}
	return 0, 0, false
}

// whole tells whether words begin and end at a place: spans of the annotation cut
// some in two.
func whole(s string, start, end int) bool {
	begins, ends := false, false
	for _, w := range words(s) {
		begins, ends = begins || w.start == start, ends || w.end == end
	}
	return begins && ends
}
