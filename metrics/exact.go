package metrics

import (
	"slices"

	"recallbench/internal/text/pytext"
)

// ExactMatch returns 1 if a prediction and the gold answer have the same words
// in the same order, else 0. Words are separated by white space, in lowercase,
// without ASCII punctuation (which leaves no space) and without a, an, the. Two
// texts without words are the same.
//
// It follows the normalisation of the SQuAD 1.1 evaluation script (Rajpurkar et
// al., 2016). A-Mem's exact match only compares the texts in lowercase, so it
// is never higher.
func ExactMatch(pred, gold string) float64 {
	var p, g [stack]string
	if slices.Equal(squadWords.append(p[:0], pred), squadWords.append(g[:0], gold)) {
		return 1
	}
	return 0
}

var squadWords = normalizer{articles: []string{"a", "an", "the"}, isWord: pytext.IsWord}

// ExactMatchSpec is the metric of [ExactMatch].
var ExactMatchSpec = overlapOf(Spec{
	Name:    "exact-match",
	Doc:     "same words in the same order after SQuAD's normalization",
	Source:  "SQuAD 1.1 evaluation script",
	Columns: []Column{{Name: "exact-match", Scale: 100, Digits: 2, Binary: true}},
}, ExactMatch)
