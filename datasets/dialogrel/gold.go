package dialogrel

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"recallbench/datasets"
)

// The values of the label names: whether names in the evidence are replaced.
const (
	keptNames     = "kept"
	replacedNames = "replaced"
)

// gold returns the gold of a question whose sample has so many sessions. Entities
// get ids of their names in the sample.
func (a *asked) gold(category, text string, sessions int, ids map[string]string) datasets.Gold {
	newest, names := 0, keptNames
	var evidence []string
	for _, t := range a.turns {
		newest = max(newest, t.number)
		evidence = append(evidence, t.id)
		if len(t.replaced) > 0 {
			names = replacedNames
		}
	}
	g := datasets.Gold{
		Category: category,
		Answer:   a.facts[0].answers()[0],
		Evidence: evidence,
		Labels: map[string]string{
			"distance": strconv.Itoa(sessions - newest),
			"relation": a.facts[0].relation,
			"names":    names,
		},
	}
	known := map[string]bool{key(g.Answer): true}
	entities := []argument{{}}
	for _, f := range a.facts {
		for _, name := range f.answers() {
			if !known[key(name)] {
				known[key(name)] = true
				g.Variants = append(g.Variants, name)
			}
		}
		entities[0] = entities[0].with(f.x)
		if f.relation == alternateNames {
			entities[0] = entities[0].with(f.y)
		} else if i := slices.IndexFunc(entities, func(e argument) bool { return e.shares(f.y) }); i >= 0 {
			entities[i] = entities[i].with(f.y)
		} else {
			entities = append(entities, f.y)
		}
	}
	taken := make(map[string][]span)
	for _, e := range entities {
		k := key(e.names[0])
		if ids[k] == "" {
			ids[k] = fmt.Sprintf("e%d", len(ids)+1)
		}
		g.Entities = append(g.Entities, datasets.Entity{ID: ids[k], Names: e.names, Mentions: a.mentions(e, text, taken)})
	}
	return g
}

// shares tells whether an argument has a name of another.
func (a argument) shares(o argument) bool {
	return slices.ContainsFunc(a.names, func(name string) bool {
		return slices.ContainsFunc(o.names, func(other string) bool { return key(name) == key(other) })
	})
}

// with returns an argument that has the names of another too.
func (a argument) with(o argument) argument {
	for _, name := range o.names {
		if !a.shares(argument{names: []string{name}}) {
			a.names = append(slices.Clip(a.names), name)
		}
	}
	return a
}

// mentions returns where an entity is mentioned in the evidence and in the
// request: by a name, by what stands for a name, and by I, me and my where the
// entity alone speaks. What is taken by another entity is left out.
func (a *asked) mentions(e argument, text string, taken map[string][]span) []datasets.Mention {
	mentions := []datasets.Mention{}
	add := func(turn string, at span) {
		if !slices.ContainsFunc(taken[turn], func(o span) bool { return o.start < at.end && at.start < o.end }) {
			taken[turn] = append(taken[turn], at)
			mentions = append(mentions, datasets.Mention{Turn: turn, Start: at.start, End: at.end})
		}
	}
	longest := slices.SortedStableFunc(slices.Values(e.names), func(x, y string) int { return len(y) - len(x) })
	for _, t := range a.turns {
		for _, r := range t.replaced {
			if slices.Contains(e.names, r.name) {
				add(t.id, r.span)
			}
		}
		for _, name := range longest {
			for _, at := range occurrences(t.text, name) {
				add(t.id, at)
			}
		}
		if len(t.speakers) == 1 && t.speaks(e) {
			for _, name := range []string{"I", "me", "my", "mine", "myself"} {
				for _, at := range occurrences(t.text, name) {
					add(t.id, at)
				}
			}
		}
	}
	for _, name := range longest {
		for _, at := range occurrences(text, name) {
			add("", at)
		}
	}
	slices.SortStableFunc(mentions, func(m, o datasets.Mention) int {
		if m.Turn != o.Turn {
			return a.place(m.Turn) - a.place(o.Turn)
		}
		return m.Start - o.Start
	})
	return mentions
}

// place orders turns, the request last.
func (a *asked) place(id string) int {
	if i := slices.IndexFunc(a.turns, func(t *turn) bool { return t.id == id }); i >= 0 {
		return i
	}
	return len(a.turns)
}

// A span is a range of bytes of a text.
type span struct{ start, end int }

// occurrences returns where a name stands in a text as whole words, without
// regard to case and to the shape of apostrophes.
func occurrences(text, name string) []span {
	var found []span
	before := ' '
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !inWord(before) {
			if n := prefix(text[i:], name); n > 0 {
				if next, _ := utf8.DecodeRuneInString(text[i+n:]); i+n == len(text) || !inWord(next) {
					found = append(found, span{i, i + n})
					before, _ = utf8.DecodeLastRuneInString(text[:i+n])
					i += n
					continue
				}
			}
		}
		before = r
		i += size
	}
	return found
}

// wordless tells whether a name has neither a letter nor a digit, such as "?".
func wordless(name string) bool { return !strings.ContainsFunc(name, inWord) }

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// prefix returns the length of the beginning of a text that is a name, 0 for
// none.
func prefix(text, name string) int {
	n := 0
	for _, want := range name {
		r, size := utf8.DecodeRuneInString(text[n:])
		if size == 0 || same(r) != same(want) {
			return 0
		}
		n += size
	}
	return n
}

func same(r rune) rune {
	if r == '’' || r == '‘' {
		return '\''
	}
	return unicode.ToLower(r)
}

// key is a name as names are compared.
func key(name string) string { return strings.Map(same, name) }
