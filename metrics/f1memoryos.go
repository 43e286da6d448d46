package metrics

import "recallbench/internal/text/pytext"

// F1MemoryOS returns the F1 of the word sets of a prediction and a gold answer, as
// [F1Mem0] does, but its words are the longest runs of word characters (\w of
// Python's re: letters, numbers, underscore) of the text in lowercase. Hyphens,
// apostrophes and quotes separate words.
//
// It follows eval/evalution_loco.py of MemoryOS. That script also scores the
// questions of category 5, against the tempting wrong answer, and so rewards
// giving it; here they are undefined.
func F1MemoryOS(pred, gold string) float64 {
	var p, g [stack]string
	return setF1(wordRuns.Append(p[:0], pytext.Lower(pred)), wordRuns.Append(g[:0], pytext.Lower(gold)))
}

var wordRuns = pytext.Separator(func(r rune) bool { return !pytext.IsWord(r) })

// F1MemoryOSSpec is the metric of [F1MemoryOS].
var F1MemoryOSSpec = overlapOf(Spec{
	Name:   "f1@memoryos",
	Doc:    `F1 of the sets of words that match \w+`,
	Source: "MemoryOS: eval/evalution_loco.py",
}, F1MemoryOS)
