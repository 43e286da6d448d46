package errata

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
)

// Text prints, with tabs between columns, how many changes there are to the questions of a
// set, in all and by category: all of them, those of each kind and of each action, and those
// that dispute the answer. The ceiling is the percentage of questions whose answer is not
// disputed.
func (m Matching) Text(set *datasets.Set) string {
	categories := make(map[string]string) // of questions, by sample and request
	questions := make(map[string]int)     // by category; all of them under ""
	for _, s := range set.Entries {
		for _, r := range s.Requests {
			g, _ := set.Gold(s.ID, r.ID)
			categories[s.ID+"/"+r.ID] = g.Category
			questions[g.Category]++
			questions[""]++
		}
	}
	columns := slices.SortedFunc(maps.Keys(questions), datasets.ByNumber) // "" first
	var b strings.Builder
	row := func(name string, cell func(category string) any) {
		b.WriteString(name)
		for _, category := range columns {
			fmt.Fprint(&b, "\t", cell(category))
		}
		b.WriteString("\n")
	}
	count := func(name string, counts func(Change) bool) map[string]int {
		n := make(map[string]int)
		for _, c := range m.Changes {
			if counts(c) {
				n[categories[c.Sample+"/"+c.Request]]++
				n[""]++
			}
		}
		row(name, func(category string) any { return n[category] })
		return n
	}
	row("ENTRIES", func(category string) any { return cmp.Or(category, "ALL") })
	count("matched", func(Change) bool { return true })
	kinds := lists.Distinct(m.Changes, func(c Change) string { return c.Kind })
	for _, kind := range slices.Sorted(slices.Values(kinds)) {
		if kind != "" {
			count("  "+kind, func(c Change) bool { return c.Kind == kind })
		}
	}
	for _, action := range actions {
		count("  action "+string(action), func(c Change) bool { return c.Action == action })
	}
	disputed := count("disputed", func(c Change) bool { return c.Action != Evidence })
	row("questions", func(category string) any { return questions[category] })
	row("ceiling", func(category string) any {
		return fmt.Sprintf("%.2f", 100*(1-float64(disputed[category])/float64(questions[category])))
	})
	return b.String()
}
