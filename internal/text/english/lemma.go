package english

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"recallbench/internal/text/pytext"
)

// inflections are the irregular forms of each class of words, to their base.
type inflections struct{ verbs, nouns, degrees map[string]string }

var irregular = sync.OnceValue(func() inflections {
	return inflections{Forms("irregular verbs"), Forms("irregular nouns"), Forms("irregular adjectives")}
})

// regular are the verbs in common use that are inflected by rule.
var regular = sync.OnceValue(func() map[string]bool { return Set("regular verbs") })

// clitics are the full words of clitics whose tags say nothing else, and
// pronouns in the nominative.
var clitics = map[string]string{
	"n't": "not", "'ll": "will", "wo": "will", "ca": "can", "'ve": "have", "'m": "be", "'re": "be",
	"me": "i", "him": "he", "us": "we", "them": "they",
}

// Lemma returns the base form of a word by its part of speech. Names keep their
// case.
func Lemma(written, low, tag string) string {
	switch {
	case strings.HasPrefix(tag, "NNP"):
		return written
	case clitics[low] != "":
		return clitics[low]
	case low == "her" && tag == "PRP":
		return "she"
	case low == "'d" && tag == "MD":
		return "would"
	case low == "'d":
		return "have"
	case low == "'s" && tag != "POS":
		return "be"
	}
	forms, rule := map[string]string(nil), func(low string) string { return low }
	switch {
	case strings.HasPrefix(tag, "VB"):
		forms, rule = irregular().verbs, verb
	case tag == "NNS":
		forms, rule = irregular().nouns, Singular
	case strings.HasPrefix(tag, "JJ"), strings.HasPrefix(tag, "RB"):
		forms, rule = irregular().degrees, func(low string) string { return degree(low, tag) }
	}
	return cmp.Or(forms[low], rule(low))
}

// Verb reports whether a word in lowercase is a verb of the lists in its base
// form.
func Verb(low string) bool { return regular()[low] }

// Singular drops the ending of a plural, or that of the third person.
func Singular(low string) string {
	n := len(low)
	ends := func(endings ...string) bool {
		return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(low, e) })
	}
	switch {
	case n < 4 || ends("ss", "us", "is"):
		return low
	case n > 4 && ends("ies"):
		return low[:n-3] + "y"
	case ends("xes", "ches", "shes", "sses", "zzes", "oes"):
		return low[:n-2]
	}
	return strings.TrimSuffix(low, "s")
}

// verb undoes a regular inflection of a verb.
func verb(low string) string {
	switch n := len(low); {
	case regular()[low] || n < 5:
		return Singular(low)
	case strings.HasSuffix(low, "ied"):
		return low[:n-3] + "y"
	case strings.HasSuffix(low, "ed"):
		return bare(low[:n-2])
	case strings.HasSuffix(low, "ing"):
		return bare(low[:n-3])
	}
	return Singular(low)
}

// degree undoes a regular comparison.
func degree(low, tag string) string {
	ending := map[byte]string{'R': "er", 'S': "est"}[tag[len(tag)-1]]
	stem, ok := strings.CutSuffix(low, ending)
	switch {
	case !ok || ending == "" || len(stem) < 3:
		return low
	case strings.HasSuffix(stem, "i"):
		return stem[:len(stem)-1] + "y"
	}
	return bare(stem)
}

// bare restores a stem that lost its ending: a doubled consonant becomes one, a
// silent e comes back. A verb of the list or else a common word decides.
func bare(stem string) string {
	n := len(stem)
	last := stem[n-1]
	single := stem[:n-1]
	doubled := n > 3 && last == stem[n-2] && !vowel(last)
	switch {
	case regular()[stem]:
		return stem
	case regular()[stem+"e"]:
		return stem + "e"
	case doubled && (strings.IndexByte("lsz", last) < 0 || regular()[single]):
		return single
	case pytext.IsCommon(stem) && (!pytext.IsCommon(stem+"e") || doubled):
		return stem
	case pytext.IsCommon(stem + "e"):
		return stem + "e"
	case strings.IndexByte("vuzcs", last) >= 0 && !doubled:
		return stem + "e"
	}
	return stem
}

func vowel(c byte) bool { return strings.IndexByte("aeiouy", c) >= 0 }
