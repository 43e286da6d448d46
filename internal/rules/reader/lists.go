package reader

import (
	_ "embed"
	"maps"
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

// A class is what a word does in a text, as far as closed lists tell.
type class uint8

// The classes.
const (
	content  class = iota // carries meaning
	function              // articles, pronouns, prepositions, auxiliaries
	filler                // greetings and chatter
)

// functionWords are the closed-class words of English and the commonest verbs
// and adverbs that say little by themselves.
var functionWords = list("functionWords")

// fillerWords carry the tone of a chat and no facts.
var fillerWords = list("fillerWords")

func classOf(low string) class {
	switch {
	case functionWords[low]:
		return function
	case fillerWords[low]:
		return filler
	}
	return content
}

// irregular maps forms that no suffix rule reaches to their base form.
var irregular = pairs(irregularForms)

//go:embed irregular.txt
var irregularForms string

// pairs reads "form base form base ...".
func pairs(words string) map[string]string {
	m := make(map[string]string)
	f := strings.Fields(words)
	for i := 0; i+1 < len(f); i += 2 {
		m[f[i]] = f[i+1]
	}
	return m
}

// lemma returns the base form of irregular words; other words are left to the
// stemmer.
func lemma(low string) string {
	if base, ok := irregular[low]; ok {
		return base
	}
	low = strings.TrimRight(low, "+")
	return strings.TrimSuffix(low, "'")
}

// synonymGroups are everyday words that speakers and askers use for the same
// thing. A line break ends a group.
//
//go:embed synonyms.txt
var synonymGroups string

// synonyms maps a stem to the stems of its groups' other members: a group is
// reached from its first word only, because words of one meaning are not
// equal in all others.
var synonyms = readSynonyms(synonymGroups)

func readSynonyms(groups string) map[uint64][]uint64 {
	m := make(map[uint64][]uint64)
	for line := range strings.Lines(groups) {
		f := strings.Fields(line)
		for i, w := range f {
			if i > 0 {
				head := hash(stem(lemma(f[0])))
				m[head] = append(m[head], hash(stem(lemma(w))))
			}
		}
	}
	return m
}

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
