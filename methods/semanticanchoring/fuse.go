package semanticanchoring

import (
	"cmp"
	"maps"
	"slices"

	"recallbench/methods/internal/linguistic"
)

// A candidate is an entry with the parts of its score, each in [0, 1] except
// for the cosine, which is in [-1, 1].
type candidate struct {
	linguistic.Match
	entry             int
	similarity, score float64
}

// candidates merges what the two indexes found (algorithm 1, step 4).
func candidates(dense map[int]float64, matches map[int]linguistic.Match, cosine func(entry int) float64) []candidate {
	entries := slices.Collect(maps.Keys(matches))
	for i := range dense {
		if _, ok := matches[i]; !ok {
			entries = append(entries, i)
		}
	}
	all := make([]candidate, len(entries))
	for k, i := range entries {
		similarity, ok := dense[i]
		if !ok {
			similarity = cosine(i)
		}
		all[k] = candidate{entry: i, similarity: similarity, Match: matches[i]}
	}
	return all
}

// best scores candidates and returns the k best, best first; of equal ones the
// later entry comes first, because the latest statement is the current one.
func (w Weights) best(all []candidate, k int) []candidate {
	all = slices.Clone(all)
	for i, c := range all {
		all[i].score = w.Similarity*c.similarity + w.Entities*c.Entities + w.Discourse*c.Discourse + w.Dependencies*c.Dependencies
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.entry, a.entry))
	})
	return all[:min(k, len(all))]
}
