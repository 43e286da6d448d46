package reader

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A form is what is known of a word by its spelling.
type form struct {
	stem   uint64
	root   uint64 // stem without an ending of derivation; 0 where it has none
	class  class
	deny   bool // denies what follows
	aside  bool // names a place or time beside what follows: "near the park"
	number bool
}

// deniers deny what follows them, and asides put it beside the matter.
var (
	deniers = set("no not n't without non never avoid avoids avoiding skip skips skipping except excluding excludes minus neither nor lacks lacking")
	asides  = set("near beside opposite behind before after from towards toward than instead past")
)

// states are participles that say how things stand. They are no forms of their
// verbs here: "completed" does not meet "complete the form".
var states = set("done completed finished closed")

func formOf(low string) form {
	s := low
	if !states[low] {
		s = stem(lemma(low))
	}
	r, _ := utf8.DecodeRuneInString(low)
	x := form{
		stem:   hash(s),
		class:  classOf(low),
		deny:   deniers[low],
		aside:  asides[low],
		number: unicode.IsDigit(r),
	}
	if x.class == content && !x.number {
		if root := rootOf(s); root != "" {
			x.root = hash("root " + root)
		}
	}
	return x
}

// derivations are endings of stems that make one kind of word of another.
var derivations = []string{
	"ation", "ition", "ment", "ness", "ship", "less", "ful", "ion", "ive", "ist", "ism", "ian", "ity",
	"ous", "ant", "ent", "anc", "enc", "abl", "ibl", "ic", "al", "er", "or", "ar", "ur", "at", "c", "t", "i", "y",
}

// minRoot is the least length of a root: short ones fall together by chance.
const minRoot = 5

// rootOf returns a stem without its ending of derivation; empty when what is
// left is too short to tell words apart.
func rootOf(s string) string {
	for _, d := range derivations {
		if root, ok := strings.CutSuffix(s, d); ok && len(root) >= minRoot {
			return root
		}
	}
	if len(s) < minRoot {
		return ""
	}
	return s
}
