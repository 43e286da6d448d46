package reader

import (
	"unicode"
	"unicode/utf8"
)

// A form is what is known of a word by its spelling.
type form struct {
	stem   uint64
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
	return x
}
