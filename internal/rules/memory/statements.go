package memory

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"recallbench/internal/door/llm"
)

const (
	leastStated   = 3.5 // the weight from which on a sentence is a fact to keep
	statedWords   = 34  // longer ones are cut
	maxStatements = 200
	covered       = 0.8 // share of a statement's words in a predicted sentence that makes it known
	leastKept     = 2   // statements of an episode, and one for two messages on top, the weightiest
	maxPredicted  = 64  // sentences of a prediction that are looked at
)

// statements lists the lasting facts: from lines, or from an episode's content.
func (r *Rules) statements(ctx context.Context, t llm.StatementsTask) (llm.Statements, []string, error) {
	var all []told
	if len(t.Lines) > 0 {
		tale, err := r.retell(ctx, t.Lines)
		if err != nil {
			return llm.Statements{}, nil, err
		}
		all = tale.out
	} else {
		sentences, err := r.analyser.Sentences(t.Content, t.Time)
		if err != nil {
			return llm.Statements{}, nil, err
		}
		all = asTold(sentences, t.Title)
	}
	known, err := r.analyser.Sentences(t.Prediction, time.Time{})
	if err != nil {
		return llm.Statements{}, nil, err
	}
	known = known[:min(maxPredicted, len(known))]
	out := llm.Statements{Statements: []string{}}
	seen := make(map[string]bool)
	weak, old, least := 0, 0, leastStated
	if n := leastKept + len(t.Lines)/2; len(t.Lines) > 0 && n < len(all) {
		weightiest := slices.SortedFunc(slices.Values(all), func(a, b told) int { return cmp.Compare(b.weight, a.weight) })
		least = max(least, math.Nextafter(weightiest[n].weight, math.Inf(1)))
	}
	for _, s := range all {
		switch {
		case len(out.Statements) == maxStatements:
		case s.weight < least:
			weak++
		case seen[s.text] || isKnown(s.stems, known):
			old++
		default:
			seen[s.text] = true
			out.Statements = append(out.Statements, cut(s.text, statedWords)+".")
		}
	}
	return out, []string{fmt.Sprintf("of %d clauses %d say too little and %d are known", len(all), weak, old)}, nil
}

// asTold takes the sentences of a content that is in the third person already.
// The sentence that only repeats the title is left out.
func asTold(sentences []Sentence, title string) []told {
	var out []told
	for i := range sentences {
		s := &sentences[i]
		t := told{text: s.source()}
		if s.Question || title != "" && strings.HasSuffix(t.text, title) {
			continue
		}
		t.stems, t.weight = clause{s, 0, len(s.Words)}.weigh(new(voices))
		t.weight += when(backward[s.Words[0].Low], backwardWeight)
		out = append(out, t)
	}
	return out
}

// isKnown reports whether a predicted sentence has nearly all words that inform.
func isKnown(informing []uint64, known []Sentence) bool {
	return slices.ContainsFunc(known, func(s Sentence) bool {
		n := 0
		for _, stem := range informing {
			if slices.ContainsFunc(s.Words, func(w Word) bool { return w.Stem == stem }) {
				n++
			}
		}
		return float64(n) >= covered*float64(len(informing))
	})
}

// cut leaves out what stands behind the last comma or joint among the first n
// words, where a text has more.
func cut(text string, n int) string {
	words := strings.Split(text, " ")
	if len(words) <= n {
		return text
	}
	for i := n; i > n/2; i-- {
		if strings.ContainsAny(words[i-1], ",;") || words[i] == "and" || words[i] == "but" {
			n = i
			break
		}
	}
	return strings.TrimRight(strings.Join(words[:n], " "), " ,;")
}
