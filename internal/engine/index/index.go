// Package index ranks the texts of a memory for a query: by cosine, exactly
// ([Dense]) or almost exactly ([HNSW]), by words ([BM25]), and by both
// ([Fuse]).
package index

import (
	"cmp"
	"slices"
)

// A Hit is a ranked text.
type Hit struct {
	Index int // of the text, in the order in which the index was given them
	Score float64
}

// top returns the k hits with the highest scores, best first; ties keep the
// order of the texts. Scores has one score for each text.
func top(scores []float64, k int, keep func(score float64) bool) []Hit {
	var hits []Hit
	for i, s := range scores {
		if keep(s) {
			hits = append(hits, Hit{i, s})
		}
	}
	slices.SortFunc(hits, bestFirst)
	return hits[:max(0, min(k, len(hits)))]
}

// bestFirst orders hits; of equal scores the earlier text comes first.
func bestFirst(a, b Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), a.Index-b.Index)
}

// Fuse joins rankings by reciprocal rank fusion: a text's score is the sum of
// 1/(c+rank) over the rankings it is in, with ranks from 1. It returns the k
// best; ties keep the order of the texts.
//
// Source: Cormack, Clarke and Büttcher, "Reciprocal rank fusion outperforms
// Condorcet and individual rank learning methods", SIGIR 2009, where c is 60.
func Fuse(c float64, k int, rankings ...[]Hit) []Hit {
	n := 0
	for _, r := range rankings {
		for _, h := range r {
			n = max(n, h.Index+1)
		}
	}
	scores := make([]float64, n)
	for _, r := range rankings {
		for rank, h := range r {
			scores[h.Index] += 1 / (c + float64(rank+1))
		}
	}
	return top(scores, k, func(s float64) bool { return s > 0 })
}
