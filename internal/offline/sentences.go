package offline

import (
	"time"

	"recallbench/internal/memoryrules"
)

// memoryKinds translates the classes of words.
var memoryKinds = [...]memoryrules.Kind{content: memoryrules.Content, function: memoryrules.Function, filler: memoryrules.Filler}

// Sentences implements [memoryrules.Analyser] with the analyses that answers
// are found in.
func (a *analyser) Sentences(text string, at time.Time) ([]memoryrules.Sentence, error) {
	u, err := a.line(text, at)
	if err != nil {
		return nil, err
	}
	n := 0
	for i := range u.sentences {
		n += len(u.sentences[i].words)
	}
	out := make([]memoryrules.Sentence, len(u.sentences))
	words := make([]memoryrules.Word, 0, n)
	for i := range u.sentences {
		s := &u.sentences[i]
		from := len(words)
		for k := range s.words {
			w := &s.words[k]
			kind := memoryKinds[w.class]
			if w.punct {
				kind = memoryrules.Mark
			}
			words = append(words, memoryrules.Word{
				Start: w.start, End: w.end, Low: w.low, Stem: w.stem, Tag: w.tag, Kind: kind, Upper: w.upper,
			})
		}
		out[i] = memoryrules.Sentence{
			Text: u.text, Words: words[from:len(words):len(words)], Remark: s.image, Question: s.question, Times: s.exprs,
		}
	}
	return out, nil
}
