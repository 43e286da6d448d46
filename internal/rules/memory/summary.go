package memory

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"recallbench/internal/door/llm"
)

const (
	summaryWords   = 60
	summaryPhrases = 4
	summaryFacts   = 400 // that are read
	quotedFacts    = 3
	longestFact    = 600 // bytes
)

// summary says what facts have in common: of whom they are, their commonest
// phrases, and the facts that share the most words with the others.
func (r *Rules) summary(ctx context.Context, t llm.SummaryTask) (string, []string, error) {
	texts := t.Facts[:min(summaryFacts, len(t.Facts))]
	facts := make([]told, len(texts))
	read := make([][]Sentence, len(texts))
	names, lines := make(map[string]int), make(map[uint64]int)
	for i, text := range texts {
		sentences, err := r.analyser.Sentences(text, time.Time{})
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return "", nil, err
		}
		read[i] = sentences
		facts[i].text = strings.TrimRight(strings.TrimSpace(clip(strings.ToValidUTF8(text, ""), longestFact)), ". ")
		for k := range sentences {
			s := &sentences[k]
			facts[i].stems = append(facts[i].stems, stems(s.Words)...)
			if w := &s.Words[0]; k == 0 && w.Upper && w.Kind == Content && w.noun() { // the name that a fact begins with
				names[s.Text[w.Start:w.End]]++
			}
		}
		for _, stem := range facts[i].stems {
			lines[stem]++
		}
	}
	who := slices.SortedFunc(maps.Keys(names), func(a, b string) int { return cmp.Or(cmp.Compare(names[b], names[a]), cmp.Compare(a, b)) })
	phrases := newPhraser(voicesNamed(who))
	for i := range facts {
		phrases.read(read[i])
		for _, stem := range facts[i].stems {
			facts[i].weight += float64(lines[stem]-1) / float64(len(facts[i].stems)+4) // short ones say what is common less by chance
		}
	}
	slices.SortStableFunc(facts, func(a, b told) int { return cmp.Compare(b.weight, a.weight) })
	text, about := list(who[:min(2, len(who))]), list(phrases.best(summaryPhrases))
	if text != "" && about != "" {
		text += ": "
	}
	out, words := []string{}, 0
	for _, s := range append([]told{{text: upperFirst(text + about)}}, facts[:min(quotedFacts, len(facts))]...) {
		if s.text != "" && (words == 0 || words+s.words() <= summaryWords) {
			words += s.words()
			out = append(out, cut(s.text, summaryWords)+".")
		}
	}
	return strings.Join(out, " "), []string{"the commonest names and phrases, and the facts that share the most with the others"}, nil
}
