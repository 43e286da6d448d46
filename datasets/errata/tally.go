package errata

import (
	"slices"

	"recallbench/datasets"
)

// A Tally counts entries or questions by category.
type Tally struct {
	Name string
	By   map[string]int
}

// All is the sum over the categories.
func (t Tally) All() (n int) {
	for _, one := range t.By {
		n += one
	}
	return n
}

// Tallies count the changes to the questions of a set: all of them, those of each kind and of
// each action, and those that dispute the answer. The last counts the questions.
func (m Matching) Tallies(set *datasets.Set) []Tally {
	categories := make(map[string]string) // of questions, by sample and request
	questions := Tally{Name: "questions", By: make(map[string]int)}
	for _, s := range set.Entries {
		for _, r := range s.Requests {
			g, _ := set.Gold(s.ID, r.ID)
			categories[s.ID+"/"+r.ID] = g.Category
			questions.By[g.Category]++
		}
	}
	var all []Tally
	add := func(name string, counts func(Change) bool) {
		t := Tally{Name: name, By: make(map[string]int)}
		for _, c := range m.Changes {
			if counts(c) {
				t.By[categories[c.Sample+"/"+c.Request]]++
			}
		}
		all = append(all, t)
	}
	var kinds []string
	add("matched", func(c Change) bool { kinds = append(kinds, c.Kind); return true })
	slices.Sort(kinds)
	for _, kind := range slices.Compact(kinds) {
		if kind != "" {
			add("  "+kind, func(c Change) bool { return c.Kind == kind })
		}
	}
	for _, action := range Actions() {
		add("  action "+string(action), func(c Change) bool { return c.Action == action })
	}
	add("disputed", Change.Objects)
	return append(all, questions)
}
