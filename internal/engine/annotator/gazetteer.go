package annotator

import (
	"slices"
	"strings"

	"recallbench/internal/door/annotate"
	"recallbench/internal/text/english"
)

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
