package metrics

import "recallbench/internal/text/pytext"

// RougeL returns the F-measure of the longest common subsequence of the tokens
// of a prediction and a gold answer:
//
//	P = LCS / |pred|,  R = LCS / |gold|,  F = 2PR / (P + R)
//
// Tokens are those of rouge_score with its stemmer on ([pytext.AppendRouge]). F is a
// ratio in [0, 1], higher is better, and symmetric. If either side has no tokens it
// is 0.
//
// It follows Google's rouge_score 0.1.2 (Lin, 2004): rougeL, not rougeLsum, so
// line breaks do not matter.
func RougeL(pred, gold string) float64 {
	var p, g [stack]string
	a, b := pytext.AppendRouge(p[:0], pred), pytext.AppendRouge(g[:0], gold)
	return f1(lcs(a, b), len(a), len(b))
}

// lcs returns the length of the longest common subsequence of a and b.
func lcs(a, b []string) int {
	row := make([]int, len(b)+1) // row[j+1]: of the part of a seen and b[:j+1]
	for _, t := range a {
		diagonal := 0
		for j, u := range b {
			above := row[j+1]
			if t == u {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

// RougeLSpec is the metric of [RougeL].
var RougeLSpec = overlapOf(Spec{
	Name:   "rouge-l@rouge_score",
	Doc:    "F of the longest common subsequence of stems",
	Source: "google-research rouge_score 0.1.2: rougeL, use_stemmer=True",
}, RougeL)
