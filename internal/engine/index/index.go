// Package index ranks the texts of a memory for a query: exactly by cosine
// ([Dense]), nearly so ([HNSW]), by words ([BM25]), and by both ([Fuse]).
package index

import (
	"math"
	"slices"
)

// A Hit is a ranked text.
type Hit struct {
	Index int // of the text, in the order in which the index was given them
	Score float64
}

// top returns the k hits with the highest scores, best first; equal scores
// stand in the order of the texts. Scores holds one score for each text.
func top(scores []float64, k int, keep func(score float64) bool) []Hit {
	k = max(0, min(k, len(scores)))
	if k > fewHits {
		hits := make([]Hit, 0, len(scores))
		for i, s := range scores {
			if keep(s) {
				hits = append(hits, Hit{i, s})
			}
		}
		slices.SortFunc(hits, bestFirst)
		return hits[:min(k, len(hits))]
	}
	b := newBest(k)
	for i, s := range scores {
		if s > b.least && keep(s) {
			b.enter(Hit{i, s})
		}
	}
	return b.hits
}

// best are few hits of many: the best so far stay in order, and most texts do not reach
// them.
type best struct {
	hits  []Hit
	least float64 // a score that is not above it gets no place
}

func newBest(k int) *best {
	b := &best{hits: make([]Hit, 0, k), least: math.Inf(-1)}
	if k == 0 {
		b.least = math.Inf(1)
	}
	return b
}

// enter gives a hit its place, and reports whether the least score is another now. Hits
// come in the order of the texts.
func (b *best) enter(h Hit) bool {
	k := cap(b.hits)
	if !(h.Score > b.least) {
		return false
	}
	if len(b.hits) == k {
		b.hits = b.hits[:k-1]
	}
	at := len(b.hits)
	for at > 0 && b.hits[at-1].Score < h.Score {
		at--
	}
	b.hits = slices.Insert(b.hits, at, h)
	if len(b.hits) < k {
		return false
	}
	b.least = b.hits[k-1].Score
	return true
}

// fewHits is the number of hits up to which keeping them in order takes less time
// than sorting all texts.
const fewHits = 256

// bestFirst orders hits; of equal scores the earlier text comes first.
func bestFirst(a, b Hit) int {
	switch {
	case a.Score > b.Score:
		return -1
	case a.Score < b.Score:
		return 1
	default:
		return a.Index - b.Index
	}
}

// Fuse joins rankings by reciprocal rank fusion: a text's score is the sum of
// 1/(c+rank) over the rankings it is in, with ranks from 1. It returns the k
// best; equal scores stand in the order of the texts.
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
