package semanticanchoring

import (
	"math"
	"slices"

	"recallbench/methods"
	"recallbench/methods/linguistic"
)

// step tells what was found in a question, and the parts of the scores.
func (m *memory) step(q linguistic.Features, found []candidate) methods.Step {
	entities, triples, scores := []string{}, []string{}, []map[string]any{}
	for _, e := range q.Entities {
		name := e.Name
		if e.ID != "" {
			name = e.ID + " " + name
		}
		entities = append(entities, name)
	}
	for _, t := range q.Triples {
		triples = append(triples, t.Key())
	}
	for _, c := range found {
		scores = append(scores, map[string]any{
			"turn": m.history.Entries[c.entry].Turn, "score": round(c.score), "similarity": round(c.similarity),
			"entities": round(c.entities), "discourse": round(c.discourse), "dependencies": round(c.dependencies),
		})
	}
	return methods.Step{Name: "anchors", Data: map[string]any{
		"entities": entities, "triples": triples, "discourse": slices.Concat([]string{}, q.Senses), "scores": scores,
	}}
}

func round(x float64) float64 { return math.Round(x*1e4) / 1e4 }
