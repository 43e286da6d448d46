package errata

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"recallbench/datasets"
)

// A tally counts the changes or questions of some kind by category.
type tally map[string]int

// of returns the number in a category, or in all of them for none.
func (t tally) of(category string) (n int) {
	if category != "" {
		return t[category]
	}
	for _, one := range t {
		n += one
	}
	return n
}

// Text prints, with tabs between columns, how many changes there are to the questions of a
// set, in all and by category: all of them, those of each kind and of each action, and those
// that dispute the answer. The ceiling is the percentage of questions whose answer is not
// disputed.
func (m Matching) Text(set *datasets.Set) string {
	categories := make(map[string]string) // of questions, by sample and request
	questions := make(tally)
	for _, s := range set.Entries {
		for _, r := range s.Requests {
			g, _ := set.Gold(s.ID, r.ID)
			categories[s.ID+"/"+r.ID] = g.Category
			questions[g.Category]++
		}
	}
	columns := append([]string{""}, slices.SortedFunc(maps.Keys(questions), datasets.ByNumber)...)
	var b strings.Builder
	row := func(name string, cell func(category string) string) {
		b.WriteString(name)
		for _, category := range columns {
			b.WriteString("\t" + cell(category))
		}
		b.WriteString("\n")
	}
	count := func(name string, counts func(Change) bool) tally {
		t := make(tally)
		for _, c := range m.Changes {
			if counts(c) {
				t[categories[c.Sample+"/"+c.Request]]++
			}
		}
		row(name, func(category string) string { return strconv.Itoa(t.of(category)) })
		return t
	}
	row("ENTRIES", func(category string) string { return cmp.Or(category, "ALL") })
	kinds := make(map[string]bool)
	count("matched", func(c Change) bool { kinds[c.Kind] = true; return true })
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		if kind != "" {
			count("  "+kind, func(c Change) bool { return c.Kind == kind })
		}
	}
	for _, action := range Actions() {
		count("  action "+string(action), func(c Change) bool { return c.Action == action })
	}
	disputed := count("disputed", Change.Objects)
	row("questions", func(category string) string { return strconv.Itoa(questions.of(category)) })
	row("ceiling", func(category string) string {
		return fmt.Sprintf("%.2f", 100*(1-float64(disputed.of(category))/float64(questions.of(category))))
	})
	return b.String()
}
