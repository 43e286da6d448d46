package annotator

import (
	"slices"
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

// An entry is a name that is known to be one.
type entry struct {
	low   []string
	typ   string
	exact bool   // counts only as it is written, for the labels of speakers
	text  string // as written
}

// maxAlike bounds how many names with a word in common are looked at.
const maxAlike = 256

// A gazetteer finds names ignoring case. It learns while it reads.
type gazetteer struct {
	byFirst map[string][]entry
	placeAt int // one more than the last utterance that spoke of a kind of place
}

// add adds a name. Values are left out: they are found by their form.
func (g *gazetteer) add(name, typ string, exact bool) {
	if isValue(typ) || len(name) > maxNameBytes {
		return
	}
	n := read(name)
	low := n.all
	if len(low) == 0 || len(low) > 12 || !n.named || len(low) == 1 && words().days[low[0]] {
		return
	}
	if _, _, ok := clock(low[0]); ok && len(low) < 3 {
		return
	}
	list := g.byFirst[low[0]]
	for i := range list {
		if e := &list[i]; slices.Equal(e.low, low) {
			if e.typ == "" || e.exact && !exact {
				e.typ, e.exact = typ, exact && e.exact
			}
			return
		}
	}
	if len(list) < maxAlike {
		g.byFirst[low[0]] = append(list, entry{low, typ, exact, name})
	}
}

// match returns the longest name that starts at a token.
func (g *gazetteer) match(s *sentence, i int) (int, string) {
	n, typ := 0, ""
	for _, e := range g.byFirst[s.low[i]] {
		if len(e.low) <= n || i+len(e.low) > len(s.low) || !slices.Equal(s.low[i:i+len(e.low)], e.low) ||
			len(e.low) == 1 && !s.bearsName(i, e) || e.exact && s.Tokens[i].Text != strings.Fields(e.text)[0] {
			continue
		}
		n, typ = len(e.low), e.typ
	}
	return n, typ
}

// bearsName reports whether a single word is meant as the name that it could
// be: "will" in "will you" is not.
func (s *sentence) bearsName(i int, e entry) bool {
	if words().ambiguous[s.low[i]] {
		return s.upper(i) && i > 0 || strings.HasPrefix(s.Tokens[i].POS, "NNP")
	}
	return s.upper(i) || words().closed[s.low[i]] == "" && !(e.typ == "PERSON" && (s.pos(i-1) == "DT" || s.pos(i-1) == "PRP$"))
}

// knows adds what a request knows.
func (g *gazetteer) knows(r annotate.Request) {
	for _, n := range r.Names {
		g.add(n.Text, n.Type, false)
	}
	for i := range r.Known {
		k := &r.Known[i]
		if nominalName(k) {
			continue
		}
		g.add(k.Name, k.Type, k.Speaker && !namelike(k.Name))
		for _, a := range k.Aliases {
			g.add(a, k.Type, false)
		}
	}
	for _, u := range r.Utterances {
		g.add(u.Speaker, "PERSON", !namelike(u.Speaker))
	}
}

// A readName is a name as its tokens.
type readName struct {
	all   []string // in lowercase, without an article before others
	clean []string // those without marks
	named bool     // some token is neither a mark, a number nor a word of a closed class
}

// maxNameBytes bounds how much of a name is read.
const maxNameBytes = 200

// read reads a name.
func read(text string) (n readName) {
	for _, tok := range english.Tokens(text[:min(len(text), maxNameBytes)], 0) {
		n.all = append(n.all, tok.Low)
		n.named = n.named || letters(tok.Low) && words().closed[tok.Low] == ""
	}
	n.all, n.clean = withoutArticle(n.all), cleaned(n.all)
	return n
}

// cleaned returns the tokens of a name without marks and an article before
// others.
func cleaned(low []string) (clean []string) {
	for _, w := range low {
		if !english.Mark(w) || w == "&" {
			clean = append(clean, strings.TrimSuffix(w, "."))
		}
	}
	return withoutArticle(clean)
}

func withoutArticle(low []string) []string {
	if len(low) > 1 && low[0] == "the" {
		return low[1:]
	}
	return low
}
