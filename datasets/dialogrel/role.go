package dialogrel

import (
	"strings"
	"unicode/utf8"
)

// A role is the function of a name in its sentence, as far as the neighbouring
// words show it beyond doubt.
type role int

const (
	unclear    role = iota // leave the name
	subject                // "Ann said", "did Ann say"
	object                 // "told Ann.", "with Ann in"
	possessive             // "Ann's", with what she owns or does
	contracted             // "Ann's going"
)

// A reading is the role of a name, and whether it starts a sentence.
type reading struct {
	role   role
	starts bool
}

// readingOf looks at the words around a name.
func readingOf(text string, at span) reading {
	before, mark := wordBefore(text, at.start)
	starts := before == "" && mark != ',' && mark != inside
	rest := text[at.end:]
	if owned, ok := cutAny(rest, "'s ", "’s "); ok {
		if words["coordinated"][before] {
			return reading{}
		}
		next := firstWord(owned)
		switch lower := strings.ToLower(next); {
		case next == "" || lower != next:
			return reading{}
		case words["contracting"][lower]:
			return reading{contracted, starts}
		}
		return reading{possessive, starts}
	}
	next, ends := firstWord(strings.TrimPrefix(rest, " ")), endsClause(rest)
	if !ends && (!strings.HasPrefix(rest, " ") || next == "" || next != strings.ToLower(next)) {
		return reading{}
	}
	switch {
	case mark == inside || words["coordinated"][next]:
		return reading{}
	case (starts || mark == ',' || words["clauses"][before] || before == "but") && words["verbs"][next], before == "and" && words["singular"][next]:
		return reading{subject, starts}
	case words["auxiliaries"][before] && !ends: // of a question: "Did", "what does"
		return reading{subject, false}
	case (words["prepositions"][before] || words["transitive"][before]) && (ends || words["after"][next]):
		return reading{object, false}
	}
	return reading{}
}

// inside marks a place within a word, or after a mark that does not show what
// follows.
const inside = '-'

// wordBefore returns the word before a place, in lowercase. It is empty at the start of a
// text and after a mark, which is then returned: one that ends a sentence, a comma, or
// inside.
func wordBefore(text string, at int) (word string, mark rune) {
	head := strings.TrimRight(text[:at], " ")
	if len(head) == at && at > 0 {
		return "", inside
	}
	if word = head[wordStart(head):]; word != "" {
		return strings.ToLower(word), 0
	}
	r, _ := utf8.DecodeLastRuneInString(head)
	if head != "" && !strings.ContainsRune(".!?…,", r) {
		return "", inside
	}
	return "", r
}

// wordStart returns where the word at the end of a text begins: its length for no
// word.
func wordStart(s string) int {
	i := strings.LastIndexFunc(s, func(r rune) bool { return !inWord(r) && r != '\'' && r != '’' })
	if i < 0 {
		return 0
	}
	_, size := utf8.DecodeRuneInString(s[i:])
	return i + size
}

func firstWord(s string) string {
	end := strings.IndexFunc(s, func(r rune) bool { return !inWord(r) && r != '\'' && r != '’' })
	if end < 0 {
		end = len(s)
	}
	return strings.ReplaceAll(s[:end], "’", "'")
}

// endsClause reports whether a text continues with the end of a sentence, or
// with a comma and the subject of another clause.
func endsClause(rest string) bool {
	if more, ok := strings.CutPrefix(rest, ", "); ok {
		return words["resumes"][strings.ToLower(firstWord(more))]
	}
	_, ends := cutAny(rest, ".", "!", "?", "…", "—", "–")
	return rest == "" || ends
}

func cutAny(s string, prefixes ...string) (rest string, ok bool) {
	for _, p := range prefixes {
		if rest, ok := strings.CutPrefix(s, p); ok {
			return rest, true
		}
	}
	return s, false
}
