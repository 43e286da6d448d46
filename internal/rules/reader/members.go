package reader

import (
	_ "embed"
	"maps"
	"strings"
)

// categories lists everyday members of everyday categories: the noun that a
// question names, then words that are instances of it. Nouns of the same
// meaning share a line, with a bar between.
//
//go:embed categories.txt
var categories string

// places are the places that have names in the lists, and common nouns of places.
var places = union(list("placeNouns"), members[hash(stem("country"))], members[hash(stem("state"))], members[hash(stem("city"))])

func union(sets ...map[string]bool) map[string]bool {
	all := make(map[string]bool)
	for _, s := range sets {
		maps.Copy(all, s)
	}
	return all
}

// members maps the stem of a category's noun to the lower-case words that are
// its instances.
var members = readCategories(categories)

func readCategories(text string) map[uint64]map[string]bool {
	m := make(map[uint64]map[string]bool)
	for line := range strings.Lines(text) {
		heads, words, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		list := set(words)
		for head := range strings.FieldsSeq(heads) {
			m[hash(stem(head))] = list
		}
	}
	return m
}
