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
	Columns: append(
		columns(Column{Scale: 1, Neutral: true, Sample: true, Total: true}, "episodes", "semantics", "themes"),
		Column{Name: "semantics-per-theme", Scale: 1, Digits: 2, Neutral: true, Sample: true, Weight: "themes"},
		Column{Name: "theme-max", Scale: 1, Digits: 1, Neutral: true, Sample: true},
		Column{Name: "reassigned", Scale: 100, Digits: 2, Neutral: true, Sample: true, Weight: "semantics"},
	),
	Score: func(i Item) []Value {
		part := func(name string) Value {
			x, ok := i.Memory.Structure[name]
			return Value{x, ok}
		}
		per := func(x, n Value) Value {
			if !x.Defined || !n.Defined || n.X <= 0 {
				return Value{}
			}
			return Def(x.X / n.X)
		}
		semantics, themes := part("semantics"), part("themes")
		return []Value{part("episodes"), semantics, themes, per(semantics, themes), part("theme-max"), per(part("reassigned"), semantics)}
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
