package pruning

import (
	"context"
	"math"
	"strings"
	"unicode/utf8"

	"recallbench/internal/door/compress"
	"recallbench/internal/text/pytext"
)

// Frequencies rank words by their inverse document frequency over texts. They
// need no model; as a classifier they are called idf-prune.
//
// A word in lowercase, which here may contain single marks as "hasn't" and 3.5
// do, that occurs in n of N texts has the weight
//
//	idf = ln(1 + (N - n + 0.5) / (n + 0.5)) / ln(1 + (N + 0.5) / 0.5)
//
// from 0 to 1. Its probability is (1 + idf) / 2, and idf / 2 for a stop word, a mark
// or a symbol, so these go first, the most common before the others.
type Frequencies struct {
	keep map[string]float64 // by word in lowercase; 1 for one that no text has
}

// NewFrequencies returns the ranking over texts.
func NewFrequencies(texts []string) *Frequencies {
	in := make(map[string]int) // texts that have a word
	for _, t := range texts {
		seen := make(map[string]bool)
		for _, w := range whole(t) {
			seen[named(t[w[0]:w[1]])] = true
		}
		for name := range seen {
			in[name]++
		}
	}
	total := float64(len(texts))
	weight := func(n int) float64 {
		return math.Log(1+(total-float64(n)+0.5)/(float64(n)+0.5)) / math.Log(1+(total+0.5)/0.5)
	}
	x := &Frequencies{keep: make(map[string]float64, len(in))}
	for name, n := range in {
		x.keep[name] = weight(n) / 2
		if first, _ := utf8.DecodeRuneInString(name); !compress.Alone(first) && !pytext.StopWord(name) {
			x.keep[name] += 0.5
		}
	}
	return x
}

// named returns a word as it is looked up.
func named(w string) string { return strings.ReplaceAll(strings.ToLower(w), "’", "'") }

// joints are the marks that may occur inside a word or a number.
const joints = "'’-.,:/"

// whole returns the positions of the words of a text as [compress.Words] does, but with
// words joined by a single mark as one: without its end "hasn't" would say something
// else, and so would 3.5.
func whole(text string) [][2]int {
	words := compress.Words(text)
	n := 0
	for i := 0; i < len(words); i++ {
		w := words[i]
		for inside(text, w) && i+2 < len(words) &&
			words[i+1][0] == w[1] && words[i+2][0] == words[i+1][1] && inside(text, words[i+2]) &&
			strings.Contains(joints, text[words[i+1][0]:words[i+1][1]]) {
			w[1] = words[i+2][1]
			i += 2
		}
		words[n] = w
		n++
	}
	return words[:n]
}

// inside reports whether a word begins with a letter or a digit.
func inside(text string, w [2]int) bool {
	r, _ := utf8.DecodeRuneInString(text[w[0]:])
	return !compress.Alone(r)
}

// Classify implements [compress.Classifier].
func (x *Frequencies) Classify(_ context.Context, texts []string) ([][]compress.Word, error) {
	all := make([][]compress.Word, len(texts))
	for i, t := range texts {
		words := whole(t)
		all[i] = make([]compress.Word, len(words))
		for k, w := range words {
			keep, ok := x.keep[named(t[w[0]:w[1]])]
			if !ok {
				keep = 1
			}
			all[i][k] = compress.Word{Start: w[0], End: w[1], Keep: keep}
		}
	}
	return all, nil
}
