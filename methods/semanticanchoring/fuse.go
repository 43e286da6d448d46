package semanticanchoring

import (
	"cmp"
	"slices"

	"recallbench/methods/internal/linguistic"
)

// A candidate is an entry with the parts of its score, each in [0, 1] but for
// the cosine, which is in [-1, 1].
type candidate struct {
	entry                                         int
	similarity, entities, discourse, dependencies float64
	score                                         float64
}

// candidates merges what the two indexes found (algorithm 1, step 4).
func candidates(dense map[int]float64, m linguistic.Matches, cosine func(entry int) float64) []candidate {
	entries := m.Candidates()
	for i := range dense {
		entries = append(entries, i)
	}
	slices.Sort(entries)
	entries = slices.Compact(entries)
	all := make([]candidate, len(entries))
	for k, i := range entries {
		similarity, ok := dense[i]
		if !ok {
			similarity = cosine(i)
		}
		all[k] = candidate{entry: i, similarity: similarity, entities: m.Entities[i], discourse: m.Discourse[i], dependencies: m.Dependencies[i]}
	}
	return all
}

// best scores candidates and returns the k best, best first; of equal ones the
// later entry comes first, because what was said last holds.
func (w Weights) best(all []candidate, k int) []candidate {
	all = slices.Clone(all)
	for i, c := range all {
		all[i].score = w.Similarity*c.similarity + w.Entities*c.entities + w.Discourse*c.discourse + w.Dependencies*c.dependencies
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.entry, a.entry))
	})
	return all[:min(k, len(all))]
}
