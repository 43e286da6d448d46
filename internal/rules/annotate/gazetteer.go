package annotate

import (
	"slices"
	"strings"

	"recallbench/internal/door/annotate"
)

// An entry is a name that is known to be one.
type entry struct {
	low   []string
	typ   string
	exact bool   // counts only as it is written, for the names of speakers
	text  string // as written
}

// maxAlike bounds how many names with a word in common are looked at.
const maxAlike = 256

// A gazetteer finds names without regard to case. It learns while it reads.
type gazetteer struct {
	byFirst map[string][]entry
	memo    *memo
	placeAt int // one more than the last utterance that spoke of a kind of place
}

// add adds a name. Values are left out: they are found by their form.
func (g *gazetteer) add(name, typ string, exact bool) {
	if isValue(typ) || len(name) > maxNameBytes {
		return
	}
	n := g.memo.name(name)
	low := n.all
	if len(low) == 0 || len(low) > 12 || !n.named || len(low) == 1 && (words().days[low[0]] || words().numbers[low[0]] > 0) {
		return
	}
	if _, _, ok := clock(low[0]); ok && len(low) < 3 {
		return
	}
	for i, e := range g.byFirst[low[0]] {
		if slices.Equal(e.low, low) {
			if e.typ == "" || e.exact && !exact {
				g.byFirst[low[0]][i].typ, g.byFirst[low[0]][i].exact = typ, exact && e.exact
			}
			return
		}
	}
	if list := g.byFirst[low[0]]; len(list) < maxAlike {
		g.byFirst[low[0]] = append(list, entry{low, typ, exact, name})
	}
}

// match returns the longest name that starts at a token.
func (g *gazetteer) match(s *sentence, i int) (int, string) {
	n, typ := 0, ""
	for _, e := range g.byFirst[s.low[i]] {
		if len(e.low) <= n || i+len(e.low) > len(s.low) || !slices.Equal(s.low[i:i+len(e.low)], e.low) {
			continue
		}
		if len(e.low) == 1 && !s.bearsName(i, e) {
			continue
		}
		if e.exact && s.Tokens[i].Text != strings.Fields(e.text)[0] {
			continue
		}
		n, typ = len(e.low), e.typ
	}
	return n, typ
}

// bearsName reports whether a single word is meant as the name that it could
// be: "will" in "will you" is not.
func (s *sentence) bearsName(i int, e entry) bool {
	if s.upper(i) && (i > 0 || !words().ambiguous[s.low[i]]) {
		return true
	}
	if e.typ == "PERSON" && (s.pos(i-1) == "DT" || s.pos(i-1) == "PRP$") {
		return false
	}
	if words().ambiguous[s.low[i]] {
		return strings.HasPrefix(s.Tokens[i].POS, "NNP")
	}
	return closed[s.low[i]] == ""
}

// knows adds what a request knows.
func (g *gazetteer) knows(r annotate.Request) {
	for _, n := range r.Names {
		g.add(n.Text, n.Type, false)
	}
	for i := range r.Known {
		k := &r.Known[i]
		if isNominal(k) || isValue(k.Type) || pairName(k) || k.Plural && strings.HasSuffix(k.Name, andOthers) {
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

// pairName reports whether a known entity is several people who have names of
// their own: "Paul and Julia".
func pairName(k *annotate.Known) bool {
	return k.Plural && k.Type == "PERSON" && len(k.Aliases) == 0 && strings.Contains(k.Name, " and ")
}

// isNominal reports whether the name of a known entity is a noun phrase and not
// a name: none of its words is written as one.
func isNominal(k *annotate.Known) bool {
	if k.Speaker || len(k.Heads) == 0 {
		return k.Type == "" && len(k.Heads) == 0 && len(k.Aliases) == 0 && closed[lower(k.Name)] != ""
	}
	f := strings.Fields(lower(k.Name))
	if len(f) == 0 {
		return true
	}
	last := f[len(f)-1]
	for _, h := range k.Heads {
		if (h == last || h == singular(last)) && (f[0] != last || len(f) == 1) && len(k.Aliases) == 0 && (closed[f[0]] != "" || strings.Contains(k.Name, "'s ") || len(f) == 1 || k.Name == strings.ToLower(k.Name)) {
			return true
		}
	}
	return false
}

// namelike reports whether a speaker's label looks like the name of a person:
// "Anna", not "USER" or "Speaker 1".
func namelike(label string) bool {
	if strings.ContainsAny(label, "0123456789,") || label == strings.ToUpper(label) {
		return false
	}
	first, _, _ := strings.Cut(lower(label), " ")
	if _, ok := words().given[first]; ok {
		return true
	}
	return label != strings.ToLower(label) && !isCommon(first)
}
