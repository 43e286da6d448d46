package reader

import (
	_ "embed"
	"strings"
)

// wordLists holds lists of words under their names in brackets.
//
//go:embed words.txt
var wordLists string

// lists are the word lists by name.
var lists = readLists(wordLists)

func readLists(text string) map[string]map[string]bool {
	all, name := make(map[string]map[string]bool), ""
	for line := range strings.Lines(text) {
		if head, ok := strings.CutPrefix(line, "["); ok {
			name, _, _ = strings.Cut(head, "]")
			all[name] = make(map[string]bool)
			continue
		}
		for w := range strings.FieldsSeq(line) {
			all[name][w] = true
		}
	}
	return all
}

// list returns a word list of words.txt.
func list(name string) map[string]bool {
	words := lists[name]
	if words == nil {
		panic("reader: words.txt has no list " + name)
	}
	return words
}

// set reads a short list.
func set(words string) map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}
