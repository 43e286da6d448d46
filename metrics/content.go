package metrics

import (
	"slices"
	"strings"

	"recallbench/internal/text"
)

// maxContent is the number of content words up to which blocks are matched
// with a gold answer. The longest gold of LoCoMo has half as many.
const maxContent = 64

// contentWords returns the distinct words of a gold answer that are not stop
// words, cut as for [F1Mem0]. Metrics that match blocks with them are
// undefined for a gold that has none, or more than maxContent, and for an
// abstention.
func contentWords(i Item) ([]string, bool) {
	if i.Abstain {
		return nil, false
	}
	words := distinct(simpleWords.Append(nil, text.Lower(i.Gold)))
	words = slices.DeleteFunc(words, func(w string) bool { return stopWords[w] })
	return words, len(words) > 0 && len(words) <= maxContent
}

// hits returns the set of words that stand in a block's text, bit by bit in
// their order. The text is cut as for [F1Mem0] and whole words are compared.
func hits(words []string, block string) uint64 {
	var buf [512]string
	var found uint64
	for _, t := range simpleWords.Append(buf[:0], text.Lower(block)) {
		for i, w := range words {
			if t == w {
				found |= 1 << i
			}
		}
	}
	return found
}

// stopWords are the 179 English stop words of NLTK's corpus as it was until
// 2024: the list that the phrase "stop words" most likely means in the papers.
var stopWords = func() map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(`
		i me my myself we our ours ourselves you you're you've you'll you'd your yours yourself yourselves
		he him his himself she she's her hers herself it it's its itself they them their theirs themselves
		what which who whom this that that'll these those
		am is are was were be been being have has had having do does did doing
		a an the and but if or because as until while
		of at by for with about against between into through during before after above below
		to from up down in out on off over under again further then once here there when where why how
		all any both each few more most other some such no nor not only own same so than too very
		s t can will just don don't should should've now d ll m o re ve y
		ain aren aren't couldn couldn't didn didn't doesn doesn't hadn hadn't hasn hasn't haven haven't
		isn isn't ma mightn mightn't mustn mustn't needn needn't shan shan't shouldn shouldn't
		wasn wasn't weren weren't won won't wouldn wouldn't`) {
		m[w] = true
	}
	return m
}()
