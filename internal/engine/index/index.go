// Package index ranks the texts of a memory for a query: by cosine, exactly
// ([Dense]) or almost exactly ([HNSW]), by words ([BM25]), and by both
// ([Fuse]).
package index

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
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

// BM25 ranks texts by the words that they share with the query:
//
//	score(q, d) = Σ_t idf(t) · tf(t,d)·(k1+1) / (tf(t,d) + k1·(1 - b + b·|d|/avg))
//	idf(t)      = ln(1 + (N - df(t) + 0.5) / (df(t) + 0.5))
//
// over the distinct terms t of the query. Scores are at least 0.
//
// Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25
// and Beyond", 2009; the idf with 1 added, which is never negative, is
// Lucene's. It is safe for concurrent use.
type BM25 struct {
	k1, b    float64
	lengths  []float64
	mean     float64
	postings map[string][]posting
}

type posting struct {
	text  int
	count float64
}

// NewBM25 returns an index of texts with the parameters k1 >= 0 and b in [0, 1]. k1
// sets how slowly the count of a term saturates, b how much long texts are penalized.
func NewBM25(texts []string, k1, b float64) *BM25 {
	x := &BM25{k1: k1, b: b, lengths: make([]float64, len(texts)), postings: make(map[string][]posting)}
	for i, text := range texts {
		terms := Terms(text)
		x.lengths[i] = float64(len(terms))
		x.mean += float64(len(terms)) / float64(len(texts))
		counts := make(map[string]float64)
		for _, t := range terms {
			counts[t]++
		}
		for t, n := range counts {
			x.postings[t] = append(x.postings[t], posting{i, n})
		}
	}
	return x
}

// Search returns the at most k texts that share a term with the query, best
// first.
func (x *BM25) Search(query string, k int) []Hit {
	scores := make([]float64, len(x.lengths))
	seen := make(map[string]bool)
	for _, t := range Terms(query) {
		if seen[t] {
			continue
		}
		seen[t] = true
		list := x.postings[t]
		n, df := float64(len(x.lengths)), float64(len(list))
		idf := math.Log1p((n - df + 0.5) / (df + 0.5))
		for _, p := range list {
			norm := x.k1 * (1 - x.b + x.b*x.lengths[p.text]/x.mean)
			scores[p.text] += idf * p.count * (x.k1 + 1) / (p.count + norm)
		}
	}
	return top(scores, k, func(s float64) bool { return s > 0 })
}

// Terms returns the lower-cased words of text, stemmed by Snowball's English
// stemmer. A word is a run of letters, digits and inner apostrophes.
func Terms(text string) []string {
	text = strings.ReplaceAll(strings.ToLower(text), "’", "'")
	words := strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\''
	})
	terms := words[:0]
	for _, w := range words {
		w = strings.Trim(w, "'")
		if w == "" {
			continue
		}
		if len(w) > 2 && len(w) < maxStem {
			env := snowballstem.NewEnv(w)
			english.Stem(env)
			w = env.Current()
		}
		terms = append(terms, w)
	}
	return terms
}

// maxStem is the length in bytes from which a word is not stemmed: it is not an
// English word.
const maxStem = 64
