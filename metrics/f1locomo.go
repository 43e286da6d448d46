package metrics

import (
	"strings"
	"unicode"

	"recallbench/internal/text/pytext"
)

// F1LoCoMo returns the score of LoCoMo's own scorer for a prediction, in [0,
// 1]; higher is better. It depends on the question's category, given by its id
// in LoCoMo's data:
//
//   - "1", multi-hop: prediction and gold are split at commas; the score is the
//     mean over the gold's parts of the best F1 that any part of the prediction
//     reaches. An empty part scores 0.
//   - "3", open-domain: the gold is cut at its first semicolon.
//   - "5", adversarial: 1 if the prediction contains "no information available"
//     or "not mentioned", in any case, else 0, whatever the gold.
//   - any other: the F1.
//
// The F1 is the harmonic mean of n/|pred| and n/|gold|, where n is the size of
// the intersection of the words as multisets, and 0 for n = 0. Words are
// separated by white space, in lowercase, without ASCII punctuation (which
// leaves no space) and without a, an, the, and; their stems are compared
// ([pytext.Stem]). The F1 is symmetric.
//
// It follows task_eval/evaluation.py of snap-research/locomo, except that the
// script fails for a category outside 1 to 5, which gets the plain F1 here.
func F1LoCoMo(pred, gold, category string) float64 {
	switch category {
	case "1":
		return bestParts(pred, gold)
	case "3":
		gold, _, _ = strings.Cut(gold, ";")
	case "5":
		return abstains(pred)
	}
	var p, g [stack]string
	return stemF1(appendLoCoMo(p[:0], pred), appendLoCoMo(g[:0], gold))
}

func stemF1(pred, gold []string) float64 { return f1(overlap(pred, gold), len(pred), len(gold)) }

func bestParts(pred, gold string) float64 {
	var words [stack]string
	var counts [16]int
	all, ends := words[:0], counts[:0] // the words of all parts of pred, and where each part ends
	for part := range strings.SplitSeq(pred, ",") {
		all = appendLoCoMo(all, part)
		ends = append(ends, len(all))
	}
	sum, n := 0.0, 0
	for part := range strings.SplitSeq(gold, ",") {
		var buf [stack]string
		g := appendLoCoMo(buf[:0], part)
		best, start := 0.0, 0
		for _, end := range ends {
			best = max(best, stemF1(all[start:end], g))
			start = end
		}
		sum += best
		n++
	}
	return sum / float64(n)
}

func abstains(pred string) float64 {
	pred = pytext.Lower(pred)
	if strings.Contains(pred, "no information available") || strings.Contains(pred, "not mentioned") {
		return 1
	}
	return 0
}

var locomoWords = normalizer{
	articles: []string{"a", "an", "the", "and"},
	// The scorer finds articles with the module regex, to which marks and
	// joiners are parts of words, and numbers that are not letters or digits
	// are not.
	isWord: func(r rune) bool {
		return unicode.In(r, unicode.L, unicode.Other_Alphabetic, unicode.M, unicode.Nd, unicode.Nl, unicode.Pc, unicode.Join_Control)
	},
}

func appendLoCoMo(dst []string, s string) []string {
	if strings.Contains(s, "Σ") {
		// The scorer drops commas before all else. It shows in this letter
		// alone, which is another one in lowercase where it ends a word.
		s = strings.ReplaceAll(s, ",", "")
	}
	start := len(dst)
	dst = locomoWords.append(dst, s)
	for i, w := range dst[start:] {
		dst[start+i] = pytext.Stem(w)
	}
	return dst
}

// F1LoCoMoSpec is the metric of [F1LoCoMo]. An item whose right answer is an
// abstention is scored as category 5, whatever its category.
var F1LoCoMoSpec = ofItem(Spec{
	Name:    "f1@locomo",
	Doc:     "F1 of word stems, with LoCoMo's rule for each category",
	Source:  "LoCoMo (Maharana et al., 2024): task_eval/evaluation.py",
	Columns: []Column{{Name: "f1@locomo", Scale: 100, Digits: 2, FallsWithLength: true}},
	// 2 and 4 have the plain F1.
	Categories: []string{"1", "2", "3", "4", "5"},
}, func(i Item) Value {
	switch {
	case i.Failed:
		return Def(0)
	case i.Abstain:
		return Def(abstains(i.Prediction))
	}
	return Def(F1LoCoMo(i.Prediction, i.Gold, i.Category))
})
