package reader

import (
	"time"

	"recallbench/internal/rules/memory"
)

// memoryKinds translates the classes of words.
var memoryKinds = [...]memory.Kind{content: memory.Content, function: memory.Function, filler: memory.Filler}

// Sentences implements [memory.Analyser] with the analyses that answers
// are found in.
func (a *Analyser) Sentences(text string, at time.Time) ([]memory.Sentence, error) {
	u := a.line(text, at)
	n := 0
	for i := range u.sentences {
		n += len(u.sentences[i].words)
	}
	out := make([]memory.Sentence, len(u.sentences))
	words := make([]memory.Word, 0, n)
	for i := range u.sentences {
		s := &u.sentences[i]
		from := len(words)
		for k := range s.words {
			w := &s.words[k]
			kind := memoryKinds[w.class]
			if w.punct {
				kind = memory.Mark
			}
			words = append(words, memory.Word{
				Start: w.start, End: w.end, Low: w.low, Stem: w.stem, Tag: w.tag, Kind: kind, Upper: w.upper,
			})
		}
		out[i] = memory.Sentence{
			Text: u.text, Words: words[from:len(words):len(words)], Remark: s.image, Question: s.question, Times: s.exprs,
		}
	}
	return out, nil
}
