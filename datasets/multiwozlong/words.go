package multiwozlong

import (
	"regexp"
	"slices"
	"strings"
)

// A span is a part of a text in bytes, end excluded.
type span struct{ start, end int }

func (s span) of(text string) string { return text[s.start:s.end] }

// A word is a part of a text in the form in which words are compared.
type word struct {
	text string
	span
}

// wordForm is a run of letters and digits, in which a clock time or a decimal is one
// word, or an ampersand.
var wordForm = regexp.MustCompile(`&|(?:\p{Nd}+(?:[:.]\p{Nd}+)*|\pL)(?:\p{Nd}+(?:[:.]\p{Nd}+)*|\pL|['’]\pL)*`)

var (
	apostrophes = strings.NewReplacer("'", "", "’", "")
	// spellings are words with several spellings in the dialogues.
	spellings = map[string]string{"centre": "center", "theater": "theatre", "saint": "st", "guesthouses": "guesthouse", "&": "and"}
)

// words splits a text into words in lowercase and without apostrophes. "guest house"
// is one word.
func words(s string) []word {
	var all []word
	for _, m := range wordForm.FindAllStringIndex(s, -1) {
		w := word{apostrophes.Replace(strings.ToLower(s[m[0]:m[1]])), span{m[0], m[1]}}
		if other, ok := spellings[w.text]; ok {
			w.text = other
		}
		if n := len(all) - 1; w.text == "house" && n >= 0 && all[n].text == "guest" {
			all[n] = word{"guesthouse", span{all[n].start, w.end}}
		} else {
			all = append(all, w)
		}
	}
	return all
}

// norm returns a text in the form in which texts are compared: its words.
func norm(s string) string {
	var all []string
	for _, w := range words(s) {
		all = append(all, w.text)
	}
	return strings.Join(all, " ")
}

// at reports whether text begins with words.
func at(text []word, words []string) bool {
	if len(text) < len(words) {
		return false
	}
	for i, w := range words {
		if text[i].text != w {
			return false
		}
	}
	return true
}

// find returns the place of the first run of the words of part.
func find(text []word, part string) (span, bool) {
	want := strings.Fields(part)
	for i := range text {
		if len(want) > 0 && at(text[i:], want) {
			return span{text[i].start, text[i+len(want)-1].end}, true
		}
	}
	return span{}, false
}

// whole reports whether words begin and end at a place: spans of the annotation
// cut some in two.
func whole(text string, at span) bool {
	all := words(text)
	return slices.ContainsFunc(all, func(w word) bool { return w.start == at.start }) &&
		slices.ContainsFunc(all, func(w word) bool { return w.end == at.end })
}
