package multiwozlong

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"recallbench/datasets/internal/multiwoz"
)

// A how says by what an entity is mentioned.
type how string

// The ways to mention an entity.
const (
	byName    how = "name"
	byNominal how = "nominal"
	byPronoun how = "pronoun"
	byOmitted how = "ellipsis"
)

// venues are the services whose entities have names, with the nouns that stand
// for one. A station is what trains go to.
var venues = tables["nouns"]

// kinds are those of entities with a name of their own, in the order of results.
var kinds = []string{"attraction", "hotel", "restaurant", "station"}

// A mention is a place of a turn where an entity is mentioned.
type mention struct {
	key        string // kind and name, such as "hotel:acorn guesthouse"
	how        how
	start, end int // in bytes
}

func (m mention) kind() string { return kindOf(m.key) }

func kindOf(key string) string {
	kind, _, _ := strings.Cut(key, ":")
	return kind
}

// A gazetteer holds the names that the annotation of a split gives.
type gazetteer struct {
	names map[string][]name // by their first word, longer ones first
	// common are words that alone are no name: what kinds of food and of
	// attractions are called, and the words of common below.
	common map[string]bool
	// same are the keys of entities that states list as variants of one name: for
	// each the one that comes up most often.
	same map[string]string
}

type name struct {
	words []string
	key   string
}

// newGazetteer gathers the names of a split.
func newGazetteer(dialogues []multiwoz.Dialogue) *gazetteer {
	g := &gazetteer{names: make(map[string][]name), common: make(map[string]bool)}
	for _, w := range wordList("common") {
		g.common[w] = true
	}
	var named []string // keys
	same := aliases{of: make(map[string]string), count: make(map[string]int)}
	each(dialogues, func(slot string, variants []string) {
		kind := ""
		switch service, name, _ := strings.Cut(slot, "-"); name {
		case "food", "type":
			for _, value := range variants {
				for _, w := range words(value) {
					g.common[w.text] = true
				}
			}
		case "name":
			kind = service
		case "departure", "destination":
			kind = "place"
		}
		if kind == "" {
			return
		}
		for _, value := range variants {
			same.join(plain(kind, variants[0]), plain(kind, value))
			if slot == "train-departure" || slot == "train-destination" {
				named = append(named, plain("station", value))
			} else if venues[kind] != nil {
				named = append(named, plain(kind, value))
			}
		}
	})
	g.same = same.best()
	slices.Sort(named)
	for _, raw := range slices.Compact(named) {
		kind, value, _ := strings.Cut(raw, ":")
		if k := g.key(kind, value); k != "" {
			parts := strings.Fields(value)
			g.names[parts[0]] = append(g.names[parts[0]], name{parts, k})
		}
	}
	for _, list := range g.names {
		slices.SortFunc(list, func(a, b name) int {
			return cmp.Or(cmp.Compare(len(b.words), len(a.words)), cmp.Compare(a.key, b.key))
		})
	}
	return g
}

// each goes through the values of slots in states, and the names in acts.
func each(dialogues []multiwoz.Dialogue, do func(slot string, variants []string)) {
	for i := range dialogues {
		for j := range dialogues[i].Turns {
			t := &dialogues[i].Turns[j]
			for _, s := range t.States {
				for _, v := range s.Values {
					do(v.Slot, v.Variants)
				}
			}
			for _, a := range t.Acts {
				if service, _, ok := strings.Cut(a.Name, "-"); ok && a.Slot == "name" {
					do(strings.ToLower(service)+"-name", []string{a.Value})
				}
			}
		}
	}
}

// plain returns the key of an entity by one of its names.
func plain(kind, value string) string {
	return kind + ":" + strings.TrimPrefix(norm(value), "the ")
}

// key returns the key of an entity of a kind by one of its names; empty where that
// says nothing.
func (g *gazetteer) key(kind, value string) string {
	raw := plain(kind, value)
	_, n, _ := strings.Cut(raw, ":")
	if slices.Contains(unset, n) {
		return ""
	}
	for w := range strings.FieldsSeq(n) {
		if !g.common[w] && len(w) > 1 {
			return cmp.Or(g.same[raw], raw)
		}
	}
	return ""
}

