package metrics

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"recallbench/internal/calc/lists"
	"recallbench/internal/text/pytext"
)

// The metrics of functions of a whole prediction and its gold answer: ratios in [0, 1]
// that fall with length, undefined where the right answer is an abstention, and 0 for a
// question that failed.
var (
	// F1Mem0Spec is the metric of [F1Mem0].
	F1Mem0Spec = overlapOf(Column{Name: "f1@mem0"}, Spec{
		Doc:    "F1 of word sets, split at . , ! ? and white space",
		Source: "A-Mem, mem0, Nemori, xMemory: metrics/utils.py",
	}, F1Mem0)
	// F1MemoryOSSpec is the metric of [F1MemoryOS].
	F1MemoryOSSpec = overlapOf(Column{Name: "f1@memoryos"}, Spec{
		Doc:    `F1 of the sets of words that match \w+`,
		Source: "MemoryOS: eval/evalution_loco.py",
	}, F1MemoryOS)
	// BLEU1Spec is the metric of [BLEU1].
	BLEU1Spec = overlapOf(Column{Name: "bleu1@nltk"}, Spec{
		Doc:    "unigram BLEU with brevity penalty",
		Source: "NLTK 3.9.1 and 3.9.2: sentence_bleu, word_tokenize",
	}, BLEU1)
	// RougeLSpec is the metric of [RougeL].
	RougeLSpec = overlapOf(Column{Name: "rouge-l@rouge_score"}, Spec{
		Doc:    "F of the longest common subsequence of stems",
		Source: "google-research rouge_score 0.1.2: rougeL, use_stemmer=True",
	}, RougeL)
	// ExactMatchSpec is the metric of [ExactMatch].
	ExactMatchSpec = overlapOf(Column{Name: "exact-match", Binary: true}, Spec{
		Doc:    "same words in the same order after SQuAD's normalization",
		Source: "SQuAD 1.1 evaluation script",
	}, ExactMatch)
)

// overlapOf makes a metric of a function of two texts.
func overlapOf(c Column, s Spec, score func(pred, gold string) float64) *Spec {
	c.Scale, c.Digits, c.FallsWithLength = 100, 2, true
	return ofItem(c, s, func(i Item) Value {
		switch {
		case i.Abstain:
			return Value{}
		case i.Failed:
			return Def(0)
		}
		return Def(score(i.Prediction, i.Gold))
	})
}

// F1LoCoMoSpec is the metric of [F1LoCoMo]. An item whose right answer is an
// abstention is scored as category 5, whatever its category.
var F1LoCoMoSpec = ofItem(Column{Name: "f1@locomo", Scale: 100, Digits: 2, FallsWithLength: true}, Spec{
	Doc:    "F1 of word stems, with LoCoMo's rule for each category",
	Source: "LoCoMo (Maharana et al., 2024): task_eval/evaluation.py",
	// 2 and 4 have the plain F1.
	Categories: []string{"1", "2", "3", "4", "5"},
}, func(i Item) Value {
	switch {
	case i.Failed:
		return Def(0)
	case i.Abstain:
		return Def(F1LoCoMo(i.Prediction, "", "5"))
	}
	return Def(F1LoCoMo(i.Prediction, i.Gold, i.Category))
})

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
func F1Mem0(pred, gold string) float64 { return setF1(simpleWords, pred, gold) }

var simpleWords = pytext.Separator(func(r rune) bool {
	return pytext.IsSpace(r) || strings.ContainsRune(".,!?", r)
})

// ContainsWords reports whether the prediction has each word of a gold answer, cut as by
// [F1Mem0]; it is false for a gold answer without words.
func ContainsWords(pred, gold string) bool {
	have := simpleWords.Append(nil, pytext.Lower(pred))
	words := simpleWords.Append(nil, pytext.Lower(gold))
	return len(words) > 0 && containsAll(have, words)
}

// F1MemoryOS returns the F1 of the word sets of a prediction and a gold answer, as
// [F1Mem0] does, but its words are the longest runs of word characters (\w of
// Python's re: letters, numbers, underscore) of the text in lowercase. Hyphens,
// apostrophes and quotes separate words.
//
// It follows eval/evalution_loco.py of MemoryOS. That script also scores the
// questions of category 5, against the tempting wrong answer, and so rewards
// giving it; here they are undefined.
func F1MemoryOS(pred, gold string) float64 { return setF1(wordRuns, pred, gold) }

