package memory

import (
	"context"
	"fmt"

	"recallbench/internal/door/llm"
)

const (
	leastFact = 1.5 // the weight from which on a sentence is a fact at all
	maxFacts  = 400
)

// facts retells the lines, sentence by sentence, without what says next to
// nothing.
func (r *Rules) facts(ctx context.Context, t llm.FactsTask) (llm.Facts, []string, error) {
	tale, err := r.retell(ctx, t.Lines)
	if err != nil {
		return llm.Facts{}, nil, err
	}
	out := llm.Facts{Data: []llm.Fact{}}
	seen := make(map[string]bool)
	for _, s := range tale.out {
		if s.weight < leastFact || seen[s.text] || len(out.Data) == maxFacts {
			continue
		}
		seen[s.text] = true
		out.Data = append(out.Data, llm.Fact{Source: t.First + s.line, Text: cut(s.text, statedWords) + "."})
	}
	return out, []string{fmt.Sprintf("of %d clauses %d are facts", len(tale.out), len(out.Data))}, nil
}

// revise drops a fact that a later one tells again: nothing is inferred, so
// nothing can be brought up to date.
func (r *Rules) revise(t llm.ReviseTask) (llm.Revision, []string, error) {
	fact, err := r.analyser.Sentences(t.Fact.Text, t.Fact.Time)
	if err != nil {
		return llm.Revision{}, nil, err
	}
	var informing []uint64
	for _, s := range fact {
		informing = append(informing, stems(s.Words)...)
	}
	for _, l := range t.Later {
		if len(informing) == 0 || !l.Time.After(t.Fact.Time) {
			continue
		}
		later, err := r.analyser.Sentences(l.Text, l.Time)
		if err != nil {
			return llm.Revision{}, nil, err
		}
		if isKnown(informing, later) {
			return llm.Revision{Action: "delete"}, []string{"a later fact tells it again"}, nil
		}
	}
	return llm.Revision{Action: "ignore"}, []string{"no later fact tells it again"}, nil
}
