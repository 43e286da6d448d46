package metrics

import (
	"slices"

	"recallbench/internal/text/pytext"
)

// maxContent is the largest number of content words with which a gold answer is
// matched against blocks. The longest gold answer of LoCoMo has half as many.
const maxContent = 64

// contentWords returns the distinct words of a gold answer that are not stop
// words, cut as for [F1Mem0]. Metrics that match blocks with them are undefined
// for an abstention and for a gold answer without such words or with more than
// maxContent.
func contentWords(i Item) ([]string, bool) {
	if i.Abstain {
		return nil, false
	}
	words := distinct(simpleWords.Append(nil, pytext.Lower(i.Gold)))
	words = slices.DeleteFunc(words, pytext.StopWord)
	return words, len(words) > 0 && len(words) <= maxContent
}

// hits returns the set of words that occur in a block's text, one bit each in
// their order. The text is cut as for [F1Mem0] and whole words are compared.
func hits(words []string, block string) uint64 {
	var buf [512]string
	var found uint64
	for _, t := range simpleWords.Append(buf[:0], pytext.Lower(block)) {
		for i, w := range words {
			if t == w {
				found |= 1 << i
			}
		}
	}
	return found
}
