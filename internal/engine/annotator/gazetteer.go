package annotator

import (
	"slices"
	"strings"

	"recallbench/internal/door/annotate"
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
