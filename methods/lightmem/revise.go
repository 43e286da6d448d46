package lightmem

import (
	"context"
	"slices"
	"time"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/index"
	"recallbench/methods/internal/building"
)

// A revision is the outcome for a fact.
type revision struct {
	Action string `json:"action"`     // update, delete or ignore
	Text   string `json:"new_memory"` // of the fact, for update
}

// Usable reports whether an update has a text.
func (r revision) Usable() bool { return r.Action != "update" || r.fact() != "" }

func (r revision) fact() string { return building.Clean(r.Text, building.MaxFact) }

// revise asks for the outcome of each fact in the light of the later ones that
// are close to it. All prompts show the original facts: no revision sees another.
// A fact that is updated is found by its former text.
func (b *builder) revise(ctx context.Context) error {
	end := meter.Stage(ctx, "queue")
	later, err := b.later()
	end()
	if err != nil {
		return err
	}
	revised := slices.Clone(b.facts)
	for i := range b.facts {
		if len(later[i]) == 0 {
			continue
		}
		r, err := b.revision(ctx, i, later[i])
		if err != nil {
			return err
		}
		switch r.Action {
		case "update":
			revised[i].text = r.fact()
			b.updated++
		case "delete":
			revised[i].text = ""
			b.deleted++
		default:
			b.ignored++
		}
	}
	b.facts = slices.DeleteFunc(revised, func(f fact) bool { return f.text == "" })
	return nil
}

// later returns, for each fact, the facts that take part in its revision: a fact
// takes part in that of the closest of the facts nearest to it that are not later,
// by the memory's clock, and as close as sayScore. So does a fact of the same
// time.
func (b *builder) later() ([][]int, error) {
	order := make([]int, len(b.facts))
	for i := range order {
		order[i] = i
	}
	at := func(i int) time.Time { return b.facts[i].time }
	slices.SortStableFunc(order, func(i, j int) int { return at(i).Compare(at(j)) })
	earlier := make([][]int, len(b.facts)) // by the fact that takes part
	var known index.Growing
	for first := 0; first < len(order); {
		end := first
		for ; end < len(order) && at(order[end]).Equal(at(order[first])); end++ {
			if err := known.Add(b.facts[order[end]].vector); err != nil {
				return nil, err
			}
		}
		for _, i := range order[first:end] {
			hits, err := known.Search(b.facts[i].vector, nearFacts)
			if err != nil {
				return nil, err
			}
			for _, h := range index.Above(hits, sayScore) {
				if j := order[h.Index]; j != i && len(earlier[i]) < mostSays {
					earlier[i] = append(earlier[i], j)
				}
			}
		}
		first = end
	}
	later := make([][]int, len(b.facts))
	for i, about := range earlier {
		for _, j := range about {
			later[j] = append(later[j], i)
		}
	}
	return later, nil
}

// revision asks for the outcome of a fact. Without a usable reply it stays.
func (b *builder) revision(ctx context.Context, i int, later []int) (revision, error) {
	data := reviseData{Fact: b.facts[i].text, Later: lists.Map(later, func(j int) string { return b.facts[j].text })}
	r, _, err := building.JSON[revision](ctx, b.model, revise, data)
	return r, err
}
