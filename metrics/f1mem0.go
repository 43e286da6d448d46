package metrics

import (
	"slices"
	"strings"

	"recallbench/internal/text/pytext"
)

// F1Mem0 returns the F1 of the word sets of a prediction and a gold answer:
//
//	P = |pred ∩ gold| / |pred|,  R = |pred ∩ gold| / |gold|,  F1 = 2PR / (P + R)
//
// Words are separated by white space and the marks . , ! ? in the text in
// lowercase; other punctuation stays in its word, and repetitions do not count.
// F1 is a ratio in [0, 1], higher is better, and symmetric. If either side has
// no words it is 0.
//
// It follows metrics/utils.py of A-Mem, as mem0, Nemori and xMemory use it.
func F1Mem0(pred, gold string) float64 {
	var p, g [stack]string
	return setF1(simpleWords.Append(p[:0], pytext.Lower(pred)), simpleWords.Append(g[:0], pytext.Lower(gold)))
}

var simpleWords = pytext.Separator(func(r rune) bool {
	return pytext.IsSpace(r) || strings.ContainsRune(".,!?", r)
})

// ContainsWords reports whether the prediction has each word of a gold answer, cut as by
// [F1Mem0]; it is false for a gold answer without words.
func ContainsWords(pred, gold string) bool {
	have := simpleWords.Append(nil, pytext.Lower(pred))
	words := simpleWords.Append(nil, pytext.Lower(gold))
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(have, w) })
}

// F1Mem0Spec is the metric of [F1Mem0].
var F1Mem0Spec = overlapOf(Spec{
	Name:   "f1@mem0",
	Doc:    "F1 of word sets, split at . , ! ? and white space",
	Source: "A-Mem, mem0, Nemori, xMemory: metrics/utils.py",
}, F1Mem0)