var wordRuns = pytext.Separator(func(r rune) bool { return !pytext.IsWord(r) })

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
	candidate := pytext.AppendWords(nil, pytext.Lower(pred))
	reference := pytext.AppendWords(nil, pytext.Lower(gold))
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
	a, b := pytext.AppendRouge(nil, pred), pytext.AppendRouge(nil, gold)
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

// ExactMatch returns 1 if a prediction and the gold answer have the same words
// in the same order, else 0. Words are separated by white space, in lowercase,
// without ASCII punctuation (which leaves no space) and without a, an, the. Two
// texts without words are the same.
//
// It follows the normalisation of the SQuAD 1.1 evaluation script (Rajpurkar et
// al., 2016). A-Mem's exact match only compares the texts in lowercase, so it
// is never higher.
func ExactMatch(pred, gold string) float64 {
	return holds(slices.Equal(squadWords.split(pred), squadWords.split(gold))).X
}

var squadWords = normalizer{articles: []string{"a", "an", "the"}, isWord: pytext.IsWord}

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
	said, told := []string{pred}, []string{gold}
	switch category {
	case "1":
		said, told = strings.Split(pred, ","), strings.Split(gold, ",")
	case "3":
		told[0], _, _ = strings.Cut(gold, ";")
	case "5":
		pred = pytext.Lower(pred)
		return holds(strings.Contains(pred, "no information available") || strings.Contains(pred, "not mentioned")).X
	}
	parts := lists.Map(said, locomoStems)
	sum := 0.0
	for _, part := range told {
		want, best := locomoStems(part), 0.0
		for _, have := range parts {
			best = max(best, f1(overlap(have, want), len(have), len(want)))
		}
		sum += best
	}
	return sum / float64(len(told))
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

// locomoStems returns the stems of the words of a text.
func locomoStems(s string) []string {
	if strings.Contains(s, "Σ") {
		// The scorer drops commas before all else. It shows in this letter
		// alone, which is another one in lowercase where it ends a word.
		s = strings.ReplaceAll(s, ",", "")
	}
	return lists.Map(locomoWords.split(s), pytext.Stem)
}

// A normalizer splits an answer into words as scorers derived from SQuAD's do:
// lowercase, without ASCII punctuation, without articles, split at white space.
type normalizer struct {
	articles []string
	// isWord reports which characters next to an article make it a part of a longer word.
	isWord func(rune) bool
}

// punctuation is Python's string.punctuation.
const punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

// split returns the words of a text, with white space in place of articles that stand
// between characters of other words.
func (n *normalizer) split(s string) []string {
	s = strings.Map(func(r rune) rune {
		if strings.ContainsRune(punctuation, r) {
			return -1
		}
		return r
	}, pytext.Lower(s))
	var b strings.Builder
	for s != "" {
		end := strings.IndexFunc(s, func(r rune) bool { return !n.isWord(r) })
		if end < 0 {
			end = len(s)
		}
		if slices.Contains(n.articles, s[:end]) {
			b.WriteByte(' ')
		} else {
			b.WriteString(s[:end])
		}
		_, size := utf8.DecodeRuneInString(s[end:])
		b.WriteString(s[end : end+size])
		s = s[end+size:]
	}
	return pytext.AppendFields(nil, b.String())
}

// overlap returns the size of the intersection of a and b as multisets.
func overlap(a, b []string) int {
	left := make(map[string]int, len(a))
	for _, t := range a {
		left[t]++
	}
	n := 0
	for _, t := range b {
		if left[t] > 0 {
			left[t]--
			n++
		}
	}
	return n
}

// distinct sorts tokens in place and removes repeated ones.
func distinct(tokens []string) []string {
	slices.Sort(tokens)
	return slices.Compact(tokens)
}

// f1 returns the harmonic mean of precision n/pred and recall n/gold; 0 where
// nothing is in common.
func f1(n, pred, gold int) float64 {
	if n == 0 {
		return 0
	}
	p, r := float64(n)/float64(pred), float64(n)/float64(gold)
	return 2 * p * r / (p + r)
}

// setF1 returns the F1 of the sets of words of two texts in lowercase.
func setF1(cut pytext.Separator, pred, gold string) float64 {
	p, g := distinct(cut.Append(nil, pytext.Lower(pred))), distinct(cut.Append(nil, pytext.Lower(gold)))
	return f1(overlap(p, g), len(p), len(g))
}
