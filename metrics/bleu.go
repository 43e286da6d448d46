package metrics

import (
	"math"

	"recallbench/internal/text/pytext"
)

// BLEU1 returns the sentence BLEU of a prediction with unigrams only and the
// gold answer as the single reference:
//
//	BLEU-1 = BP · n / c,  BP = 1 if c > r, else exp(1 - r/c)
//
// where c and r are the numbers of tokens of prediction and gold, and n is the
// size of their intersection as multisets (clipped counts). Tokens are NLTK's
// ([pytext.AppendWords]) of the text in lowercase. BLEU-1 is a ratio in [0, 1],
// higher is better; it is 0 if no token is shared, and therefore for an empty
// prediction or gold.
//
// It follows NLTK 3.9.1 and 3.9.2: sentence_bleu with weights (1, 0, 0, 0), for
// which smoothing makes no difference, on word_tokenize (Papineni et al.,
// 2002). The scripts of mem0 and xMemory strip white space around the texts
// first, which matters only for a text that starts with it and a quote.
func BLEU1(pred, gold string) float64 {
	var p, g [stack]string
	candidate := pytext.AppendWords(p[:0], pytext.Lower(pred))
	reference := pytext.AppendWords(g[:0], pytext.Lower(gold))
	n := overlap(candidate, reference)
	if n == 0 {
		return 0
	}
	c, r := float64(len(candidate)), float64(len(reference))
	brevity := 1.0
	if c <= r {
		brevity = math.Exp(1 - r/c)
	}
	return brevity * float64(n) / c
}

// BLEU1Spec is the metric of [BLEU1].
var BLEU1Spec = overlapOf(Spec{
	Name:   "bleu1@nltk",
	Doc:    "unigram BLEU with brevity penalty",
	Source: "NLTK 3.9.1 and 3.9.2: sentence_bleu, word_tokenize",
}, BLEU1)
