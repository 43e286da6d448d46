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
	type fact struct {
		sentences []Sentence
		text      string
		stems     []uint64
		score     float64
	}
	facts := make([]fact, min(summaryFacts, len(t.Facts)))
	names, lines := make(map[string]int), make(map[uint64]int)
	for i := range facts {
		if err := ctx.Err(); err != nil {
			return "", nil, err
		}
		sentences, err := r.analyser.Sentences(t.Facts[i], time.Time{})
		if err != nil {
			return "", nil, err
		}
		f := &facts[i]
		f.sentences, f.text = sentences, strings.TrimRight(strings.TrimSpace(clip(strings.ToValidUTF8(t.Facts[i], ""), longestFact)), ". ")
		for k := range sentences {
			f.stems = append(f.stems, stems(sentences[k].Words)...)
			if name := subject(&sentences[k]); k == 0 && name != "" {
				names[name]++
			}
		}
		for _, stem := range f.stems {
			lines[stem]++
		}
	}
	who := slices.SortedFunc(maps.Keys(names), func(a, b string) int { return cmp.Or(cmp.Compare(names[b], names[a]), cmp.Compare(a, b)) })
	about := newPhraser(voicesNamed(who))
	for i := range facts {
		f := &facts[i]
		about.read(f.sentences)
		for _, stem := range f.stems {
			f.score += float64(lines[stem]-1) / float64(len(f.stems)+4) // short ones say what is common less by chance
		}
	}
	slices.SortStableFunc(facts, func(a, b fact) int { return cmp.Compare(b.score, a.score) })
	text := list(who[:min(2, len(who))])
	if phrases := list(about.best(summaryPhrases)); text != "" && phrases != "" {
		text += ": " + phrases
	} else if text == "" {
		text = upperFirst(phrases)
	}
	var out []string
	words := 0
	for _, s := range append([]fact{{text: text}}, facts[:min(quotedFacts, len(facts))]...) {
		n := strings.Count(s.text, " ") + 1
		if s.text != "" && (words == 0 || words+n <= summaryWords) {
			words += n
			out = append(out, cut(s.text, summaryWords)+".")
		}
	}
	return strings.Join(out, " "), []string{"the commonest names and phrases, and the facts that share the most with the others"}, nil
}

// subject is the name that a fact begins with, empty where it does with none.
func subject(s *Sentence) string {
	w := &s.Words[0]
	if !w.Upper || w.Kind != Content || len(s.Words) < 2 || !w.noun() && !s.Words[1].finite() {
		return ""
	}
	return s.Text[w.Start:w.End]
}
