// Package relevance scores how far texts meet conditions: the scorers of
// semantic queries over the doors to models.
//
// The paper has two: [NewSimilarity], by the cosine of embeddings, and
// [Entailment], by the probability that the text entails a sentence about the
// condition. [Model] asks a language model. All are safe for concurrent use, ask
// for each distinct pair once, and refuse a score that is not from 0 to 1.
package relevance

import (
	"fmt"
	"strings"

	"recallbench/internal/engine/semxpath"
)

// checked returns the error of a score that is out of range.
func checked(p semxpath.Pair, score float64) error {
	if score >= 0 && score <= 1 {
		return nil
	}
	return fmt.Errorf("the score of %s for %q is %v, want 0 to 1", brief(p.Text), p.Condition, score)
}

// distinct returns the pairs without doubles, and for each pair its place among
// them.
func distinct(pairs []semxpath.Pair) (once []semxpath.Pair, place []int) {
	at := make(map[semxpath.Pair]int, len(pairs))
	place = make([]int, len(pairs))
	for i, p := range pairs {
		j, ok := at[p]
		if !ok {
			j = len(once)
			at[p] = j
			once = append(once, p)
		}
		place[i] = j
	}
	return once, place
}

// maxBrief is how much of a text a message quotes, in bytes.
const maxBrief = 120

// brief quotes a text for a message.
func brief(text string) string {
	if len(text) > maxBrief {
		return fmt.Sprintf("%q...", strings.ToValidUTF8(text[:maxBrief], ""))
	}
	return fmt.Sprintf("%q", text)
}
