package multiwozlong

import (
	"cmp"
	"slices"
	"strings"
)

// A how says in what way an entity is mentioned.
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

// A spot is a turn of a dialogue; in a conversation also with its session, both
// from 0.
type spot struct{ session, turn int }

func (s spot) compare(o spot) int {
	return cmp.Or(cmp.Compare(s.session, o.session), cmp.Compare(s.turn, o.turn))
}

// A mention is a place of a turn where an entity is mentioned.
type mention struct {
	key string // kind and name, such as "hotel:acorn guesthouse"
	how how
	span
	spot
}

func kindOf(key string) string {
	kind, _, _ := strings.Cut(key, ":")
	return kind
}

func nameOf(key string) string {
	_, name, _ := strings.Cut(key, ":")
	return name
}

// A gazetteer has the names in the annotation of a split.
type gazetteer struct {
	names map[string][]name // by their first word, longer ones first
	// common are words that are not a name on their own: kinds of food and of
	// attractions, and the words of common in wording.txt.
	common map[string]bool
	same   aliases
}

type name struct {
	words []string
	key   string
}

// newGazetteer gathers the names of a split.
func newGazetteer(dialogues []dialogue) *gazetteer {
	g := &gazetteer{names: make(map[string][]name), common: tables.Words("common"), same: aliases{make(map[string][]string), make(map[string]int)}}
	var named []string // keys
	add := func(kind, slot string, variants ...string) {
		switch slot {
		case "food", "type":
			for _, value := range variants {
				for _, w := range words(value) {
					g.common[w.text] = true
				}
			}
			return
		case "name":
		case "departure", "destination":
			if kind == "train" {
				for _, value := range variants {
					named = append(named, plain("station", value))
				}
			}
			kind = "place"
		default:
			return
		}
		for _, value := range variants {
			g.same.join(plain(kind, variants[0]), plain(kind, value))
			if venues[kind] != nil {
				named = append(named, plain(kind, value))
			}
		}
	}
	for i := range dialogues {
		for _, t := range dialogues[i].turns {
			for _, s := range t.states {
				for _, v := range s.values {
					add(s.service, v.slot, v.variants...)
				}
			}
			for _, a := range t.acts {
				if a.slot == "name" {
					add(a.service, "name", a.value)
				}
			}
		}
	}
	slices.Sort(named)
	for _, raw := range slices.Compact(named) {
		if k := g.key(kindOf(raw), nameOf(raw)); k != "" {
			parts := strings.Fields(nameOf(raw))
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

// plain returns the key of an entity by one of its names.
func plain(kind, value string) string {
	return kind + ":" + strings.TrimPrefix(norm(value), "the ")
}

// key returns the key of an entity of a kind by one of its names; empty if the
// name says nothing.
func (g *gazetteer) key(kind, value string) string {
	raw := plain(kind, value)
	if slices.Contains(unset, nameOf(raw)) {
		return ""
	}
	for w := range strings.FieldsSeq(nameOf(raw)) {
		if !g.common[w] && len(w) > 1 {
			return g.same.best(raw)
		}
	}
	return ""
}

// place returns the name of a place that a journey goes to, empty if it is none.
func (g *gazetteer) place(value string) string {
	n := nameOf(g.same.best(plain("place", value)))
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
				all = append(all, mention{key: n.key, how: byName, span: span{text[i].start, text[i+length-1].end}})
			}
		}
		i += max(length-1, 0)
	}
	return all
}

// The words before the nouns of [venues], and before a pronoun.
var (
	articles    = tables.Words("articles")
	beforeIt    = tables.Words("before it")
	beforeThere = tables.Words("before there")
)

// indirect returns the indirect mention of the current entity of a kind in a turn that
// does not name one of the kind: one of the nouns with an article, "the hotel", or a
// pronoun in a turn that is about nothing else by its acts.
func indirect(t *utterance, text []word, kind, key string) []mention {
	var all []mention
	for i, w := range text {
		if !articles[w.text] {
			continue
		}
		for _, nouns := range venues[kind] {
			if noun := strings.Fields(nouns); at(text[i+1:], noun) {
				all = append(all, mention{key: key, how: byNominal, span: span{w.start, text[i+len(noun)].end}})
			}
		}
	}
	about := func(a act) bool {
		return a.service != kind && a.service != "booking" && a.service != "general"
	}
	if len(t.acts) == 0 || slices.ContainsFunc(t.acts, about) {
		return all
	}
	before := ""
	for _, w := range text {
		found := false
		switch w.text {
		case "its", "their", "them":
			found = !strings.ContainsAny(w.of(t.text), "'’") // it's
		case "it":
			found = beforeIt[before]
		case "there":
			found = beforeThere[before]
		}
		if found {
			all = append(all, mention{key: key, how: byPronoun, span: w.span})
		}
		before = w.text
	}
	return all
}

// aliases groups keys that states list as variants of one name.
type aliases struct {
	group map[string][]string // keys of the same thing, by each of them
	count map[string]int      // how often a key comes up
}

// join counts the second key, and records that both mean the same.
func (a aliases) join(x, y string) {
	a.count[y]++
	for _, k := range []string{x, y} {
		if a.group[k] == nil {
			a.group[k] = []string{k}
		}
	}
	if !slices.Contains(a.group[x], y) {
		all := slices.Concat(a.group[x], a.group[y])
		for _, k := range all {
			a.group[k] = all
		}
	}
}

// best returns the most frequent key of the group of a key, the smallest of equals.
func (a aliases) best(key string) string {
	if a.group[key] == nil {
		return key
	}
	return slices.MinFunc(a.group[key], func(x, y string) int { return cmp.Or(a.count[y]-a.count[x], cmp.Compare(x, y)) })
}
