package pytext

import "unicode/utf8"

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
