package prune

import (
	"context"
	"math"
	"strings"
	"unicode/utf8"

	"recallbench/internal/text"
)

// An IDF ranks words by their inverse document frequency over texts. It is no
// model and needs none; as a [Classifier] it is named idf-prune.
//
// A word in lower case that stands in n of N texts has the weight
//
//	idf = ln(1 + (N - n + 0.5) / (n + 0.5)) / ln(1 + (N + 0.5) / 0.5)
//
// from 0 to 1. Its probability is (1 + idf) / 2, and idf / 2 for a stop word, a
// mark or a symbol, so that these go first, the most common of them before the
// others.
type IDF struct {
	keep map[string]float64 // by word in lower case; 1 for one that no text has
}

// NewIDF returns the ranking over texts.
func NewIDF(texts []string) *IDF {
	in := make(map[string]int)     // texts that have a word
	newest := make(map[string]int) // of these, 1 more than the index of the last
	for i, t := range texts {
		for _, w := range Words(t) {
			name := strings.ToLower(t[w[0]:w[1]])
			if newest[name] != i+1 {
				newest[name] = i + 1
				in[name]++
			}
		}
	}
	total := float64(len(texts))
	weight := func(n int) float64 {
		return math.Log(1+(total-float64(n)+0.5)/(float64(n)+0.5)) / math.Log(1+(total+0.5)/0.5)
	}
	x := &IDF{keep: make(map[string]float64, len(in))}
	for name, n := range in {
		x.keep[name] = weight(n) / 2
		if first, _ := utf8.DecodeRuneInString(name); kindOf(first) == inWord && !text.StopWord(name) {
			x.keep[name] += 0.5
		}
	}
	return x
}

// Classify implements [Classifier]. Each word is a token.
func (x *IDF) Classify(_ context.Context, texts []string) ([][]Token, error) {
	all := make([][]Token, len(texts))
	for i, t := range texts {
		words := Words(t)
		tokens := make([]Token, len(words))
		for k, w := range words {
			keep, ok := x.keep[t[w[0]:w[1]]]
			if !ok {
				keep, ok = x.keep[strings.ToLower(t[w[0]:w[1]])]
			}
			if !ok {
				keep = 1
			}
			tokens[k] = Token{w[0], w[1], keep}
		}
		all[i] = tokens
	}
	return all, nil
}
