package rating

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"recallbench/internal/text/termsafe"
)

// The lowest and the highest rating.
const (
	Lowest  = 1
	Highest = 5
)

// Correctness is what the sheets ask that ask whether answers are right. The others ask
// for User Continuity Satisfaction.
const Correctness = "correctness"

// Verdicts are what raters may say of whether an answer is right.
var Verdicts = []string{"yes", "no", "partly", "unsure"}

// Flags are the names of the errors that raters mark, in the order of sheets.
var Flags = []string{"wrong_entity", "wrong_value", "discourse_mismatch", "hallucination"}

// An Item is an answer to be rated, as a rater sees it. Nothing in it says where
// it comes from.
type Item struct {
	ID string `json:"item"` // opaque
	// Conversation is the same, and opaque, for all answers to one question.
	Conversation string `json:"conversation"`
	Turn         string `json:"turn"` // the user's, that is answered
	Response     string `json:"response"`
	History      string `json:"history"` // a summary
	Facts        string `json:"facts"`   // to check by
}

// A Key says where an item comes from.
type Key struct {
	Sample  string `json:"sample"`
	Request string `json:"request"`
	Cell    string `json:"cell"`
	Method  string `json:"method"` // as tables call it
	// Answer is the SHA-256 of the answer as it was given, in hex.
	Answer string `json:"answer_sha256"`
	// Hidden is set when the answer named a method or a model, which the item
	// does not.
	Hidden bool `json:"name_hidden,omitempty"`
}

// Asked is what raters were asked, with the key to it.
type Asked struct {
	Run     string `json:"run"`
	Dataset string `json:"dataset"`
	What    string `json:"what,omitempty"` // [Correctness], or empty for continuity
	Seed    uint64 `json:"seed"`
	// Questions is how many were asked for, and History the bound of a summary in
	// tokens.
	Questions int         `json:"questions"`
	History   int         `json:"history_tokens"`
	Raters    []string    `json:"raters"` // for whom sheets were written
	Items     []AskedItem `json:"items"`  // by question, then by cell
}

// An AskedItem is an item with its key.
type AskedItem struct {
	Item
	Key `json:"key"`
}

// A Rating is what one rater said of one item.
type Rating struct {
	Item  string `json:"item"`
	Rater string `json:"rater"`
	// UCS is 1 to 5, null where it was not given.
	UCS *int `json:"ucs"`
	// Correct is one of [Verdicts] where the sheets ask for one and it was given.
	Correct string `json:"correct,omitempty"`
	// Flags holds those that were answered, by name.
	Flags map[string]bool `json:"flags,omitempty"`
	Notes string          `json:"notes,omitempty"`
	Key
}

// Counts reports whether the rating has a value that figures use.
func (r Rating) Counts() bool { return r.UCS != nil }

// blank reports whether a rater wrote nothing.
func (r Rating) blank() bool {
	return r.UCS == nil && r.Correct == "" && len(r.Flags) == 0 && r.Notes == ""
}

// A blind takes out of texts what would tell where they come from, and what
// could do harm on a rater's machine.
type blind struct {
	names *regexp.Regexp // nil for none
}

// Removed stands in an item where an answer named a method or a model.
const Removed = "[name removed]"

// longest is how many bytes of a text an item shows: a cell of a spreadsheet
// holds no more.
const longest = 30_000

// newBlind hides names, in any case and however their words are joined.
func newBlind(names []string) blind {
	var parts []string
	for _, n := range names {
		words := strings.FieldsFunc(n, func(r rune) bool { return strings.ContainsRune("-_ /", r) })
		for i, w := range words {
			words[i] = regexp.QuoteMeta(w)
		}
		if part := strings.Join(words, `[-_ /]*`); utf8.RuneCountInString(n) > 2 && part != "" {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return blind{}
	}
	// The longest first, so that no end of a longer name is left over.
	slices.SortFunc(parts, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return blind{regexp.MustCompile(`(?i)(^|[^\pL\pN])(?:` + strings.Join(slices.Compact(parts), "|") + `)($|[^\pL\pN])`)}
}

// hide replaces names and reports whether there was one.
func (b blind) hide(s string) (hidden string, found bool) {
	if b.names == nil {
		return s, false
	}
	// A match takes the character behind it, which may stand before the next name:
	// that one is found the second time.
	for range 2 {
		next := b.names.ReplaceAllString(s, "${1}"+Removed+"${2}")
		s, found = next, found || next != s
	}
	return s, found
}

// clean makes a text safe to show: line feeds stay, other control characters
// become blanks, and a text that is too long is cut where it says so.
func (blind) clean(s string) string {
	s = strings.ToValidUTF8(s, "�")
	if len(s) > longest {
		end := longest
		for !utf8.RuneStart(s[end]) {
			end--
		}
		s = s[:end] + "\n[cut: the text is longer]"
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(termsafe.Text(l), " ")
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
