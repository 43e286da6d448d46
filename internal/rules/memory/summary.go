package memory

import (
	"cmp"
	"context"
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

// A fact is one that a summary is made of.
type fact struct {
	text  string
	stems []uint64
	score float64
	order int
}

// summary says what facts have in common: of whom they are, their commonest
// phrases, and the facts that share the most with the others.
func (r *Rules) summary(ctx context.Context, t llm.SummaryTask) (string, []string, error) {
	read := make([][]Sentence, min(summaryFacts, len(t.Facts)))
	names := make(map[string]int)
	for i := range read {
		if err := ctx.Err(); err != nil {
			return "", nil, err
		}
		sentences, err := r.analyser.Sentences(t.Facts[i], time.Time{})
		if err != nil {
			return "", nil, err
		}
		if len(sentences) > 0 {
			if name := subject(&sentences[0]); name != "" {
				names[name]++
			}
		}
		read[i] = sentences
	}
	p := newPhraser(voicesNamed(names))
	facts := make([]fact, len(read))
	lines := make(map[uint64]int)
	for i, sentences := range read {
		f := &facts[i]
		f.text, f.order = strings.TrimRight(strings.TrimSpace(clip(strings.ToValidUTF8(t.Facts[i], ""), longestFact)), ". "), i
		for k := range sentences {
			f.stems = append(f.stems, stemsOf(sentences[k].Words)...)
		}
		p.read(sentences)
		for _, stem := range f.stems {
			lines[stem]++
		}
	}
	about := p.best(summaryPhrases)
	var b strings.Builder
	if who := list(commonest(names, 2)); who != "" {
		b.WriteString(who)
		if len(about) > 0 {
			b.WriteString(": " + list(about))
		}
	} else {
		b.WriteString(upperFirst(list(about)))
	}
	if b.Len() > 0 {
		b.WriteByte('.')
	}
	for i := range facts {
		f := &facts[i]
		for _, stem := range f.stems {
			f.score += float64(lines[stem] - 1)
		}
		f.score /= float64(len(f.stems) + 4) // short ones say what is common less by chance
	}
	slices.SortStableFunc(facts, func(a, b fact) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.order, b.order))
	})
	words := strings.Count(b.String(), " ") + 1
	for _, f := range facts[:min(quotedFacts, len(facts))] {
		n := strings.Count(f.text, " ") + 1
		if words+n > summaryWords && words > 1 || f.text == "" {
			continue
		}
		words += n
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(cut(f.text, summaryWords) + ".")
	}
	return b.String(), []string{"the commonest names and phrases, and the facts that share the most with the others"}, nil
}

// subject is the name that a fact begins with, empty where it does with none.
func subject(s *Sentence) string {
	w := &s.Words[0]
	if !w.Upper || w.Kind != Content || len(s.Words) < 2 || !(w.noun() || s.Words[1].finite() || s.Words[1].Low == "'s") {
		return ""
	}
	return s.Text[w.Start:w.End]
}

// commonest returns the n names that are counted most often.
func commonest(names map[string]int, n int) []string {
	all := make([]string, 0, len(names))
	for name := range names {
		all = append(all, name)
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(names[b], names[a]), cmp.Compare(a, b)) })
	return all[:min(n, len(all))]
}

// voicesNamed makes voices of the names that facts begin with.
func voicesNamed(names map[string]int) *voices {
	v := &voices{names: commonest(names, maxVoices)}
	for _, name := range v.names {
		v.low = append(v.low, strings.ToLower(name))
	}
	return v
}
