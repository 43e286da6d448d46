package annotator

import (
	"strings"
	"sync"

	"recallbench/internal/door/annotate"
	"recallbench/internal/text/english"
	"recallbench/internal/text/pytext"
)

// A lexicon holds what the rules know of words.
type lexicon struct {
	imperatives map[string]bool // verbs that open an order
	talk        map[string]bool // words of talk that are no names, though news do not have them
	endearments map[string]bool // what one calls somebody instead of a name
	ambiguous   map[string]bool // first names that are words too
	firms       map[string]bool // last words of names of organisations
	groups      map[string]bool // nouns for people together, which "they" takes up
	vague       map[string]bool // nouns that stand for nothing one comes back to
	reports     map[string]bool // verbs behind which "if" and "when" open an indirect question
	deictic     map[string]bool // words of time that mean another day in another session

	relatives, nations, lands, days, months map[string]bool

	titles, given, people gendered
	short                 map[string]string // short forms of first names, to the full one
	kin                   map[string]string // everyday words for relatives, to the plain one
	places, things        map[string]string // nouns worth remembering, to their kind
	closed                map[string]string // words of closed classes, to their tag
}

// words returns the lexicon. It is built when a text first needs it.
var words = sync.OnceValue(func() *lexicon {
	l := &lexicon{
		imperatives: english.Set("imperatives"), talk: english.Set("talk"), endearments: english.Set("endearments"),
		ambiguous: english.Set("names that are words"), firms: english.Set("organisations"), groups: english.Set("groups"),
		vague: english.Set("vague nouns"), reports: english.Set("verbs of report"), deictic: english.Set("deictic"),
		relatives: english.Set("relatives"), nations: english.Set("nations"), lands: make(map[string]bool),
		days: english.Set("days"), months: english.Set("months"),
		titles: readGendered("titles"), given: readGendered("names"), people: readGendered("nouns"),
		short: english.Forms("short names"), kin: english.Forms("other words for relatives"),
		places: english.Kinds("places"), things: english.Kinds("things"), closed: english.Kinds("closed classes"),
	}
	for _, land := range english.Phrases("lands") {
		l.lands[strings.Join(land, " ")] = true
	}
	return l
})

// gendered are words with their gender; empty for either.
type gendered map[string]annotate.Gender

func (g gendered) has(low string) bool {
	_, ok := g[low]
	return ok
}

// readGendered reads a list with those for women and men.
func readGendered(list string) gendered {
	m := make(gendered)
	for w := range english.Set("feminine " + list) {
		m[w] = annotate.Feminine
	}
	for w := range english.Set("masculine " + list) {
		m[w] = annotate.Masculine
	}
	for w := range english.Set(list) {
		m[w] = ""
	}
	return m
}

func (l *lexicon) title(low string) bool { return l.titles.has(strings.TrimSuffix(low, ".")) }

// kindOf returns the kind of place or thing that a noun stands for.
func (l *lexicon) kindOf(head string) string {
	if kind := l.places[head]; kind != "" {
		return kind
	}
	return l.things[head]
}

// common reports whether a word in lowercase is a common one, so that a capital
// at the start of a sentence says nothing.
func (l *lexicon) common(low string) bool {
	switch {
	case l.talk[low], l.closed[low] != "", l.people.has(low), l.kindOf(low) != "", interjection(low):
		return true
	case pytext.IsCommon(low):
		return !l.given.has(low) || l.ambiguous[low]
	}
	for _, ending := range [...]string{"ing", "ly", "ed", "ness", "ful", "n't"} {
		if len(low) > len(ending)+3 && strings.HasSuffix(low, ending) {
			return !l.given.has(low)
		}
	}
	return false
}

// interjection reports whether a word is a cry of a few sounds, however long:
// "ohh", "hmmm", "woah", "ha-ha".
func interjection(low string) bool {
	if len(low) > 16 || strings.Trim(low, "ahoumwyeg-") != "" || words().given.has(low) {
		return false
	}
	switch low {
	case "me", "we", "he", "you", "a":
		return false
	}
	return len(low) < 3 || strings.Contains(low, "h") || strings.Contains(low, "mm") || strings.Contains(low, "um") || strings.Contains(low, "ww") || strings.Contains(low, "ay")
}
