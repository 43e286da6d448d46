package metrics

// StructureSpec is the structure of hierarchical memories:
//
//   - episodes, semantics, themes: how many there are in all memories together;
//   - semantics-per-theme: all semantics over all themes;
//   - theme-max: the size of the largest theme, a mean over memories;
//   - reassigned: the share of semantics whose final theme is not their first.
//
// Undefined for a memory without such parts. It follows tables 6 to 8 of
// xMemory; reassigned is its dynamic reassignment ratio, which the paper
// describes in one sentence and for which it has no code.
var StructureSpec = &Spec{
	Name:   "structure",
	Doc:    "numbers of episodes, semantics and themes of all memories",
	Source: "xMemory, tables 6 to 8",
	Of:     Usage,
	Apart:  true,
	Columns: []Column{
		{Name: "episodes", Scale: 1, Neutral: true, Sample: true, Total: true},
		{Name: "semantics", Scale: 1, Neutral: true, Sample: true, Total: true},
		{Name: "themes", Scale: 1, Neutral: true, Sample: true, Total: true},
		{Name: "semantics-per-theme", Scale: 1, Digits: 2, Neutral: true, Sample: true, Weight: "themes"},
		{Name: "theme-max", Scale: 1, Digits: 1, Neutral: true, Sample: true},
		{Name: "reassigned", Scale: 100, Digits: 2, Neutral: true, Sample: true, Weight: "semantics"},
	},
	Score: func(i Item) []Value {
		values := make([]Value, 6)
		for k, name := range []string{"episodes", "semantics", "themes"} {
			if x, ok := i.Memory.Structure[name]; ok {
				values[k] = Def(x)
			}
		}
		semantics, themes := values[1], values[2]
		if x, ok := i.Memory.Structure["theme-max"]; ok {
			values[4] = Def(x)
		}
		if themes.Defined && semantics.Defined && themes.X > 0 {
			values[3] = Def(semantics.X / themes.X)
		}
		if x, ok := i.Memory.Structure["reassigned"]; ok && semantics.Defined && semantics.X > 0 {
			values[5] = Def(x / semantics.X)
		}
		return values
	},
}

// DegradedSpec counts the stages that continued with less because a model's
// reply was unusable even after a repair: degraded-query counts those of all
// answers, degraded-ingest those of all memories. Lower is better; the records
// name the stages.
var DegradedSpec = &Spec{
	Name:   "degraded",
	Doc:    "stages in which a model's reply was unusable",
	Source: "counted by the methods",
	Of:     Usage,
	Apart:  true,
	Columns: []Column{
		{Name: "degraded-query", Scale: 1, Lower: true, Total: true},
		{Name: "degraded-ingest", Scale: 1, Lower: true, Sample: true, Total: true},
	},
	Score: func(i Item) []Value { return []Value{Def(sum(i.Degraded)), Def(sum(i.Memory.Degraded))} },
}

func sum(counts map[string]int) float64 {
	n := 0
	for _, k := range counts {
		n += k
	}
	return float64(n)
}
