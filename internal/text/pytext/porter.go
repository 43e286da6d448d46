package pytext

import (
	"bytes"
	"strings"
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
	if stem := irregular[s]; stem != "" {
		return stem
	}
	w := step1c(step1b(step1a([]byte(s))))
	w = apply(step2(w), step3Rules, 0)
	return string(step5(step4(w)))
}

// irregular are the stems of words that the rules would get wrong.
var irregular = map[string]string{
	"sky": "sky", "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie", "inning": "inning", "innings": "inning",
	"outing": "outing", "outings": "outing", "canning": "canning", "cannings": "canning",
	"news": "news", "howe": "howe", "proceed": "proceed", "exceed": "exceed", "succeed": "succeed",
}

// A rule replaces a suffix of a word if the measure of the stem that is left
// before it is large enough.
type rule struct{ suffix, replacement string }

// rules reads rules of the form suffix:replacement.
func rules(text string) (all []rule) {
	for r := range strings.FieldsSeq(text) {
		suffix, replacement, _ := strings.Cut(r, ":")
		all = append(all, rule{suffix, replacement})
	}
	return all
}

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
	if stem, ok := cut(w, "ies"); ok {
		return shortened(w, stem)
	}
	if stem, ok := cut(w, "sses"); ok {
		return w[:len(stem)+2]
	}
	if bytes.HasSuffix(w, []byte("ss")) {
		return w
	}
	return bytes.TrimSuffix(w, []byte("s"))
}

// shortened returns a word in ies or ied with an ending ie, or i where the stem before it has
// more than one letter.
func shortened(w, stem []byte) []byte {
	if utf8.RuneCount(stem) == 1 {
		return w[:len(w)-1]
	}
	return w[:len(w)-2]
}

func step1b(w []byte) []byte {
	if stem, ok := cut(w, "ied"); ok {
		return shortened(w, stem)
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
	step2Rules = rules("ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble alli:al entli:ent eli:e " +
		"ousli:ous fulli:ful ization:ize ation:ate ator:ate alism:al iveness:ive fulness:ful " +
		"ousness:ous aliti:al iviti:ive biliti:ble")
	step3Rules = rules("icate:ic ative: alize:al iciti:ic ical:ic ful: ness:")
	step4Rules = rules("al: ance: ence: er: ic: able: ible: ant: ement: ment: ent: ou: ism: ate: iti: ous: ive: " +
		"ize:")
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

// letterClass tells the vowels from y and from all else.
var letterClass = [256]uint8{'a': 1, 'e': 1, 'i': 1, 'o': 1, 'u': 1, 'y': 2}

// measure returns the number of times that a consonant follows a vowel in w:
// Porter's m. A y is a vowel after a consonant.
//
// The bytes of a longer sequence each count as consonants, which changes
// neither m nor what a y is.
func measure(w []byte) int {
	m, vowel, first := 0, false, true
	for _, c := range w {
		now := letterClass[c] == 1 || letterClass[c] == 2 && !vowel && !first
		if vowel && !now {
			m++
		}
		vowel, first = now, false
	}
	return m
}

// vowel reports whether the letter at w[i] is a vowel.
func vowel(w []byte, i int) bool {
	switch letterClass[w[i]] {
	case 1:
		return true
	case 2:
		// Of a run of y every second one is a vowel, from the first if a
		// consonant stands before the run, from the second if nothing does.
		start := i
		for start > 0 && w[start-1] == 'y' {
			start--
		}
		afterConsonant := start > 0 && letterClass[w[start-1]] == 0
		return ((i-start)%2 == 0) == afterConsonant
	}
	return false
}

// hasVowel reports whether there is a vowel in w.
func hasVowel(w []byte) bool {
	for i := range w {
		if vowel(w, i) {
			return true
		}
	}
	return false
}

// doubleConsonant reports whether w ends in two equal consonants.
func doubleConsonant(w []byte) bool {
	last, n := utf8.DecodeLastRune(w)
	rest := w[:len(w)-n]
	before, _ := utf8.DecodeLastRune(rest)
	return len(rest) > 0 && last == before && !vowel(w, len(w)-1)
}

// short reports whether w ends in a consonant, a vowel and a consonant other
// than w, x and y, or consists of a vowel and a consonant.
func short(w []byte) bool {
	_, n := utf8.DecodeLastRune(w)
	v := len(w) - n - 1 // the vowel is ASCII
	if v < 0 || vowel(w, len(w)-1) || !vowel(w, v) {
		return false
	}
	if v == 0 {
		return true
	}
	c := w[len(w)-1]
	return !vowel(w, v-1) && c != 'w' && c != 'x' && c != 'y'
}
