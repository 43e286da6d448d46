package pytext

import (
	"bytes"
	"unicode/utf8"
)

// Stem returns the stem of a word of letters and digits in lowercase, by Porter's
// algorithm ("An algorithm for suffix stripping", Program 14(3), 1980). It has the
// extensions that NLTK's PorterStemmer applies by default:
//
//   - a table of irregular forms;
//   - words of one or two letters stay;
//   - ies and ied become ie in words of four letters;
//   - y becomes i after any consonant but the word's first letter, and only
//     then;
//   - step 1b restores an e also to a stem of one vowel and one consonant;
//   - step 2 knows bli, fulli and logi, and starts over after alli.
//
// Letters are characters: one outside ASCII is a consonant.
func Stem(s string) string {
	if utf8.RuneCountInString(s) <= 2 {
		return s
	}
	if stem, ok := irregular(s); ok {
		return stem
	}
	w := step1c(step1b(step1a([]byte(s))))
	w = apply(step2(w), step3Rules, 0)
	return string(step5(step4(w)))
}

// irregular returns the stem of a word that the rules would get wrong.
func irregular(s string) (stem string, ok bool) {
	switch s {
	case "sky", "skies":
		return "sky", true
	case "dying":
		return "die", true
	case "lying":
		return "lie", true
	case "tying":
		return "tie", true
	case "inning", "innings":
		return "inning", true
	case "outing", "outings":
		return "outing", true
	case "canning", "cannings":
		return "canning", true
	case "news", "howe", "proceed", "exceed", "succeed":
		return s, true
	}
	return "", false
}

// A rule replaces a suffix of a word if the measure of the stem that is left
// before it is large enough.
type rule struct{ suffix, replacement string }

// apply rewrites w by the first rule whose suffix w has, if the measure of
// the stem exceeds m. No later rule is tried.
func apply(w []byte, list []rule, m int) []byte {
	for _, r := range list {
		if stem, ok := cut(w, r.suffix); ok {
			if measure(stem) > m {
				return append(stem, r.replacement...)
			}
			return w
		}
	}
	return w
}

// cut returns w without the suffix, and whether w has it.
func cut(w []byte, suffix string) ([]byte, bool) {
	n := len(w) - len(suffix)
	// Most words differ in the last letter already.
	if n < 0 || w[len(w)-1] != suffix[len(suffix)-1] || string(w[n:]) != suffix {
		return w, false
	}
	return w[:n], true
}

func step1a(w []byte) []byte {
	if w[len(w)-1] != 's' {
		return w
	}
	if stem, ok := cut(w, "ies"); ok {
		if utf8.RuneCount(stem) == 1 {
			return w[:len(w)-1]
		}
		return w[:len(w)-2]
	}
	if stem, ok := cut(w, "sses"); ok {
		return w[:len(stem)+2]
	}
	if bytes.HasSuffix(w, []byte("ss")) {
		return w
	}
	return w[:len(w)-1]
}

func step1b(w []byte) []byte {
	if stem, ok := cut(w, "ied"); ok {
		if utf8.RuneCount(stem) == 1 {
			return w[:len(w)-1]
		}
		return w[:len(w)-2]
	}
	if stem, ok := cut(w, "eed"); ok {
		if measure(stem) > 0 {
			return w[:len(w)-1]
		}
		return w
	}
	stem, ok := cut(w, "ed")
	if !ok {
		stem, ok = cut(w, "ing")
	}
	if !ok || !hasVowel(stem) {
		return w
	}
	switch last, n := utf8.DecodeLastRune(stem); {
	case bytes.HasSuffix(stem, []byte("at")), bytes.HasSuffix(stem, []byte("bl")), bytes.HasSuffix(stem, []byte("iz")):
		return append(stem, 'e')
	case doubleConsonant(stem):
		if last == 'l' || last == 's' || last == 'z' {
			return stem
		}
		return stem[:len(stem)-n]
	case measure(stem) == 1 && short(stem):
		return append(stem, 'e')
	}
	return stem
}

func step1c(w []byte) []byte {
	stem, ok := cut(w, "y")
	if ok && utf8.RuneCount(stem) > 1 && !vowel(stem, len(stem)-1) {
		w[len(w)-1] = 'i'
	}
	return w
}

func step2(w []byte) []byte {
	// NLTK tries alli before bli and starts over with what it leaves.
	for {
		stem, ok := cut(w, "alli")
		if !ok || measure(stem) == 0 {
			break
		}
		w = w[:len(stem)+2]
	}
	// The l of logi counts as the stem's.
	if bytes.HasSuffix(w, []byte("logi")) {
		if measure(w[:len(w)-3]) > 0 {
			return w[:len(w)-1]
		}
		return w
	}
	return apply(w, step2Rules, 0)
}

// The rules of steps 2 to 4. Of two suffixes of which one ends the other the longer stands
// first.
var (
	step2Rules = []rule{
		{"ational", "ate"},
		{"tional", "tion"},
		{"enci", "ence"},
		{"anci", "ance"},
		{"izer", "ize"},
		{"bli", "ble"},
		{"alli", "al"},
		{"entli", "ent"},
		{"eli", "e"},
		{"ousli", "ous"},
		{"fulli", "ful"},
		{"ization", "ize"},
		{"ation", "ate"},
		{"ator", "ate"},
		{"alism", "al"},
		{"iveness", "ive"},
		{"fulness", "ful"},
		{"ousness", "ous"},
		{"aliti", "al"},
		{"iviti", "ive"},
		{"biliti", "ble"},
	}
	step3Rules = []rule{
		{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ful", ""}, {"ness", ""},
	}
	step4Rules = []rule{
		{"al", ""},
		{"ance", ""},
		{"ence", ""},
		{"er", ""},
		{"ic", ""},
		{"able", ""},
		{"ible", ""},
		{"ant", ""},
		{"ement", ""},
		{"ment", ""},
		{"ent", ""},
		{"ou", ""},
		{"ism", ""},
		{"ate", ""},
		{"iti", ""},
		{"ous", ""},
		{"ive", ""},
		{"ize", ""},
	}
)

func step4(w []byte) []byte {
	if stem, ok := cut(w, "ion"); ok {
		if n := len(stem); n > 0 && (stem[n-1] == 's' || stem[n-1] == 't') && measure(stem) > 1 {
			return stem
		}
		return w
	}
	return apply(w, step4Rules, 1)
}

func step5(w []byte) []byte {
	if stem, ok := cut(w, "e"); ok {
		if m := measure(stem); m > 1 || m == 1 && !short(stem) {
			w = stem
		}
	}
	if stem, ok := cut(w, "ll"); ok && measure(w[:len(stem)+1]) > 1 {
		w = w[:len(w)-1]
	}
	return w
}
