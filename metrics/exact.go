package metrics

import (
	"slices"

	"recallbench/internal/text/pytext"
)

// ExactMatch returns 1 if a prediction and the gold answer are the same words
// in the same order, else 0. Words are what white space separates in the text
// in lower case, without ASCII punctuation (it leaves no space) and without a,
// an, the. Two texts without words are the same.
//
// It follows the normalisation of the SQuAD 1.1 evaluation script (Rajpurkar
// et al., 2016). A-Mem's exact match compares the texts in lower case and
// nothing more, so it is never higher.
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
	Doc:     "same words in the same order, SQuAD's normalisation",
	Source:  "SQuAD 1.1 evaluation script",
	Columns: []Column{{Name: "exact-match", Scale: 100, Digits: 2, Binary: true}},
}, ExactMatch)
