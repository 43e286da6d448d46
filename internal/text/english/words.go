// Package english has general knowledge of English: one tokenizer, one sentence
// splitter, lemmas, numbers and word lists.
//
//   - token.go: [Sentences] cuts a text into sentences of tokens, as the Penn
//     Treebank has them.
//   - lemma.go: [Lemma] undoes inflections, and [Past] knows irregular forms.
//   - number.go: [Number] and [Ordinal] read numbers in digits or letters.
//   - words.go: [Set], [Forms], [Phrases], [Lines] and [Kinds] read the lists of words.txt.
//
// The lists are general English. No list knows a name from a dataset.
package english

import (
	_ "embed"
	"iter"
	"strings"
)

// text holds the lists: lines behind the name of the list in brackets.
//
//go:embed words.txt
var text string

// section returns the text of a list. It panics if there is none of the name.
func section(name string) string {
	_, rest, ok := strings.Cut(text, "["+name+"]\n")
	if !ok {
		panic("english: no list " + name)
	}
	list, _, _ := strings.Cut(rest, "\n[")
	return list
}

// Set returns the words of lists.
func Set(names ...string) map[string]bool {
	m := make(map[string]bool)
	for _, name := range names {
		for w := range strings.FieldsSeq(section(name)) {
			m[w] = true
		}
	}
	return m
}

// Forms returns the words of a list of "base form form; base form" by their forms.
func Forms(name string) map[string]string {
	m := make(map[string]string)
	for _, words := range Phrases(name) {
		for _, form := range words[1:] {
			m[form] = words[0]
		}
	}
	return m
}

// Phrases returns the phrases of a list, which semicolons part, as words.
func Phrases(name string) [][]string {
	var out [][]string
	for p := range strings.SplitSeq(section(name), ";") {
		out = append(out, strings.Fields(p))
	}
	return out
}

// Lines yields what stands before and behind the bar of each line of a list.
func Lines(name string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for line := range strings.Lines(section(name)) {
			kind, words, _ := strings.Cut(line, " | ")
			if !yield(kind, words) {
				return
			}
		}
	}
}

// Kinds returns the words of a list of lines "kind | words" by their kinds.
func Kinds(name string) map[string]string {
	m := make(map[string]string)
	for kind, words := range Lines(name) {
		for w := range strings.FieldsSeq(words) {
			m[w] = kind
		}
	}
	return m
}