// place returns the name by which a place is known that a journey goes to, empty
// where it is none.
func (g *gazetteer) place(value string) string {
	raw := plain("place", value)
	_, n, _ := strings.Cut(cmp.Or(g.same[raw], raw), ":")
	if slices.Contains(unset, n) {
		return ""
	}
	return n
}

// find returns the names in the words of a text, the longest where they overlap.
// Two kinds may share a name: both are found.
func (g *gazetteer) find(text []word) []mention {
	var all []mention
	for i := 0; i < len(text); i++ {
		length := 0
		for _, n := range g.names[text[i].text] {
			if len(n.words) < length {
				break
			}
			if at(text[i:], n.words) {
				length = len(n.words)
				all = append(all, mention{n.key, byName, text[i].start, text[i+length-1].end})
			}
		}
		i += max(length-1, 0)
	}
	return all
}

// at tells whether text begins with words.
func at(text []word, words []string) bool {
	if len(text) < len(words) {
		return false
	}
	for i, w := range words {
		if text[i].text != w {
			return false
		}
	}
	return true
}

// What stands before the nouns of [venues], and before a pronoun.
var (
	articles    = wordList("articles")
	beforeIt    = wordList("before it")
	beforeThere = wordList("before there")
)

// nominals returns where the words of a text have one of the nouns of a kind with
// an article.
func nominals(text []word, kind, key string) []mention {
	var all []mention
	for i, w := range text {
		if !slices.Contains(articles, w.text) {
			continue
		}
		for _, nouns := range venues[kind] {
			if noun := strings.Fields(nouns); at(text[i+1:], noun) {
				all = append(all, mention{key, byNominal, w.start, text[i+len(noun)].end})
			}
		}
	}
	return all
}

// pronounsOf returns where the words of a turn have a pronoun for a thing.
func pronounsOf(t *multiwoz.Turn, text []word, key string) []mention {
	var all []mention
	for i, w := range text {
		before := ""
		if i > 0 {
			before = text[i-1].text
		}
		found := false
		switch w.text {
		case "its", "their", "them":
			found = !strings.ContainsAny(t.Text[w.start:w.end], "'’") // it's
		case "it":
			found = slices.Contains(beforeIt, before)
		case "there":
			found = slices.Contains(beforeThere, before)
		}
		if found {
			all = append(all, mention{key, byPronoun, w.start, w.end})
		}
	}
	return all
}

// indirect returns what mentions the entity at hand of a kind in a turn that does
// not name one of the kind: "the hotel", or a pronoun in a turn that is about
// nothing else by its acts.
func indirect(t *multiwoz.Turn, text []word, kind, key string) []mention {
	all := nominals(text, kind, key)
	if len(t.Acts) == 0 || slices.ContainsFunc(t.Acts, func(a multiwoz.Act) bool {
		service, _, _ := strings.Cut(a.Name, "-")
		return !strings.EqualFold(service, kind) && !strings.EqualFold(service, "booking") && service != "general"
	}) {
		return all
	}
	return append(all, pronounsOf(t, text, key)...)
}

// aliases puts keys together that stand for one thing.
type aliases struct {
	of    map[string]string // another key of the same thing, nearer to its first
	count map[string]int
}

// first returns the key that stands for all that were joined with one.
func (a aliases) first(key string) string {
	for {
		next, ok := a.of[key]
		if !ok {
			return key
		}
		key = next
	}
}

// join counts the second key, and says that both stand for the same.
func (a aliases) join(x, y string) {
	a.count[y]++
	// The smaller is first, so that the order of joining does not matter.
	switch x, y = a.first(x), a.first(y); {
	case x < y:
		a.of[y] = x
	case y < x:
		a.of[x] = y
	}
}

// best returns, for each key that was joined with others, the one of them that
// comes up most often, the smallest of equals.
func (a aliases) best() map[string]string {
	chosen := make(map[string]string) // by first key
	keys := slices.Sorted(maps.Keys(a.count))
	for _, k := range keys {
		f := a.first(k)
		if b, ok := chosen[f]; !ok || a.count[k] > a.count[b] {
			chosen[f] = k
		}
	}
	all := make(map[string]string)
	for _, k := range keys {
		if b := chosen[a.first(k)]; b != k {
			all[k] = b
		}
	}
	return all
}
