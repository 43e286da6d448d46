package dialogrel

import (
	"fmt"
	"slices"
	"strings"

	"recallbench/datasets"
)

// An asked is what is asked once: all facts of one first argument and relation.
type asked struct {
	facts []fact
	turns []*turn // that the facts rest on, in order
}

// ask adds the questions of a sample, in the order of their facts, and returns
// their gold.
func (b *builder) ask(s *datasets.Sample, scenes []*scene) []datasets.Gold {
	var all []*asked
	byKey := make(map[string]*asked)
	for _, scene := range scenes {
		for _, f := range scene.facts {
			if len(f.evidence) == 0 {
				continue
			}
			if !occurs(scenes, f.answers()) {
				continue
			}
			k := f.relation + " " + key(f.x.names[0])
			if byKey[k] == nil {
				byKey[k] = &asked{}
				all = append(all, byKey[k])
			}
			a := byKey[k]
			a.facts = append(a.facts, f)
			for _, i := range scene.evidence(f) {
				if t := &scene.turns[i]; !slices.Contains(a.turns, t) {
					a.turns = append(a.turns, t)
				}
			}
		}
	}
	var golds []datasets.Gold
	ids := make(map[string]string)
	for _, a := range all {
		x, q := a.facts[0].x.names[0], questions[a.facts[0].relation]
		text := strings.ReplaceAll(q.wordings[b.rand.IntN(len(q.wordings))], "*", x)
		s.Requests = append(s.Requests, datasets.Request{ID: fmt.Sprintf("q%d", len(s.Requests)+1), Text: text})
		golds = append(golds, a.gold(q.category, text, len(s.Sessions), ids))
	}
	return golds
}

// answers returns the names of y that are right answers: those but x itself,
// where another name of x is asked for.
func (f fact) answers() []string {
	return slices.DeleteFunc(slices.Clone(f.y.names), func(name string) bool { return key(name) == key(f.x.names[0]) })
}

// evidence returns the turns of a fact with what replacing names has taken from
// them: for a turn that had y by a name and has it no more, the last one before
// that has.
func (s *scene) evidence(f fact) []int {
	found := slices.Clone(f.evidence)
	for _, i := range f.evidence {
		lost := slices.ContainsFunc(s.turns[i].replaced, func(r replacement) bool { return slices.Contains(f.y.names, r.name) })
		if !lost || s.turns[i].has(f.y.names...) {
			continue
		}
		for k := i - 1; k >= 0; k-- {
			if s.turns[k].has(f.y.names...) {
				found = append(found, k)
				break
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// occurs tells whether some turn of a sample has one of the names, or is said by
// one.
func occurs(scenes []*scene, names []string) bool {
	for _, s := range scenes {
		for i := range s.turns {
			t := &s.turns[i]
			if t.has(names...) || slices.ContainsFunc(names, func(n string) bool { return slices.Contains(t.speakers, n) }) {
				return true
			}
		}
	}
	return false
}
