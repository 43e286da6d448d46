package metrics

// StructureSpec is the structure of memories that are hierarchies:
//
//   - episodes, semantics, themes: how many there are in all memories together;
//   - semantics-per-theme: all semantics over all themes;
//   - theme-max: the size of the largest theme, a mean over memories;
//   - reassigned: the share of semantics whose theme at the end is not the one
//     that they were put into first.
//
// Undefined for a memory that has no such parts. It follows tables 6 to 8 of
// xMemory; reassigned is its dynamic reassignment ratio, which the paper
// describes in a sentence and has no code for.
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

// DegradedSpec counts the stages that had to do with less than they asked for,
// because a model's reply could not be used even after a repair: degraded-query
// is those of all answers together, degraded-ingest those of all memories. Lower
// is better; the records say which stages they were.
var DegradedSpec = &Spec{
	Name:   "degraded",
	Doc:    "stages whose model replied what could not be used",
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
