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

// rankConstant is added to ranks, as in reciprocal rank fusion.
const rankConstant = 60

// parts are the terms of a score.
var parts = []struct {
	of     func(candidate) float64
	weight func(Weights) float64
}{
	{func(c candidate) float64 { return c.similarity }, func(w Weights) float64 { return w.Similarity }},
	{func(c candidate) float64 { return c.entities }, func(w Weights) float64 { return w.Entities }},
	{func(c candidate) float64 { return c.discourse }, func(w Weights) float64 { return w.Discourse }},
	{func(c candidate) float64 { return c.dependencies }, func(w Weights) float64 { return w.Dependencies }},
}

// best scores candidates and returns the k best, best first; of equal ones the
// later entry comes first, because what was said last holds.
func (o Options) best(all []candidate, k int) []candidate {
	all = slices.Clone(all)
	for _, p := range parts {
		weight := p.weight(o.Weights)
		if weight == 0 {
			continue
		}
		if o.Fusion == Linear {
			for i, c := range all {
				all[i].score += weight * p.of(c)
			}
			continue
		}
		order := make([]int, len(all))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int {
			return cmp.Or(cmp.Compare(p.of(all[b]), p.of(all[a])), cmp.Compare(all[b].entry, all[a].entry))
		})
		for rank, i := range order {
			// An entry that has nothing of a part has no rank in it.
			if p.of(all[i]) > 0 {
				all[i].score += weight / float64(rankConstant+rank+1)
			}
		}
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.entry, a.entry))
	})
	return all[:min(k, len(all))]
}
