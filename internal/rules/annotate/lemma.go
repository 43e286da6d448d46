package annotate

import "strings"

// lemma returns the base form of a word by its part of speech. Names keep their
// case.
func lemma(written, low, tag string) string {
	l := words()
	switch {
	case strings.HasPrefix(tag, "NNP"):
		return written
	case tag == "PRP" && nominative[low] != "":
		return nominative[low]
	case low == "n't":
		return "not"
	case low == "'ll" || low == "wo" && tag == "MD":
		return "will"
	case low == "ca" && tag == "MD":
		return "can"
	case low == "'d" && tag == "MD":
		return "would"
	case low == "'ve" || low == "'d" && strings.HasPrefix(tag, "VB"):
		return "have"
	case low == "'m" || low == "'re" || low == "'s" && strings.HasPrefix(tag, "VB"):
		return "be"
	case strings.HasPrefix(tag, "VB"):
		if base := l.verbs[low]; base != "" {
			return base
		}
		return verbLemma(low, tag)
	case tag == "NNS":
		if base := l.nouns[low]; base != "" {
			return base
		}
		return singular(low)
	case strings.HasPrefix(tag, "JJ") || strings.HasPrefix(tag, "RB"):
		if base := l.degrees[low]; base != "" {
			return base
		}
		return degreeLemma(low, tag)
	}
	return low
}

// nominative holds the pronouns that others are forms of.
var nominative = map[string]string{"me": "i", "him": "he", "her": "she", "us": "we", "them": "they"}

// singular drops the ending of a plural.
func singular(low string) string {
	n := len(low)
	switch {
	case n < 4 || strings.HasSuffix(low, "ss") || strings.HasSuffix(low, "us") || strings.HasSuffix(low, "is"):
		return low
	case strings.HasSuffix(low, "ies") && n > 4:
		return low[:n-3] + "y"
	case strings.HasSuffix(low, "xes"), strings.HasSuffix(low, "ches"), strings.HasSuffix(low, "shes"), strings.HasSuffix(low, "sses"), strings.HasSuffix(low, "zzes"), strings.HasSuffix(low, "oes") && n > 5:
		return low[:n-2]
	case strings.HasSuffix(low, "s"):
		return low[:n-1]
	}
	return low
}

// verbLemma undoes a regular inflection.
func verbLemma(low, tag string) string {
	n := len(low)
	switch {
	case tag == "VBZ" && strings.HasSuffix(low, "oes") && n > 4:
		return low[:n-2]
	case tag == "VBZ":
		return singular(low)
	case (tag == "VBD" || tag == "VBN") && strings.HasSuffix(low, "ied") && n > 4:
		return low[:n-3] + "y"
	case (tag == "VBD" || tag == "VBN") && strings.HasSuffix(low, "eed"):
		return low[:n-1]
	case (tag == "VBD" || tag == "VBN") && strings.HasSuffix(low, "ed") && n > 4:
		return bare(low[:n-2])
	case tag == "VBG" && strings.HasSuffix(low, "ying") && n == 5:
		return low[:1] + "ie"
	case tag == "VBG" && strings.HasSuffix(low, "ing") && n > 4:
		return bare(low[:n-3])
	}
	return low
}

// bare restores a stem that lost its ending: a doubled consonant becomes one, a
// silent e comes back.
func bare(stem string) string {
	n := len(stem)
	last := stem[n-1]
	if n > 3 && last == stem[n-2] && !vowel(last) {
		if strings.IndexByte("lsz", last) >= 0 { // call, miss, buzz; but travel
			if n > 5 && last == 'l' {
				return stem[:n-1]
			}
			return stem
		}
		return stem[:n-1]
	}
	if words().bases[stem] {
		return stem
	}
	if silent(stem) {
		return stem + "e"
	}
	return stem
}

// silent reports whether a stem most likely ended in a silent e.
func silent(stem string) bool {
	n := len(stem)
	last := stem[n-1]
	before := byte(0)
	if n > 1 {
		before = stem[n-2]
	}
	if words().bases[stem+"e"] {
		return true
	}
	switch last {
	case 'v', 'u', 'z', 'c':
		return true
	case 'g':
		return before == 'n' && n > 3 && stem[n-3] == 'a' || before == 'd' || before == 'r' || before == 'a' || before == 'l'
	case 's':
		return before != 's' && n > 2
	case 'l':
		return strings.IndexByte("bcdfgkptz", before) >= 0
	case 'r':
		return before == 'i' || before == 'u' && n > 3 || before == 'a' && n < 5
	case 't':
		return before == 'a' && n > 2 && !vowel(stem[n-3]) && syllables(stem) > 1 || before == 'u' && n > 3 && syllables(stem) > 1
	case 'd':
		return (before == 'i' || before == 'u') && n > 2 && !vowel(stem[n-3])
	case 'n':
		return before == 'i' && n > 2 && !vowel(stem[n-3]) && syllables(stem) > 1
	}
	// A short stem with one vowel would have doubled its consonant: make, hope.
	return n < 5 && syllables(stem) == 1 && !vowel(last) && strings.IndexByte("wxy", last) < 0 && vowel(before) && (n < 3 || !vowel(stem[n-3]))
}

func syllables(s string) int {
	n := 0
	for i := range len(s) {
		if vowel(s[i]) && (i == 0 || !vowel(s[i-1])) {
			n++
		}
	}
	return n
}

func vowel(c byte) bool { return strings.IndexByte("aeiouy", c) >= 0 }

// degreeLemma undoes a regular comparison.
func degreeLemma(low, tag string) string {
	n := len(low)
	switch {
	case strings.HasSuffix(tag, "R") && strings.HasSuffix(low, "ier"):
		return low[:n-3] + "y"
	case strings.HasSuffix(tag, "S") && strings.HasSuffix(low, "iest"):
		return low[:n-4] + "y"
	case strings.HasSuffix(tag, "R") && strings.HasSuffix(low, "er") && n > 4:
		return bareDegree(low[:n-2])
	case strings.HasSuffix(tag, "S") && strings.HasSuffix(low, "est") && n > 5:
		return bareDegree(low[:n-3])
	}
	return low
}

func bareDegree(stem string) string {
	n := len(stem)
	switch last := stem[n-1]; {
	case n > 3 && last == stem[n-2] && !vowel(last) && last != 'l' && last != 's':
		return stem[:n-1]
	case n > 2 && (last == 'g' || last == 'c' || last == 'v' || last == 'r' && stem[n-2] != 'e' && !vowel(stem[n-2])):
		return stem + "e"
	case n == 3 && (last == 't' || last == 'f' || last == 'd') && vowel(stem[n-2]), n == 4 && stem[1] != 'r' && last == 't' && vowel(stem[n-2]) && !vowel(stem[n-3]):
		return stem + "e" // late, safe, wide, polite
	}
	return stem
}
