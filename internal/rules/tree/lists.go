package tree

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"
)

//go:embed words.txt
var wordsText string

//go:embed senses.txt
var sensesText string

//go:embed forms.txt
var formsText string

// lines returns the lines of an embedded text without comments; one that
// begins with a blank goes on the one before.
func lines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.TrimSpace(line) == "" || line[0] == '#':
		case line[0] == ' ' && len(out) > 0:
			out[len(out)-1] += line
		default:
			out = append(out, line)
		}
	}
	return out
}

// rawLists are the lists of words.txt by their names.
var rawLists = sync.OnceValue(func() map[string][]string {
	lists := make(map[string][]string)
	for _, line := range lines(wordsText) {
		name, words, _ := strings.Cut(line, ":")
		lists[name] = strings.Fields(words)
	}
	return lists
})

// irregular maps forms that no suffix rule reaches to a base form.
var irregular = sync.OnceValue(func() map[string]string {
	m := make(map[string]string)
	f := rawLists()["irregular"]
	for i := 0; i+1 < len(f); i += 2 {
		m[f[i]] = f[i+1]
	}
	return m
})

// lists are the words of each list: stems, or words as they are spelled where
// the name ends with =. A phrase has its words joined by blanks.
var lists = sync.OnceValue(func() map[string]map[string]bool {
	all := make(map[string]map[string]bool)
	for name, words := range rawLists() {
		set := make(map[string]bool)
		for _, w := range words {
			if w = strings.ReplaceAll(w, "_", " "); !strings.HasSuffix(name, "=") && !strings.Contains(w, " ") {
				w = stem(w)
			}
			set[w] = true
		}
		all[name] = set
	}
	return all
})

// in reports whether a word is in a list.
func (w word) in(list string) bool {
	all := lists()
	return all[list][w.stem] || all[list+"="][w.low]
}

// phrases returns the entries of a list in the order in which they stand, with
// blanks between the words.
func phrases(list string) []string {
	raw := rawLists()[list]
	out := make([]string, len(raw))
	for i, w := range raw {
		out[i] = strings.ReplaceAll(w, "_", " ")
	}
	return out
}

// A sense is a kind of thing that trees often hold: nouns that people use for
// one another.
type sense struct {
	names map[string]bool // stems by which a type is known to be of the sense
	nouns map[string]bool // stems that stand for it
	hints map[string]bool // stems that hint at it, and say more than the type
}

var senses = sync.OnceValue(func() []sense {
	var all []sense
	for _, line := range lines(sensesText) {
		part := strings.Split(line+"||", "|")
		all = append(all, sense{stems(part[0]), stems(part[1]), stems(part[2])})
	}
	return all
})

// stems reads words separated by white space, as a set of their stems.
func stems(words string) map[string]bool {
	m := make(map[string]bool)
	for f := range strings.FieldsSeq(words) {
		m[stem(f)] = true
	}
	return m
}

// lazily returns an expression that compiles when it is first used.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
